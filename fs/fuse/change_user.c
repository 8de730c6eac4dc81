/* SPDX-License-Identifier: Apache-2.0 */
/* See change_user.h. Keys of S3 are looked for below HOME, so the user's HOME is needed too. */
#include "fuse/change_user.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"

static const struct passwd *find(const char *user)
{
    char *end = NULL;
    const unsigned long number = strtoul(user, &end, 10);
    const struct passwd *found = getpwnam(user);

    return found || *user < '0' || *user > '9' || *end || number >= UINT32_MAX
               ? found
               : getpwuid((uid_t)number);
}

int lod_change_user(const char *user)
{
    const struct passwd *found = find(user);

    if (!found) {
        lod_log(LOD_LOG_ERROR, "-o setuid=%pE: there is no such user", user);
        return -EINVAL;
    }
    if (getuid() == found->pw_uid && geteuid() == found->pw_uid) {
        return 0;
    }
    if (initgroups(found->pw_name, found->pw_gid) || setgid(found->pw_gid) ||
        setuid(found->pw_uid) || setenv("HOME", found->pw_dir, 1)) {
        int error = -errno;
        lod_log(LOD_LOG_ERROR, "-o setuid=%pE: %s%s", user, strerror(-error),
                error == -EPERM ? "; only root can mount as another user" : "");
        return error;
    }
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* See lodfs_error.h. */
#include "api/lodfs_error.h"

#include <errno.h>
#include <string.h>

const char *lod_why(int error)
{
    switch (error) {
    case -EIO:
        return "its stored bytes cannot be read, or are damaged (lodfs verify tells which)";
    case -ENOENT:
        return "there is no such file in the store at this fidelity";
    case -ETIMEDOUT:
        return "its bytes did not arrive within 30 seconds; read it again";
    case -ERANGE:
        return "the memory of the caller is too small for it";
    default:
        return strerrordesc_np(-error);
    }
}

const char *lod_why_file(int error)
{
    return error == -EINVAL  ? "there is no such fidelity; lodfs_fidelity() gives their numbers"
           : error == -ELOOP ? "it is a symbolic link, which is not followed"
                             : lod_why(error);
}

#define STEP 32u /* a path that is too long loses this many bytes at a time */

int lod_say_named(struct lodfs_error *into, int error, const char *before, const char *path,
                  const char *why)
{
    const size_t path_bytes = strlen(path);
    size_t skip = 0, room = into ? sizeof(into->message) : 0;

    while (room &&
           lod_format(into->message, room, "%s'%s%pE': %s", before, skip ? ".." : "", path + skip,
                      why) == room - 1 &&
           skip + STEP < path_bytes) {
        skip += STEP;
    }
    return error;
}

int lod_say_path(struct lodfs_error *into, int error, const char *path)
{
    const int shown = error == -ETIME   ? -ETIMEDOUT /* see lod_error_is_temporary */
                      : error == -ELOOP ? -EINVAL
                                        : error;

    return lod_say_named(into, shown, "", path, lod_why_file(error == -ELOOP ? error : shown));
}

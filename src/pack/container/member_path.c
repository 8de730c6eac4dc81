/* SPDX-License-Identifier: Apache-2.0 */
/* See member_path.h. */
#include "pack/container/member_path.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static int refuse(int error, const char *why, const char **ret_why)
{
    *ret_why = why;
    return error;
}

static int add_name(const char *name, size_t bytes, char *into, size_t *at, const char **ret_why)
{
    if (bytes == 2 && memcmp(name, "..", 2) == 0) {
        return refuse(-EINVAL, "has '..' in its name, which leads out of the container", ret_why);
    }
    if (bytes > LOD_NAME_MAX || bytes + 1 > LOD_PATH_MAX - *at) {
        return refuse(-ENAMETOOLONG,
                      "is longer than the store's limits: a name has 255 bytes, a path 4,095",
                      ret_why);
    }
    if (*at) {
        into[(*at)++] = '/';
    }
    memcpy(into + *at, name, bytes);
    *at += bytes;
    into[*at] = '\0';
    return 0;
}

/* Python's tarfile writes the folder itself as "/" if a user gives it the name "". */
static bool is_slashes(const char *path, size_t bytes)
{
    size_t at = 0;

    while (at < bytes && path[at] == '/') {
        at++;
    }
    return at == bytes;
}

int lod_member_path(const char *folder, const char *path, size_t bytes, char into[LOD_PATH_MAX + 1],
                    const char **ret_why)
{
    size_t at = 0, from = 0;
    int error = 0;

    if (memchr(path, '\0', bytes)) {
        return refuse(-EINVAL, "has a byte 0 in its name", ret_why);
    }
    if (bytes && path[0] == '/' && !is_slashes(path, bytes)) {
        return refuse(-EINVAL, "has an absolute name", ret_why);
    }
    into[0] = '\0';
    if (folder[0]) {
        error = add_name(folder, strlen(folder), into, &at, ret_why);
    }
    while (!error && from < bytes) {
        const char *slash = memchr(path + from, '/', bytes - from);
        const size_t length = slash ? (size_t)(slash - path) - from : bytes - from;
        if (length && !(length == 1 && path[from] == '.')) {
            error = add_name(path + from, length, into, &at, ret_why);
        }
        from += length + 1;
    }
    return error;
}

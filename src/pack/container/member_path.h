/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the path of a member, and makes it a path of a source. */
#ifndef LOD_MEMBER_PATH_H
#define LOD_MEMBER_PATH_H

#include <stddef.h>

#include "backend/format.h"
#include "compiler.h"

/*
 * Writes the path without `.`, without doubled slashes and without one at the end, below the folder
 * `folder` ("": none). It is "" for a member that is the folder itself, such as "./" or "/".
 * Returns -EINVAL for another path that is absolute, has `..` or a NUL, and -ENAMETOOLONG beyond
 * the store's limits; *ret_why says so.
 */
LOD_MUST_CHECK int lod_member_path(const char *folder, const char *path, size_t bytes,
                                   char into[LOD_PATH_MAX + 1], const char **ret_why);

#endif

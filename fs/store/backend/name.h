/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks names and paths of nodes (FORMAT.md, Names). Readers and writers use the same functions.
 */
#ifndef LOD_NAME_H
#define LOD_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether a name has 1 .. LOD_NAME_MAX bytes, no '/' and no NUL, and is neither "." nor
 * "..". */
bool lod_name_valid(const char *name, size_t bytes);

/*
 * Returns whether a path consists of valid names joined by single '/', with at most LOD_PATH_MAX
 * bytes and LOD_DEPTH_MAX names. The empty path, which is the root's, is valid.
 */
bool lod_path_valid(const char *path, size_t bytes);

/* Returns the number of names in a valid path; 0 for the root. */
size_t lod_path_depth(const char *path, size_t bytes);

#endif

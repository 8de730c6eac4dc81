/* SPDX-License-Identifier: Apache-2.0 */
/* Which names and paths a store may hold (FORMAT.md, Names); shared by readers and writers. */
#ifndef LOD_NAME_H
#define LOD_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* 1 .. LOD_NAME_MAX bytes, no '/' and no NUL, neither "." nor "..". */
bool lod_name_valid(const char *name, size_t bytes);

/*
 * Valid names joined by single '/', LOD_PATH_MAX bytes and LOD_DEPTH_MAX names at most. The empty
 * path, the root's, is valid.
 */
bool lod_path_valid(const char *path, size_t bytes);

/* Names in a valid path; 0 for the root. */
size_t lod_path_depth(const char *path, size_t bytes);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Where a folder lies in the tree of the local file system, before anything is written to it. */
#ifndef LOD_FOLDER_PLACE_H
#define LOD_FOLDER_PLACE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "compiler.h"

/*
 * Opens the folder `path`, or its parent if it does not exist. The caller closes *ret_fd.
 * *ret_exists is false also if the parent cannot be opened. After an error with *ret_exists true,
 * the folder itself cannot be opened.
 */
LOD_MUST_CHECK int lod_folder_open(const char *path, int *ret_fd, bool *ret_exists);

/* Finds out whether the folder behind `inner_fd` is the folder `outer`, or lies below it. */
LOD_MUST_CHECK int lod_folder_is_inside(int inner_fd, const struct stat *outer, bool *ret_inside);

#endif

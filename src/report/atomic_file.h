/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that appears under its name only when it is complete. Until then it has another name
 * beside it. "-" is standard output.
 */
#ifndef LOD_ATOMIC_FILE_H
#define LOD_ATOMIC_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "compiler.h"

struct lod_atomic_file {
    FILE *out;
    const char *path; /* borrowed */
    char *unfinished; /* the temporary name; NULL: standard output */
    bool replaces;
};

/*
 * Opens a file. Returns -EEXIST if there is one and `replaces` is false, -ENOTSUP if the name
 * belongs to anything but a regular file, or an error of open.
 */
LOD_MUST_CHECK int lod_atomic_file_open(const char *path, bool replaces,
                                        struct lod_atomic_file *ret_file);

/* Writes all bytes to disk, gives the file its name, and closes it.
 * After an error it is removed. */
LOD_MUST_CHECK int lod_atomic_file_commit(struct lod_atomic_file *file);

/* Closes and removes the file. */
void lod_atomic_file_abandon(struct lod_atomic_file *file);

#endif

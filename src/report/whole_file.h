/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that appears under its name only when it is complete. Until then it has another name
 * beside it. "-" is standard output.
 */
#ifndef LOD_WHOLE_FILE_H
#define LOD_WHOLE_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "compiler.h"

struct lod_whole_file {
    FILE *out;
    const char *path; /* borrowed */
    char *unfinished; /* the other name; NULL: standard output */
    bool replaces;
};

/*
 * Opens it. Returns -EEXIST if there is a file and `replaces` is false, -ENOTSUP if there is
 * something that is no regular file, or an error of open.
 */
LOD_MUST_CHECK int lod_whole_file_open(const char *path, bool replaces,
                                       struct lod_whole_file *ret_file);

/* Writes all to disk and gives it its name. Closes it in any case; after an error it is removed. */
LOD_MUST_CHECK int lod_whole_file_commit(struct lod_whole_file *file);

/* Removes it. */
void lod_whole_file_abandon(struct lod_whole_file *file);

#endif

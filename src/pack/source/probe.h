/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Examines every file of the source first: whether it can be read, which encoder accepts its
 * content, and which files may be equal. Then finds the files that are.
 */
#ifndef LOD_PROBE_H
#define LOD_PROBE_H

#include <stdbool.h>

#include "compiler.h"
#include "pack/source/source.h"
#include "pack/source/first_error.h"
#include "pool.h"
#include "terminal/cancel.h"
#include "terminal/progress.h"

struct lod_probe {
    int root_fd;
    bool follow;
    struct lod_pool *pool;
    struct lod_cancel *stop; /* may be NULL, like the progress */
    struct lod_progress *progress;
    struct lod_first_error *first_error;
    struct lod_source_list *list; /* sorted by path */
};

/*
 * Sets `encoder` of every FILE. If another file has the same size, also sets `sketch`, a hash of
 * 4 KiB from the middle, so that different files of equal size are not read whole.
 */
LOD_MUST_CHECK int lod_probe_files(struct lod_probe *probe);

/*
 * Finds equal files, after lod_probe_files. Files of equal size, encoder and sketch are hashed
 * whole. Those of equal hash are compared byte by byte with the first by path, and become EQUAL if
 * they agree. Two files of equal hash but different bytes both stay FILE.
 */
LOD_MUST_CHECK int lod_dedup_find(struct lod_probe *probe);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A look into every file of the source before anything is decided: can it be read, which encoder
 * takes it (by content), and which files may be equal; then the search for those that are.
 */
#ifndef LOD_PROBE_H
#define LOD_PROBE_H

#include <stdbool.h>

#include "compiler.h"
#include "pack/source.h"
#include "pack/trouble.h"
#include "pool.h"
#include "stop.h"

struct lod_probe {
    int root_fd;
    bool follow;
    struct lod_pool *pool;
    struct lod_stop *stop; /* may be NULL */
    struct lod_trouble *trouble;
    struct lod_source_list *list; /* sorted by path */
};

/*
 * Sets `encoder` of every FILE, and `sketch`, a hash of 4 KiB from its middle, where another file
 * has its size: so files that only happen to be of one size are not read whole.
 */
LOD_MUST_CHECK int lod_probe_files(struct lod_probe *probe);

/*
 * After lod_probe_files: files of equal size, encoder and sketch are hashed whole, those of equal
 * hash compared byte by byte with the first by path, and EQUAL if they are. Two files of one hash
 * and different bytes both stay FILE.
 */
LOD_MUST_CHECK int lod_equal_find(struct lod_probe *probe);

#endif

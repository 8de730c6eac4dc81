/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encodes rows of a table as a shard; toc.h reads it. Pure: the same rows and options give the same
 * bytes on every machine. Thread-safe.
 */
#ifndef LOD_TOC_WRITE_H
#define LOD_TOC_WRITE_H

#include <stdint.h>

#include "buf.h"
#include "compiler.h"
#include "toc/shard/toc.h"

#define LOD_TOC_BATCH_ROWS 250u /* as in the paper; most trainers use a size like this */

/* Borrowed rows: either `dense`, or the three arrays of compressed sparse rows. */
struct lod_toc_rows {
    uint8_t dtype;
    uint32_t rows, columns;

    const void *dense; /* rows x columns elements in C order, any alignment; NULL: sparse */

    const uint64_t *starts;       /* rows + 1: row r is entries starts[r] .. starts[r + 1] - 1 */
    const uint32_t *entry_column; /* ascending in a row, each below `columns` */
    const void *entry_value;      /* an element of dtype each; zeros are allowed */
};

enum lod_toc_choice {
    LOD_TOC_CHOOSE_RAW = LOD_TOC_RAW,
    LOD_TOC_CHOOSE_CSR = LOD_TOC_CSR,
    LOD_TOC_CHOOSE_TREE = LOD_TOC_TREE,
    LOD_TOC_CHOOSE_BEST, /* chosen by a sample; RAW if the shard would not be smaller */
};

struct lod_toc_options {
    uint32_t batch_rows; /* 1 .. LOD_TOC_ROWS_MAX; 0: LOD_TOC_BATCH_ROWS */
    enum lod_toc_choice choice;
};

/*
 * Appends the shard to `into`. Returns -EINVAL for an illegal dtype or unordered columns, -E2BIG
 * for a limit in toc.h, or -ENOMEM. After an error `into` is as before.
 */
LOD_MUST_CHECK int lod_toc_encode(const struct lod_toc_rows *rows,
                                  const struct lod_toc_options *options, struct lod_buf *into);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encodes rows of a table as a shard; toc.h reads it. Pure: the same rows and options give the same
 * bytes everywhere. Thread-safe.
 */
#ifndef LOD_TOC_WRITE_H
#define LOD_TOC_WRITE_H

#include <stdint.h>

#include "buf.h"
#include "compiler.h"
#include "toc/toc.h"

#define LOD_TOC_BATCH_ROWS 250u /* what the paper and most trainers use */

/* Borrowed rows. Either `dense` or the three arrays of compressed sparse rows. */
struct lod_toc_rows {
    uint8_t dtype;
    uint32_t rows, columns;

    const void *dense; /* rows x columns elements, C order, any alignment; NULL: sparse */

    const uint64_t *starts;       /* rows + 1: row r is entries starts[r] .. starts[r + 1] - 1 */
    const uint32_t *entry_column; /* ascending in a row, each below `columns` */
    const void *entry_value;      /* an element of dtype each; zeros are allowed */
};

enum lod_toc_choice {
    LOD_TOC_CHOOSE_RAW = LOD_TOC_RAW,
    LOD_TOC_CHOOSE_CSR = LOD_TOC_CSR,
    LOD_TOC_CHOOSE_TREE = LOD_TOC_TREE,
    LOD_TOC_CHOOSE_BEST, /* by a sample, and RAW if the shard is not smaller after all */
};

struct lod_toc_options {
    uint32_t batch_rows; /* 1 .. LOD_TOC_ROWS_MAX; 0: LOD_TOC_BATCH_ROWS */
    enum lod_toc_choice choice;
};

/*
 * Appends the shard to `into`. -EINVAL: an illegal dtype or unordered columns; -E2BIG: a limit of
 * toc.h; -ENOMEM. `into` is then as before.
 */
LOD_MUST_CHECK int lod_toc_encode(const struct lod_toc_rows *rows,
                                  const struct lod_toc_options *options, struct lod_buf *into);

/* Memory that lod_toc_encode takes besides rows and result, at most; `entries` are sparse ones. */
uint64_t lod_toc_encode_bytes(uint8_t dtype, uint32_t rows, uint32_t columns, uint64_t entries);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of a shard of each kind, before they are put together. For encoders. */
#ifndef LOD_SHARD_WRITE_H
#define LOD_SHARD_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "compiler.h"
#include "toc/sparse_write.h"
#include "toc/toc_format.h"
#include "toc/toc_write.h"

/* What is settled before the first row is looked at. */
struct lod_shard_plan {
    uint8_t dtype;
    uint32_t columns;
    uint32_t batch_rows;
    bool raw_direct;   /* a RAW shard is not to look for a table of values */
    uint32_t distinct; /* values that are expected in it */
};

enum lod_section {
    LOD_SECTION_TABLE,
    LOD_SECTION_LEAF_VALUES,
    LOD_SECTION_LEAF_COLUMNS,
    LOD_SECTION_BATCH,
    LOD_SECTION_BODY,
};

/* Fields of the header, see FORMAT.md, and the sections in order. */
struct lod_shard_write {
    uint8_t kind, dtype, value, index_bits, column_bits, column_form;
    uint32_t rows, columns, batch_rows, leaves, values;
    struct lod_buf section[LOD_TOC_SECTIONS];
};

void lod_shard_write_finish(struct lod_shard_write *shard);

/* A shard of kind CSR or TREE, or RAW. -E2BIG: pairs; -ENOMEM. */
LOD_MUST_CHECK int lod_shard_write_sparse(const struct lod_shard_plan *plan, uint8_t kind,
                                          const struct lod_sparse *sparse,
                                          struct lod_shard_write *ret_shard);
LOD_MUST_CHECK int lod_shard_write_raw(const struct lod_shard_plan *plan,
                                       const struct lod_toc_rows *rows,
                                       struct lod_shard_write *ret_shard);

/* What a RAW shard of these rows would be. */
struct lod_raw_guess {
    uint64_t bytes;
    uint64_t tree_bytes_min; /* a TREE shard is no smaller, or UINT64_MAX: not worth a try */
    uint32_t distinct;
    bool table;
};
LOD_MUST_CHECK int lod_shard_raw_guess(const struct lod_shard_plan *plan,
                                       const struct lod_sparse *sparse,
                                       struct lod_raw_guess *ret_guess);

#endif

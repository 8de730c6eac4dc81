/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of a shard of each kind, before they are joined. For encoders. */
#ifndef LOD_SHARD_WRITE_H
#define LOD_SHARD_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "compiler.h"
#include "toc/encode/sparse_write.h"
#include "toc/shard/toc_format.h"
#include "toc/encode/toc_write.h"

/* Decisions made before the first row is encoded. */
struct lod_shard_plan {
    uint8_t dtype;
    uint32_t columns;
    uint32_t batch_rows;
    bool raw_direct;   /* RAW: write the elements directly, do not try a table of values */
    uint32_t distinct; /* number of distinct values expected */
};

enum lod_section {
    LOD_SECTION_TABLE,
    LOD_SECTION_LEAF_VALUES,
    LOD_SECTION_LEAF_COLUMNS,
    LOD_SECTION_BATCH,
    LOD_SECTION_BODY,
};

/* The fields of the header (FORMAT.md), and the sections in order. */
struct lod_shard_write {
    uint8_t kind, dtype, value, index_bits, column_bits, column_form;
    uint32_t rows, columns, batch_rows, leaves, values;
    struct lod_buf section[LOD_TOC_SECTIONS];
};

void lod_shard_write_finish(struct lod_shard_write *shard);

/*
 * Write a shard of kind CSR or TREE, or of kind RAW. Return -E2BIG for too many pairs, or -ENOMEM.
 */
LOD_MUST_CHECK int lod_shard_write_sparse(const struct lod_shard_plan *plan, uint8_t kind,
                                          const struct lod_sparse *sparse,
                                          struct lod_shard_write *ret_shard);
LOD_MUST_CHECK int lod_shard_write_raw(const struct lod_shard_plan *plan,
                                       const struct lod_toc_rows *rows,
                                       struct lod_shard_write *ret_shard);

/* The estimated size of a RAW shard of these rows. */
struct lod_raw_guess {
    uint64_t bytes;
    uint64_t tree_bytes_min; /* lower bound of a TREE shard; UINT64_MAX: do not try TREE */
    uint32_t distinct;
    bool table;
};
LOD_MUST_CHECK int lod_shard_raw_guess(const struct lod_shard_plan *plan,
                                       const struct lod_sparse *sparse,
                                       struct lod_raw_guess *ret_guess);

#endif

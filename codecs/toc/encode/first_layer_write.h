/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first layer of the prefix tree: every distinct pair of column and value in a shard is a leaf.
 * Leaves are numbered by column, then by value as an unsigned word. For encoders.
 */
#ifndef LOD_FIRST_LAYER_WRITE_H
#define LOD_FIRST_LAYER_WRITE_H

#include <stdint.h>

#include "buf.h"
#include "compiler.h"
#include "toc/encode/sparse_write.h"
#include "toc/encode/values_write.h"

struct lod_first_layer {
    uint32_t leaves;
    uint32_t *column; /* of each leaf */
    uint64_t *word;   /* of each leaf */
    uint32_t *leaf_of_pair;
    struct lod_values_write values; /* settled for the values of the leaves */
};

/* Builds the layer. Returns -ENOMEM. lod_first_layer_finish accepts an all-zero struct. */
LOD_MUST_CHECK int lod_first_layer_init(struct lod_first_layer *layer, uint8_t dtype,
                                        uint32_t columns, const struct lod_sparse *sparse);
void lod_first_layer_finish(struct lod_first_layer *layer);

/*
 * How the leaves' columns are stored: form (enum in toc_format.h), width of a number, bytes in all.
 */
struct lod_leaf_columns {
    uint8_t form, bits;
    uint64_t bytes;
};
struct lod_leaf_columns lod_first_layer_columns(const struct lod_first_layer *layer,
                                                uint32_t columns);

/* Appends the leaves' columns. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_first_layer_write_columns(const struct lod_first_layer *layer,
                                                 uint32_t columns, struct lod_buf *into);

#endif

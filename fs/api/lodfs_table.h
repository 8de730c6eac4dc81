/* SPDX-License-Identifier: Apache-2.0 */
/* A table of liblodfs: lodfs_table.c opens it, lodfs_product.c multiplies. */
#ifndef LOD_LODFS_TABLE_H
#define LOD_LODFS_TABLE_H

#include <stdatomic.h>
#include <stdint.h>

#include "buf.h"
#include "api/lodfs.h"
#include "toc/product/matrix.h"
#include "toc/shard/toc.h"

struct lod_table_shard {
    struct lod_buf bytes;
    struct lod_toc_shard shard; /* points into `bytes` */
    struct lod_toc_matrix *matrix;
    uint64_t first_row, first_batch;
};

/* Immutable once it is open, except for the reference count. */
struct lod_table_core {
    atomic_uint refs;
    struct lod_table_shard *shards;
    uint32_t count, rows_max; /* the largest of a shard */
    uint64_t rows, batches, scratch_bytes, stored_bytes, memory_bytes;
    uint32_t columns;
    uint8_t dtype;
    char dtype_name[4];
};

struct lodfs_table {
    struct lod_table_core *core;
    double factor; /* factor of every element */
};

/* Returns the shard that holds a batch. The table has batches. */
const struct lod_table_shard *lod_table_shard_of_batch(const struct lod_table_core *core,
                                                       uint64_t batch);

#endif

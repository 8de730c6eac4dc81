/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table as a file of numbers: what is known of it before its rows are encoded, and how its rows
 * are cut into shards. The readers of formats fill it in (npy_read.h, text_table.h); pack keeps it
 * while a store is written; table_write.c encodes shards by it.
 */
#ifndef LOD_TABLE_H
#define LOD_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"

/*
 * A shard's rows have at most this many bytes in their file; encoded they take no more than
 * lod_shard_bytes_stored, which is below 64 MiB.
 */
#define LOD_SHARD_BYTES_MAX  ((uint64_t)62 << 20)
#define LOD_SHARD_STORED_MAX ((uint64_t)64 << 20)

static inline uint64_t lod_shard_bytes_stored(uint64_t bytes)
{
    return bytes + bytes / 50 + 4096;
}

/*
 * What a mount makes of a stored table at once. At least this: a read of 1 MiB touches few units.
 * The writer makes units of UNIT_BYTES where it can choose.
 */
#define LOD_TABLE_UNIT_MIN   ((uint64_t)64 << 10)
#define LOD_TABLE_UNIT_BYTES ((uint64_t)1 << 20)

#define LOD_TABLE_SHARD_ROWS 5000u /* what one first layer serves best, 20 batches of 250 */

enum lod_table_kind {
    LOD_TABLE_NONE = 0,
    LOD_TABLE_NPY,
    LOD_TABLE_CSV,
    LOD_TABLE_LIBSVM,
};

struct lod_text_table; /* text_table.h */

/* Where a shard of a text table begins; one more stands behind the last. */
struct lod_table_start {
    uint64_t row, byte;
    uint64_t entries; /* of the shard at most: what is not zero */
};

struct lod_data_table {
    enum lod_table_kind kind;
    bool stored;    /* NPY: its rows are kept as shards alone; else the file is kept beside them */
    bool by_column; /* NPY in Fortran order: never stored */
    uint8_t dtype;  /* dtype.h */
    uint64_t rows;
    uint32_t columns;
    uint32_t header_bytes; /* NPY: what stands before the first element */
    uint64_t file_bytes;
    uint32_t batch_rows, shard_rows, unit_rows, shards;
    const struct lod_text_table *text;    /* CSV, LIBSVM */
    const struct lod_table_start *starts; /* of text: shards + 1 */
};

/* What the user asks for; 0: the default. */
struct lod_table_options {
    uint32_t batch_rows, shard_rows;
};

/*
 * Cuts a table whose dtype, rows and columns are known: batch_rows, shard_rows, unit_rows and, but
 * for text, shards. -E2BIG: a row is too long for a shard, or a limit of toc.h.
 */
LOD_MUST_CHECK int lod_table_cut(struct lod_data_table *table,
                                 const struct lod_table_options *options);

/* The rows of a shard below table->shards. */
struct lod_shard_rows {
    uint64_t first;
    uint32_t rows;
};
struct lod_shard_rows lod_table_shard(const struct lod_data_table *table, uint32_t shard);

#endif

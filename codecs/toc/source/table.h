/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table before its rows are encoded: its properties, and how its rows are cut into shards. The
 * format readers fill it in (npy_read.h, text_table.h), pack keeps it while it writes a store, and
 * table_write.c encodes its shards.
 */
#ifndef LOD_TABLE_H
#define LOD_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"

/*
 * The most that a shard's rows take in their file. Encoded they take at most
 * lod_shard_bytes_stored, which is below 64 MiB.
 */
#define LOD_SHARD_BYTES_MAX  ((uint64_t)62 << 20)
#define LOD_SHARD_STORED_MAX ((uint64_t)64 << 20)

static inline uint64_t lod_shard_bytes_stored(uint64_t bytes)
{
    return bytes + bytes / 50 + 4096;
}

/*
 * A unit is the number of rows that a mount makes at once. It has at least UNIT_MIN bytes, so that
 * a read of 1 MiB needs few units. The writer makes units of UNIT_BYTES where the shard allows.
 */
#define LOD_TABLE_UNIT_MIN   ((uint64_t)64 << 10)
#define LOD_TABLE_UNIT_BYTES ((uint64_t)1 << 20)

#define LOD_TABLE_SHARD_ROWS 5000u /* 20 batches of 250, which share one first layer well */

enum lod_table_kind {
    LOD_TABLE_NONE = 0,
    LOD_TABLE_NPY,
    LOD_TABLE_CSV,
    LOD_TABLE_LIBSVM,
};

struct lod_text_table; /* text_table.h */

/* The start of a shard in a text table; an additional element follows the last shard. */
struct lod_table_start {
    uint64_t row, byte;
    uint64_t entries; /* upper bound of the shard's elements that are not zero */
};

struct lod_data_table {
    enum lod_table_kind kind;
    bool stored;    /* NPY: only its shards are stored; false: the file is stored beside them */
    bool by_column; /* NPY in Fortran order: never `stored` */
    uint8_t dtype;  /* dtype.h */
    uint64_t rows;
    uint32_t columns;
    uint32_t header_bytes; /* NPY: bytes before the first element */
    uint64_t file_bytes;
    uint32_t batch_rows, shard_rows, unit_rows, shards;
    const struct lod_text_table *text;    /* CSV, LIBSVM */
    const struct lod_table_start *starts; /* of text: shards + 1 */
};

/* The user's options; 0: the default. */
struct lod_table_options {
    uint32_t batch_rows, shard_rows;
};

/*
 * Cuts a table whose dtype, rows and columns are set: sets batch_rows, shard_rows, unit_rows and,
 * except for text, shards. Returns -E2BIG if a row is too long for a shard, or for a limit in
 * toc.h.
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

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides how many rows make a batch, a shard and a unit; see table.h. Pure arithmetic; the results
 * are stored in the ITEM row and in schema.json.
 */
#include "toc/source/table.h"

#include <errno.h>

#include "toc/shard/dtype.h"
#include "toc/encode/toc_write.h"

static uint32_t batches_of(uint64_t bytes, uint64_t batch_bytes)
{
    uint64_t batches = bytes / batch_bytes;

    return batches ? (uint32_t)batches : 1;
}

/* Returns the rows of a shard: whole batches if the shard has room for one. */
static uint32_t fit_shard(uint32_t wanted, uint32_t batch_rows, uint64_t row_bytes)
{
    uint64_t rows_max = LOD_SHARD_BYTES_MAX / row_bytes;
    uint64_t rows = wanted;

    rows = rows < rows_max ? rows : rows_max;
    rows = rows < LOD_TOC_ROWS_MAX ? rows : LOD_TOC_ROWS_MAX;
    rows_max = (uint64_t)LOD_TOC_BATCHES_MAX * batch_rows;
    rows = rows < rows_max ? rows : rows_max;
    return (uint32_t)(rows < batch_rows ? rows : rows - rows % batch_rows);
}

/*
 * Returns the fewest rows of a shard or unit of a stored table. Below UNIT_MIN bytes one read would
 * need too many of them.
 */
static uint32_t least_rows(uint64_t row_bytes)
{
    return (uint32_t)((LOD_TABLE_UNIT_MIN + row_bytes - 1) / row_bytes);
}

/*
 * Returns the rows of a unit: the fewest batches that divide the shard's, make at least UNIT_BYTES,
 * and at least an eighth of the shard. The last rule is there because each unit reads and checks
 * the whole shard.
 */
static uint32_t fit_unit(const struct lod_data_table *table, uint64_t row_bytes)
{
    const uint32_t batches = table->shard_rows / table->batch_rows;
    const uint64_t eighth = (table->shard_rows * row_bytes + 7) / 8;
    const uint64_t bytes = eighth > LOD_TABLE_UNIT_BYTES ? eighth : LOD_TABLE_UNIT_BYTES;
    const uint32_t least =
        batches_of(bytes + row_bytes * table->batch_rows - 1, row_bytes * table->batch_rows);

    if (table->shard_rows % table->batch_rows || least >= batches) {
        return table->shard_rows;
    }
    for (uint32_t unit = least; unit < batches; unit++) {
        if (batches % unit == 0) {
            return unit * table->batch_rows;
        }
    }
    return table->shard_rows;
}

int lod_table_cut(struct lod_data_table *table, const struct lod_table_options *options)
{
    const bool text = table->kind != LOD_TABLE_NPY; /* sparse: rows may have any length */
    const uint64_t row_bytes = text ? 1 : (uint64_t)table->columns * lod_dtype_bytes(table->dtype);
    uint32_t wanted = options->shard_rows ? options->shard_rows : LOD_TABLE_SHARD_ROWS;

    if (table->columns == 0 || table->columns > LOD_TOC_COLUMNS_MAX ||
        row_bytes > LOD_SHARD_BYTES_MAX) {
        return -E2BIG;
    }
    table->batch_rows = options->batch_rows ? options->batch_rows : LOD_TOC_BATCH_ROWS;
    table->shard_rows = fit_shard(wanted, table->batch_rows, row_bytes);
    if (table->stored && table->shard_rows < least_rows(row_bytes)) {
        wanted = least_rows(row_bytes) + table->batch_rows - 1;
        table->shard_rows = fit_shard(wanted, table->batch_rows, row_bytes);
    }
    table->unit_rows = fit_unit(table, row_bytes);
    uint64_t shards = (table->rows + table->shard_rows - 1) / table->shard_rows;
    if (shards > UINT32_MAX) {
        return -E2BIG;
    }
    table->shards = (uint32_t)shards;
    return 0;
}

struct lod_shard_rows lod_table_shard(const struct lod_data_table *table, uint32_t shard)
{
    if (table->starts) {
        const struct lod_table_start *start = &table->starts[shard];
        return (struct lod_shard_rows){.first = start->row,
                                       .rows = (uint32_t)(start[1].row - start->row)};
    }
    const uint64_t first = (uint64_t)shard * table->shard_rows, left = table->rows - first;
    return (struct lod_shard_rows){
        .first = first, .rows = left < table->shard_rows ? (uint32_t)left : table->shard_rows};
}

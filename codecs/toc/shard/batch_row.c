/* SPDX-License-Identifier: Apache-2.0 */
/* Reads batch rows; see batch_row.h. */
#include "toc/shard/batch_row.h"

#include <errno.h>

#include "toc/shard/bits.h"
#include "toc/shard/toc_format.h"
#include "toc/shard/values.h"

uint64_t lod_values_bytes_of(const struct lod_toc_shard *shard, uint64_t count)
{
    return shard->values ? lod_bits_bytes(count, shard->index_bits)
                         : count * lod_value_bytes(shard->dtype, shard->value);
}

static int raw_row(const struct lod_toc_shard *shard, uint32_t rows, struct lod_batch_row *ret_row)
{
    uint64_t elements = (uint64_t)rows * shard->columns;

    if (elements > LOD_TOC_PAIRS_MAX) {
        return -EILSEQ;
    }
    uint64_t bytes = lod_values_bytes_of(shard, elements);
    *ret_row = (struct lod_batch_row){
        .rows = rows, .codes = (uint32_t)elements, .code_bytes = bytes, .bytes = bytes};
    return 0;
}

static bool row_legal(const struct lod_toc_shard *shard, const struct lod_batch_row *row)
{
    if (row->codes > LOD_TOC_PAIRS_MAX || row->codes > (uint64_t)row->rows * shard->columns ||
        row->empty > row->rows || row->codes < row->rows - row->empty ||
        row->nodes > row->codes - (row->rows - row->empty)) {
        return false;
    }
    /* A row has no column twice. So if codes have no bits there is only one code, at most once a
     * row. */
    unsigned bits = shard->kind == LOD_TOC_TREE ? row->code_bits : shard->column_bits;
    if (bits == 0 && row->codes > row->rows) {
        return false;
    }
    return row->size_bits <= LOD_BITS_MAX && row->code_bits <= LOD_BITS_MAX &&
           (shard->kind == LOD_TOC_TREE || (row->nodes == 0 && row->code_bits == 0));
}

int lod_batch_row_read(const struct lod_toc_shard *shard, uint32_t batch,
                       struct lod_batch_row *ret_row)
{
    uint32_t rows = lod_toc_batch_rows(shard, batch);

    if (shard->kind == LOD_TOC_RAW) {
        return raw_row(shard, rows, ret_row);
    }
    const uint8_t *at = shard->batch.at + (uint64_t)batch * LOD_TOC_BATCH_BYTES;
    struct lod_batch_row row = {
        .rows = rows,
        .codes = lod_get_le32(at + LOD_TOC_BATCH_AT_CODES),
        .nodes = lod_get_le32(at + LOD_TOC_BATCH_AT_NODES),
        .empty = lod_get_le32(at + LOD_TOC_BATCH_AT_EMPTY),
        .size_min = lod_get_le16(at + LOD_TOC_BATCH_AT_SIZE_MIN),
        .size_bits = at[LOD_TOC_BATCH_AT_SIZE_BITS],
        .code_bits = at[LOD_TOC_BATCH_AT_CODE_BITS],
    };
    if (!row_legal(shard, &row)) {
        return -EILSEQ;
    }
    row.flags = row.codes - (rows - row.empty);
    row.size_bytes = lod_bits_bytes(rows, row.size_bits);
    if (shard->kind == LOD_TOC_TREE) {
        row.code_bytes = lod_bits_bytes(row.codes, row.code_bits);
        row.flag_bytes = lod_bits_bytes(row.flags, 1);
    } else {
        row.code_bytes = lod_bits_bytes(row.codes, shard->column_bits);
        row.flag_bytes = lod_values_bytes_of(shard, row.codes);
    }
    row.bytes = row.size_bytes + row.code_bytes + row.flag_bytes;
    *ret_row = row;
    return 0;
}

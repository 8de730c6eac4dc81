/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The encoder of tables. Part 0 of an .npy is the table itself with its header; parts 1 and up are
 * its shards. A text table has shards only. See table_codec.c for the rows.
 */
#include "encoder.h"

#include <errno.h>
#include <stdlib.h>

#include "toc/shard/dtype.h"
#include "toc/source/table.h"
#include "toc/table_row.h"
#include "toc/source/text_table.h"
#include "toc/encode/toc_write.h"

static bool probe(struct lod_span head)
{
    (void)head;
    return false; /* the first 64 bytes do not show whether a file is a table; pack finds out */
}

static int encode_header(const struct lod_data_table *table, struct lod_span header,
                         struct lod_encoded *item)
{
    uint8_t *row = item->row;

    row[LOD_TABLE_ROW_DTYPE] = table->dtype;
    lod_put_le64(row + LOD_TABLE_ROW_BYTES, table->file_bytes);
    lod_put_le64(row + LOD_TABLE_ROW_ROWS, table->rows);
    lod_put_le32(row + LOD_TABLE_ROW_COLUMNS, table->columns);
    lod_put_le32(row + LOD_TABLE_ROW_SHARD_ROWS, table->shard_rows);
    lod_put_le32(row + LOD_TABLE_ROW_HEADER, table->header_bytes);
    lod_put_le32(row + LOD_TABLE_ROW_SHARDS, table->shards);
    lod_put_le32(row + LOD_TABLE_ROW_UNIT_ROWS, table->unit_rows);
    return header.bytes == table->header_bytes
               ? lod_buf_append(&item->group[0], header.at, header.bytes)
               : -EILSEQ;
}

/* Reads columns from the file and writes rows to the shard. */
static void transpose(const uint8_t *from, uint32_t rows, uint32_t columns, unsigned bytes,
                      uint8_t *into)
{
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t c = 0; c < columns; c++, into += bytes) {
            memcpy(into, from + ((size_t)c * rows + r) * bytes, bytes);
        }
    }
}

static int encode_dense(const struct lod_data_table *table, uint32_t rows_count,
                        struct lod_span bytes, const struct lod_toc_options *options,
                        struct lod_buf *into)
{
    const unsigned element = lod_dtype_bytes(table->dtype);
    struct lod_toc_rows rows = {
        .dtype = table->dtype, .rows = rows_count, .columns = table->columns, .dense = bytes.at};
    uint8_t *turned = NULL;

    if (bytes.bytes != (uint64_t)rows_count * table->columns * element) {
        return -EILSEQ;
    }
    if (table->by_column) {
        turned = malloc(bytes.bytes);
        if (!turned) {
            return -ENOMEM;
        }
        transpose(bytes.at, rows_count, table->columns, element, turned);
        rows.dense = turned;
    }
    int error = lod_toc_encode(&rows, options, into);
    free(turned);
    return error;
}

static int encode_text(const struct lod_data_table *table, uint32_t rows, struct lod_span bytes,
                       const struct lod_toc_options *options, struct lod_buf *into)
{
    struct lod_text_rows sparse = {0};
    int error = lod_text_table_rows(table->text, bytes, rows, &sparse);

    if (!error) {
        const struct lod_toc_rows encode = {.dtype = table->dtype,
                                            .rows = rows,
                                            .columns = table->columns,
                                            .starts = sparse.starts,
                                            .entry_column = sparse.column,
                                            .entry_value = sparse.value};
        error = lod_toc_encode(&encode, options, into);
    }
    lod_text_rows_finish(&sparse);
    return error;
}

static int encode_shard(const struct lod_data_table *table, uint32_t shard, struct lod_span bytes,
                        struct lod_encoded *item)
{
    const struct lod_toc_options options = {.batch_rows = table->batch_rows,
                                            .choice = LOD_TOC_CHOOSE_BEST};
    const struct lod_shard_rows at = lod_table_shard(table, shard);
    struct lod_buf *into = &item->group[0];
    int error = table->text ? encode_text(table, at.rows, bytes, &options, into)
                            : encode_dense(table, at.rows, bytes, &options, into);

    item->row[0] = LOD_ITEM_SHARD;
    item->row[LOD_TABLE_ROW_DTYPE] = table->dtype;
    lod_put_le64(item->row + LOD_TABLE_ROW_BYTES, into->bytes);
    lod_put_le64(item->row + LOD_SHARD_ROW_FIRST, at.first);
    lod_put_le32(item->row + LOD_SHARD_ROW_ROWS, at.rows);
    lod_put_le32(item->row + LOD_SHARD_ROW_NUMBER, shard);
    return !error && into->bytes > LOD_SHARD_STORED_MAX ? -E2BIG : error;
}

static int encode_part(const struct lod_data_table *table, uint32_t part, struct lod_span bytes,
                       struct lod_encoded *ret_item)
{
    struct lod_encoded item = {0};
    int error =
        part ? encode_shard(table, part - 1, bytes, &item) : encode_header(table, bytes, &item);

    if (error) {
        lod_encoded_finish(&item);
        return error;
    }
    *ret_item = item;
    return 0;
}

const struct lod_encoder lod_encoder_toc = {
    .codec = &lod_codec_toc,
    .probe = probe,
    .encode_part = encode_part,
};

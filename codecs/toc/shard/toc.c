/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a shard and checks everything outside the batches' bodies. See toc.h. */
#include "toc/shard/toc.h"

#include <errno.h>
#include <string.h>

#include "hash.h"
#include "toc/shard/batch_row.h"
#include "toc/shard/bits.h"
#include "toc/shard/toc_format.h"
#include "toc/shard/values.h"

static int check_hashes(struct lod_span bytes)
{
    const uint8_t *header = bytes.at;

    if (lod_hash64(header, LOD_TOC_AT_HEADER_HASH, 0) !=
        lod_get_le64(header + LOD_TOC_AT_HEADER_HASH)) {
        return -EBADMSG;
    }
    uint64_t content =
        lod_hash64(header + LOD_TOC_HEADER_BYTES, bytes.bytes - LOD_TOC_HEADER_BYTES, 0);
    return content == lod_get_le64(header + LOD_TOC_AT_CONTENT_HASH) ? 0 : -EBADMSG;
}

static int check_header(struct lod_span bytes)
{
    const uint8_t *header = bytes.at;

    if (bytes.bytes < LOD_TOC_HEADER_BYTES || memcmp(header, LOD_TOC_MAGIC, 8) != 0) {
        return -EILSEQ;
    }
    if (lod_get_le16(header + LOD_TOC_AT_MAJOR) != LOD_TOC_MAJOR ||
        lod_get_le16(header + LOD_TOC_AT_MINOR) != LOD_TOC_MINOR) {
        return -ENOTSUP;
    }
    if (lod_get_le16(header + LOD_TOC_AT_COLUMN_FORM + 1)) {
        return -EILSEQ;
    }
    for (unsigned i = LOD_TOC_AT_RESERVED; i < LOD_TOC_AT_CONTENT_HASH; i++) {
        if (header[i]) {
            return -EILSEQ;
        }
    }
    return check_hashes(bytes);
}

static struct lod_toc_shard fields(const uint8_t *header)
{
    return (struct lod_toc_shard){
        .kind = header[LOD_TOC_AT_KIND],
        .dtype = header[LOD_TOC_AT_DTYPE],
        .rows = lod_get_le32(header + LOD_TOC_AT_ROWS),
        .columns = lod_get_le32(header + LOD_TOC_AT_COLUMNS),
        .batch_rows = lod_get_le32(header + LOD_TOC_AT_BATCH_ROWS),
        .value = header[LOD_TOC_AT_VALUE],
        .index_bits = header[LOD_TOC_AT_INDEX_BITS],
        .column_bits = header[LOD_TOC_AT_COLUMN_BITS],
        .column_form = header[LOD_TOC_AT_COLUMN_FORM],
        .leaves = lod_get_le32(header + LOD_TOC_AT_LEAVES),
        .values = lod_get_le32(header + LOD_TOC_AT_VALUES),
    };
}

/*
 * Checks the number of leaves: a first layer has each pair once. Without this check a small file
 * could claim many leaves, since columns of no bits and a single value take no bytes.
 */
static bool leaves_legal(const struct lod_toc_shard *s)
{
    const uint64_t columns =
        s->column_form == LOD_TOC_LEAVES_OF_COLUMN ? s->columns : 1ull << s->column_bits;
    const uint64_t most = s->column_form == LOD_TOC_LEAVES_OF_COLUMN && s->column_bits == 0
                              ? 0
                              : columns * s->values; /* below 2^57 */

    return s->leaves <= LOD_TOC_PAIRS_MAX && (s->values == 0 || s->leaves <= most);
}

static bool fields_legal(const struct lod_toc_shard *s)
{
    if (s->kind > LOD_TOC_TREE || !lod_dtype_legal(s->dtype) ||
        !lod_value_bytes(s->dtype, s->value)) {
        return false;
    }
    if (s->rows > LOD_TOC_ROWS_MAX || s->columns > LOD_TOC_COLUMNS_MAX || s->batch_rows == 0 ||
        s->batch_rows > LOD_TOC_ROWS_MAX) {
        return false;
    }
    if (s->values > LOD_TOC_PAIRS_MAX ||
        s->index_bits != (s->values ? lod_bits_of(s->values - 1) : 0)) {
        return false;
    }
    return s->column_bits <= lod_bits_of(LOD_TOC_COLUMNS_MAX) && leaves_legal(s) &&
           s->column_form <= LOD_TOC_LEAVES_OF_COLUMN &&
           (s->kind == LOD_TOC_TREE || (s->leaves == 0 && s->column_form == 0)) &&
           (s->kind != LOD_TOC_RAW || s->column_bits == 0);
}

/* Finds the five sections, each as long as the header's fields require. */
static int take_sections(struct lod_span bytes, struct lod_toc_shard *s)
{
    struct lod_span *section[LOD_TOC_SECTIONS] = {&s->table, &s->leaf_values, &s->leaf_columns,
                                                  &s->batch, &s->body};
    struct lod_cursor lengths =
        lod_cursor(bytes.at + LOD_TOC_AT_SECTIONS, LOD_TOC_SECTIONS * sizeof(uint64_t));
    struct lod_cursor c =
        lod_cursor(bytes.at + LOD_TOC_HEADER_BYTES, bytes.bytes - LOD_TOC_HEADER_BYTES);

    for (unsigned i = 0; i < LOD_TOC_SECTIONS; i++) {
        section[i]->bytes = (size_t)lod_take_le64(&lengths);
        section[i]->at = lod_take(&c, section[i]->bytes);
    }
    if (c.short_of_bytes || c.left) {
        return -EILSEQ;
    }
    uint64_t columns = s->column_form == LOD_TOC_LEAVES_OF_COLUMN ? s->columns : s->leaves;
    bool exact =
        s->table.bytes == (uint64_t)s->values * lod_value_bytes(s->dtype, s->value) &&
        s->leaf_values.bytes == lod_values_bytes_of(s, s->leaves) &&
        s->leaf_columns.bytes == lod_bits_bytes(columns, s->column_bits) &&
        s->batch.bytes == (s->kind == LOD_TOC_RAW ? 0 : (uint64_t)s->batches * LOD_TOC_BATCH_BYTES);
    return exact ? 0 : -EILSEQ;
}

static int check_batches(struct lod_toc_shard *s)
{
    uint64_t body = 0;

    for (uint32_t i = 0; i < s->batches; i++) {
        struct lod_batch_row row;
        int error = lod_batch_row_read(s, i, &row);
        if (error) {
            return error;
        }
        s->codes_max = row.codes > s->codes_max ? row.codes : s->codes_max;
        s->nodes_max = row.nodes > s->nodes_max ? row.nodes : s->nodes_max;
        body += row.bytes;
        if (body > s->body.bytes) {
            return -EILSEQ;
        }
    }
    return body == s->body.bytes ? 0 : -EILSEQ;
}

int lod_toc_open(struct lod_span bytes, struct lod_toc_shard *ret_shard)
{
    int error = check_header(bytes);

    if (error) {
        return error;
    }
    struct lod_toc_shard shard = fields(bytes.at);
    if (bytes.bytes > LOD_TOC_BYTES_MAX || !fields_legal(&shard)) {
        return -EILSEQ;
    }
    shard.batches = (shard.rows + shard.batch_rows - 1) / shard.batch_rows;
    if (shard.batches > LOD_TOC_BATCHES_MAX) {
        return -EILSEQ;
    }
    error = take_sections(bytes, &shard);
    if (!error) {
        error = check_batches(&shard);
    }
    if (!error) {
        *ret_shard = shard;
    }
    return error;
}

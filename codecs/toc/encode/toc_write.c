/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins the sections of a shard and chooses among its three kinds. The stages are in
 * sparse_write.c, first_layer_write.c, prefix_tree_write.c and values_write.c.
 */
#include "toc/encode/toc_write.h"

#include <errno.h>

#include "hash.h"
#include "toc/encode/shard_write.h"
#include "toc/shard/toc_format.h"

#define SAMPLE_BATCHES 4u

static uint64_t shard_bytes(const struct lod_shard_write *shard)
{
    uint64_t bytes = LOD_TOC_HEADER_BYTES;
    for (unsigned i = 0; i < LOD_TOC_SECTIONS; i++) {
        bytes += shard->section[i].bytes;
    }
    return bytes;
}

static int append_header(const struct lod_shard_write *shard, struct lod_buf *into)
{
    uint8_t header[LOD_TOC_HEADER_BYTES] = LOD_TOC_MAGIC;

    lod_put_le16(header + LOD_TOC_AT_MAJOR, LOD_TOC_MAJOR);
    lod_put_le16(header + LOD_TOC_AT_MINOR, LOD_TOC_MINOR);
    header[LOD_TOC_AT_KIND] = shard->kind;
    header[LOD_TOC_AT_DTYPE] = shard->dtype;
    header[LOD_TOC_AT_VALUE] = shard->value;
    header[LOD_TOC_AT_INDEX_BITS] = shard->index_bits;
    lod_put_le32(header + LOD_TOC_AT_ROWS, shard->rows);
    lod_put_le32(header + LOD_TOC_AT_COLUMNS, shard->columns);
    lod_put_le32(header + LOD_TOC_AT_BATCH_ROWS, shard->batch_rows);
    lod_put_le32(header + LOD_TOC_AT_LEAVES, shard->leaves);
    lod_put_le32(header + LOD_TOC_AT_VALUES, shard->values);
    header[LOD_TOC_AT_COLUMN_BITS] = shard->column_bits;
    header[LOD_TOC_AT_COLUMN_FORM] = shard->column_form;
    for (unsigned i = 0; i < LOD_TOC_SECTIONS; i++) {
        lod_put_le64(header + LOD_TOC_AT_SECTIONS + 8 * i, shard->section[i].bytes);
    }
    return lod_buf_append(into, header, sizeof(header));
}

static int append_shard(const struct lod_shard_write *shard, struct lod_buf *into)
{
    uint64_t bytes = shard_bytes(shard);
    size_t start = into->bytes;

    if (bytes > LOD_TOC_BYTES_MAX) {
        return -E2BIG;
    }
    int error = lod_buf_reserve(into, bytes);
    if (!error) {
        error = append_header(shard, into);
    }
    for (unsigned i = 0; i < LOD_TOC_SECTIONS && !error; i++) {
        error = lod_buf_append(into, shard->section[i].data, shard->section[i].bytes);
    }
    if (error) {
        into->bytes = start;
        return error;
    }
    uint8_t *header = into->data + start;
    lod_put_le64(
        header + LOD_TOC_AT_CONTENT_HASH,
        lod_hash64(header + LOD_TOC_HEADER_BYTES, (size_t)bytes - LOD_TOC_HEADER_BYTES, 0));
    lod_put_le64(header + LOD_TOC_AT_HEADER_HASH, lod_hash64(header, LOD_TOC_AT_HEADER_HASH, 0));
    return 0;
}

/* Returns the size of rows x columns unencoded; a shard must not exceed it by much. */
static uint64_t dense_bytes(const struct lod_toc_rows *rows)
{
    return (uint64_t)rows->rows * rows->columns * lod_dtype_bytes(rows->dtype);
}

/* Samples batches from the whole length of the table, as one small table. */
static int sample_rows(const struct lod_toc_rows *rows, uint32_t batch_rows,
                       struct lod_sparse *ret_sample)
{
    uint32_t batches = (rows->rows + batch_rows - 1) / batch_rows;
    struct lod_sparse sample;
    int error = lod_sparse_init(&sample, SAMPLE_BATCHES * batch_rows);

    for (uint32_t i = 0; i < SAMPLE_BATCHES && !error; i++) {
        uint32_t batch = (uint32_t)((uint64_t)i * batches / SAMPLE_BATCHES);
        error = lod_sparse_append(&sample, rows, batch * batch_rows, batch_rows);
    }
    if (error) {
        lod_sparse_finish(&sample);
        return error;
    }
    *ret_sample = sample;
    return 0;
}

static int kind_bytes(const struct lod_shard_plan *plan, const struct lod_sparse *sparse,
                      uint8_t kind, uint64_t *ret_bytes)
{
    struct lod_shard_write shard;
    int error = lod_shard_write_sparse(plan, kind, sparse, &shard);

    if (!error) {
        *ret_bytes = shard_bytes(&shard);
        lod_shard_write_finish(&shard);
    }
    return error;
}

/*
 * Chooses the kind that makes the sample smallest. Two kinds are not tried where they cannot win;
 * on noise they would take the most time.
 *
 * - CSR is not tried if nearly all elements are pairs, since it stores their columns in addition.
 * - TREE is not tried if its lower bound exceeds RAW or CSR. Its distinct values alone may do that,
 *   or, where pairs hardly repeat, a leaf and a code for each pair.
 */
static int choose(struct lod_shard_plan *plan, const struct lod_sparse *sample, uint8_t *ret_kind)
{
    uint64_t elements = (uint64_t)sample->rows * plan->columns, csr = UINT64_MAX, tree = UINT64_MAX;
    struct lod_raw_guess raw;
    int error = lod_shard_raw_guess(plan, sample, &raw);

    if (!error && lod_sparse_pairs(sample) < elements / 8 * 7) {
        error = kind_bytes(plan, sample, LOD_TOC_CSR, &csr);
    }
    if (!error && raw.tree_bytes_min <= raw.bytes && raw.tree_bytes_min <= csr) {
        error = kind_bytes(plan, sample, LOD_TOC_TREE, &tree);
    }
    if (!error) {
        plan->raw_direct = !raw.table;
        plan->distinct = 2 * raw.distinct; /* a shard has more than its sample */
        *ret_kind = tree <= csr && tree <= raw.bytes ? LOD_TOC_TREE
                    : csr < raw.bytes                ? LOD_TOC_CSR
                                                     : LOD_TOC_RAW;
    }
    return error;
}

static int choose_kind(struct lod_shard_plan *plan, const struct lod_toc_rows *rows,
                       uint8_t *ret_kind)
{
    struct lod_sparse sample;
    uint64_t batches = ((uint64_t)rows->rows + plan->batch_rows - 1) / plan->batch_rows;
    int error;

    if (batches > 2 * SAMPLE_BATCHES) {
        error = sample_rows(rows, plan->batch_rows, &sample);
    } else {
        error = lod_sparse_init(&sample, rows->rows);
        if (!error) {
            error = lod_sparse_append(&sample, rows, 0, rows->rows);
            if (error) {
                lod_sparse_finish(&sample);
            }
        }
    }
    if (!error) {
        error = choose(plan, &sample, ret_kind);
        lod_sparse_finish(&sample);
    }
    return error;
}

static int encode_sparse(const struct lod_shard_plan *plan, const struct lod_toc_rows *rows,
                         uint8_t kind, struct lod_shard_write *ret_shard)
{
    struct lod_sparse sparse;
    int error = lod_sparse_init(&sparse, rows->rows);

    if (!error) {
        error = lod_sparse_append(&sparse, rows, 0, rows->rows);
        if (!error) {
            error = lod_shard_write_sparse(plan, kind, &sparse, ret_shard);
        }
        lod_sparse_finish(&sparse);
    }
    return error;
}

static int encode(struct lod_shard_plan *plan, const struct lod_toc_rows *rows,
                  enum lod_toc_choice choice, struct lod_buf *into)
{
    struct lod_shard_write shard = {0};
    uint8_t kind = (uint8_t)choice;
    int error = 0;

    if (rows->rows == 0 || rows->columns == 0) {
        kind = LOD_TOC_RAW; /* an empty table */
    } else if (choice == LOD_TOC_CHOOSE_BEST) {
        error = choose_kind(plan, rows, &kind);
    }
    if (!error && kind != LOD_TOC_RAW) {
        error = encode_sparse(plan, rows, kind, &shard);
        if (!error && choice == LOD_TOC_CHOOSE_BEST &&
            shard_bytes(&shard) > LOD_TOC_HEADER_BYTES + dense_bytes(rows)) {
            kind = LOD_TOC_RAW;
            lod_shard_write_finish(&shard);
        }
    }
    if (!error && kind == LOD_TOC_RAW) {
        error = lod_shard_write_raw(plan, rows, &shard);
    }
    if (!error) {
        error = append_shard(&shard, into);
        lod_shard_write_finish(&shard);
    }
    return error;
}

int lod_toc_encode(const struct lod_toc_rows *rows, const struct lod_toc_options *options,
                   struct lod_buf *into)
{
    struct lod_shard_plan plan = {
        .dtype = rows->dtype,
        .columns = rows->columns,
        .batch_rows = options->batch_rows ? options->batch_rows : LOD_TOC_BATCH_ROWS,
    };

    if (!lod_dtype_legal(rows->dtype) || options->choice > LOD_TOC_CHOOSE_BEST) {
        return -EINVAL;
    }
    if (rows->rows > LOD_TOC_ROWS_MAX || rows->columns > LOD_TOC_COLUMNS_MAX ||
        plan.batch_rows > LOD_TOC_ROWS_MAX ||
        rows->rows > (uint64_t)LOD_TOC_BATCHES_MAX * plan.batch_rows) {
        return -E2BIG;
    }
    return encode(&plan, rows, options->choice, into);
}

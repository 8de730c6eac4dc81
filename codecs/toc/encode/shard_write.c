/* SPDX-License-Identifier: Apache-2.0 */
/* Writes shards of kind CSR and TREE; see shard_write.h. */
#include "toc/encode/shard_write.h"

#include <errno.h>
#include <stdlib.h>

#include "toc/shard/bits.h"
#include "toc/encode/first_layer_write.h"
#include "toc/encode/prefix_tree_write.h"

/* One batch row, a fixed-size entry for each batch. */
struct batch_row {
    uint32_t codes, nodes, empty;
    uint16_t size_min;
    uint8_t size_bits, code_bits;
};

void lod_shard_write_finish(struct lod_shard_write *shard)
{
    for (unsigned i = 0; i < LOD_TOC_SECTIONS; i++) {
        lod_buf_finish(&shard->section[i]);
    }
}

static struct lod_shard_write begun(const struct lod_shard_plan *plan, uint8_t kind, uint32_t rows)
{
    return (struct lod_shard_write){.kind = kind,
                                    .dtype = plan->dtype,
                                    .rows = rows,
                                    .columns = plan->columns,
                                    .batch_rows = plan->batch_rows};
}

static void set_values(struct lod_shard_write *shard, const struct lod_values_write *values)
{
    shard->value = values->value;
    shard->index_bits = values->table ? values->index_bits : 0;
    shard->values = values->table ? values->map.count : 0;
}

static int append_bits(struct lod_buf *into, const uint32_t *numbers, uint64_t count, unsigned bits)
{
    uint64_t bytes = lod_bits_bytes(count, bits);
    int error = lod_buf_reserve(into, bytes);

    if (!error && bytes) {
        lod_bits_pack(numbers, count, bits, into->data + into->bytes);
        into->bytes += bytes;
    }
    return error;
}

static int append_batch_row(struct lod_buf *into, const struct batch_row *row)
{
    uint8_t bytes[LOD_TOC_BATCH_BYTES];

    lod_put_le32(bytes + LOD_TOC_BATCH_AT_CODES, row->codes);
    lod_put_le32(bytes + LOD_TOC_BATCH_AT_NODES, row->nodes);
    lod_put_le32(bytes + LOD_TOC_BATCH_AT_EMPTY, row->empty);
    lod_put_le16(bytes + LOD_TOC_BATCH_AT_SIZE_MIN, row->size_min);
    bytes[LOD_TOC_BATCH_AT_SIZE_BITS] = row->size_bits;
    bytes[LOD_TOC_BATCH_AT_CODE_BITS] = row->code_bits;
    return lod_buf_append(into, bytes, sizeof(bytes));
}

/* Subtracts the smallest size from all of them and appends the differences. */
static int append_sizes(struct lod_buf *into, uint32_t *size, uint32_t rows, struct batch_row *row)
{
    uint32_t least = rows ? LOD_TOC_SIZE_MIN_MAX : 0, most = 0;

    for (uint32_t i = 0; i < rows; i++) {
        least = size[i] < least ? size[i] : least;
        most = size[i] > most ? size[i] : most;
        row->empty += size[i] == 0;
    }
    for (uint32_t i = 0; i < rows; i++) {
        size[i] -= least;
    }
    row->size_min = (uint16_t)least;
    row->size_bits = (uint8_t)lod_bits_of(most - least);
    return append_bits(into, size, rows, row->size_bits);
}

static int append_tree_batch(struct lod_shard_write *shard, struct lod_prefix_tree *tree,
                             uint32_t rows)
{
    struct lod_buf *body = &shard->section[LOD_SECTION_BODY];
    struct batch_row row = {.codes = tree->codes, .nodes = tree->nodes};
    uint32_t most = 0;
    int error = append_sizes(body, tree->size, rows, &row);

    for (uint32_t i = 0; i < tree->codes; i++) {
        most = tree->code[i] > most ? tree->code[i] : most;
    }
    row.code_bits = (uint8_t)lod_bits_of(most);
    if (!error) {
        error = append_bits(body, tree->code, tree->codes, row.code_bits);
    }
    if (!error) {
        error = append_bits(body, tree->flag, tree->flags, 1);
    }
    return error ? error : append_batch_row(&shard->section[LOD_SECTION_BATCH], &row);
}

static uint32_t rows_of_batch(uint32_t rows, uint32_t batch_rows, uint32_t first)
{
    return rows - first < batch_rows ? rows - first : batch_rows;
}

static uint32_t most_pairs(const struct lod_sparse *sparse, uint32_t batch_rows)
{
    uint32_t most = 0;

    for (uint32_t row = 0; row < sparse->rows; row += batch_rows) {
        uint32_t rows = rows_of_batch(sparse->rows, batch_rows, row);
        uint32_t pairs = sparse->start[row + rows] - sparse->start[row];
        most = pairs > most ? pairs : most;
    }
    return most;
}

static int append_tree_batches(struct lod_shard_write *shard, const struct lod_sparse *sparse,
                               const struct lod_first_layer *layer)
{
    struct lod_prefix_tree tree;
    uint32_t most_rows = rows_of_batch(sparse->rows, shard->batch_rows, 0);
    int error = lod_prefix_tree_init(&tree, most_rows, most_pairs(sparse, shard->batch_rows));

    if (error) {
        return error;
    }
    for (uint32_t row = 0; row < sparse->rows && !error; row += shard->batch_rows) {
        uint32_t rows = rows_of_batch(sparse->rows, shard->batch_rows, row);
        lod_prefix_tree_encode(&tree, layer->leaves, rows, sparse->start + row,
                               layer->leaf_of_pair);
        error = append_tree_batch(shard, &tree, rows);
    }
    lod_prefix_tree_finish(&tree);
    return error;
}

static int write_tree(struct lod_shard_write *shard, const struct lod_sparse *sparse)
{
    struct lod_first_layer layer;
    int error = lod_first_layer_init(&layer, shard->dtype, shard->columns, sparse);

    if (error) {
        return error;
    }
    struct lod_leaf_columns columns = lod_first_layer_columns(&layer, shard->columns);
    set_values(shard, &layer.values);
    shard->leaves = layer.leaves;
    shard->column_bits = columns.bits;
    shard->column_form = columns.form;
    error = lod_values_write_table(&layer.values, &shard->section[LOD_SECTION_TABLE]);
    if (!error) {
        error = lod_values_write_words(&layer.values, layer.word, layer.leaves,
                                       &shard->section[LOD_SECTION_LEAF_VALUES]);
    }
    if (!error) {
        error = lod_first_layer_write_columns(&layer, shard->columns,
                                              &shard->section[LOD_SECTION_LEAF_COLUMNS]);
    }
    if (!error) {
        error = append_tree_batches(shard, sparse, &layer);
    }
    lod_first_layer_finish(&layer);
    return error;
}

static int append_csr_batch(struct lod_shard_write *shard, const struct lod_sparse *sparse,
                            const struct lod_values_write *values, uint32_t first, uint32_t *size)
{
    struct lod_buf *body = &shard->section[LOD_SECTION_BODY];
    uint32_t rows = rows_of_batch(sparse->rows, shard->batch_rows, first);
    uint32_t from = sparse->start[first], pairs = sparse->start[first + rows] - from;
    struct batch_row row = {.codes = pairs};

    for (uint32_t i = 0; i < rows; i++) {
        size[i] = sparse->start[first + i + 1] - sparse->start[first + i];
    }
    int error = append_sizes(body, size, rows, &row);
    if (!error && pairs) {
        error = append_bits(body, sparse->column + from, pairs, shard->column_bits);
    }
    if (!error && pairs) {
        error = lod_values_write_words(values, sparse->word + from, pairs, body);
    }
    return error ? error : append_batch_row(&shard->section[LOD_SECTION_BATCH], &row);
}

static int append_csr_batches(struct lod_shard_write *shard, const struct lod_sparse *sparse,
                              const struct lod_values_write *values)
{
    uint32_t most_rows = rows_of_batch(sparse->rows, shard->batch_rows, 0);
    uint32_t *size = malloc(((size_t)most_rows + 1) * sizeof(*size));
    int error = size ? 0 : -ENOMEM;

    for (uint32_t row = 0; row < sparse->rows && !error; row += shard->batch_rows) {
        error = append_csr_batch(shard, sparse, values, row, size);
    }
    free(size);
    return error;
}

static int write_csr(struct lod_shard_write *shard, const struct lod_sparse *sparse)
{
    uint32_t pairs = lod_sparse_pairs(sparse), most = 0;
    struct lod_values_write values;
    int error = lod_values_init(&values, shard->dtype, pairs / 2 + 1, 0);

    for (uint32_t i = 0; i < pairs && !error; i++) {
        error = lod_values_add(&values, sparse->word[i], NULL);
        most = sparse->column[i] > most ? sparse->column[i] : most;
    }
    if (!error) {
        error = lod_values_settle(&values, pairs);
    }
    if (!error) {
        set_values(shard, &values);
        shard->column_bits = (uint8_t)lod_bits_of(most);
        error = lod_values_write_table(&values, &shard->section[LOD_SECTION_TABLE]);
    }
    if (!error) {
        error = append_csr_batches(shard, sparse, &values);
    }
    lod_values_finish(&values);
    return error;
}

int lod_shard_write_sparse(const struct lod_shard_plan *plan, uint8_t kind,
                           const struct lod_sparse *sparse, struct lod_shard_write *ret_shard)
{
    struct lod_shard_write shard = begun(plan, kind, sparse->rows);
    int error = kind == LOD_TOC_CSR ? write_csr(&shard, sparse) : write_tree(&shard, sparse);

    if (error) {
        lod_shard_write_finish(&shard);
        return error;
    }
    *ret_shard = shard;
    return 0;
}

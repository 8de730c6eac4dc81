/* SPDX-License-Identifier: Apache-2.0 */
/* Expands the batches of a shard into one block of memory. See matrix.h. */
#include "toc/product/matrix.h"

#include <errno.h>
#include <stdlib.h>

#include "toc/shard/batch_read.h"

#define ALIGNMENT 64u

static bool in_shard(const struct lod_toc_shard *shard, uint32_t first, uint32_t count)
{
    return first <= shard->batches && count <= shard->batches - first;
}

static uint64_t body_before(const struct lod_toc_shard *shard, uint32_t batch)
{
    uint64_t offset = 0;
    for (uint32_t i = 0; i < batch; i++) {
        (void)lod_batch_read_bytes(shard, i, &offset);
    }
    return offset;
}

uint64_t lod_toc_matrix_bytes(const struct lod_toc_shard *shard, uint32_t first, uint32_t count)
{
    uint64_t bytes = lod_round_up(count * sizeof(struct lod_toc_batch), ALIGNMENT), offset = 0;

    for (uint32_t i = 0; in_shard(shard, first, count) && i < count; i++) {
        bytes += lod_batch_read_bytes(shard, first + i, &offset);
    }
    return bytes + lod_layer_read_bytes(shard) + ALIGNMENT;
}

int lod_toc_matrix_init(const struct lod_toc_shard *shard, uint32_t first, uint32_t count,
                        void *memory, uint64_t memory_bytes, struct lod_toc_matrix *ret_matrix)
{
    uint64_t layer_bytes = lod_layer_read_bytes(shard), rows_bytes = 0, offset, next;
    struct lod_arena arena = {.at = memory, .left = memory_bytes};
    struct lod_layer_read layer;

    if (!in_shard(shard, first, count)) {
        return -EINVAL;
    }
    if (memory_bytes < lod_toc_matrix_bytes(shard, first, count)) {
        return -ENOBUFS;
    }
    rows_bytes = lod_round_up(count * sizeof(struct lod_toc_batch), ALIGNMENT);
    /* The first layer is needed only until the last batch is expanded; it lies at the end of the
     * block. */
    struct lod_arena last = {.at = (uint8_t *)memory + (memory_bytes - layer_bytes) / 64 * 64,
                             .left = layer_bytes + ALIGNMENT};
    struct lod_toc_matrix matrix = {
        .columns = shard->columns,
        .batches = count,
        .batch_rows = shard->batch_rows < shard->rows ? shard->batch_rows : shard->rows,
        .kind = shard->kind,
        .batch = memory,
    };
    arena.at += rows_bytes;
    arena.left -= rows_bytes;
    int error = lod_layer_read(shard, LOD_AS_NUMBERS, &last, &layer);
    offset = next = body_before(shard, first);
    for (uint32_t i = 0; i < count && !error; i++, offset = next) {
        struct lod_toc_batch *batch = &matrix.batch[i];
        (void)lod_batch_read_bytes(shard, first + i, &next);
        error = lod_batch_read(&layer, first + i, offset, &arena, batch);
        if (!error) {
            uint32_t numbers = shard->kind == LOD_TOC_TREE ? batch->nodes + batch->leaves : 0;
            matrix.numbers_max = numbers > matrix.numbers_max ? numbers : matrix.numbers_max;
            matrix.rows += batch->rows;
        }
    }
    matrix.bytes = memory_bytes - arena.left;
    if (!error) {
        *ret_matrix = matrix;
    }
    return error;
}

int lod_toc_matrix_create(const struct lod_toc_shard *shard, uint64_t bytes_max,
                          struct lod_toc_matrix **ret_matrix)
{
    uint64_t bytes = lod_toc_matrix_bytes(shard, 0, shard->batches);

    if (bytes > bytes_max || bytes > SIZE_MAX - ALIGNMENT) {
        return -E2BIG;
    }
    struct lod_toc_matrix *matrix = malloc(sizeof(*matrix));
    void *memory = aligned_alloc(ALIGNMENT, (size_t)lod_round_up(bytes, ALIGNMENT));
    int error = matrix && memory ? 0 : -ENOMEM;
    if (!error) {
        error = lod_toc_matrix_init(shard, 0, shard->batches, memory, bytes, matrix);
    }
    if (error) {
        free(memory);
        free(matrix);
        return error;
    }
    matrix->owned = memory;
    *ret_matrix = matrix;
    return 0;
}

void lod_toc_matrix_destroy(struct lod_toc_matrix *matrix)
{
    if (matrix) {
        free(matrix->owned);
        free(matrix);
    }
}

uint32_t lod_toc_matrix_rows(const struct lod_toc_matrix *matrix, uint32_t first, uint32_t count)
{
    uint32_t rows = 0;
    for (uint32_t i = first; i < first + count; i++) {
        rows += matrix->batch[i].rows;
    }
    return rows;
}

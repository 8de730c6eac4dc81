/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libFuzzer target: any bytes as a TOC shard, with hashes skipped. A shard is refused, or it
 * decodes to rows. Then products on the shard equal those of its rows, and the rows, encoded again,
 * decode to the same rows.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "hash.h"
#include "toc/product/matrix.h"
#include "toc/encode/toc_write.h"

#define MEMORY_MAX   (UINT64_C(16) << 20)
#define ELEMENTS_MAX 20000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

uint64_t lod_hash64(const void *bytes, size_t count, uint64_t seed)
{
    (void)bytes;
    (void)count;
    (void)seed;
    return 0;
}

static void must(bool true_, const char *what)
{
    if (!true_) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static void *room(uint64_t bytes)
{
    void *at = aligned_alloc(64, lod_round_up(bytes + 1, 64));
    must(at != NULL, "out of memory");
    return at;
}

/* Fails unless products equal those of `rows`. Compares finite sums only. */
static void expect_product(const struct lod_toc_matrix *matrix, const double *rows)
{
    uint32_t columns = matrix->columns;
    double *v = room(columns * sizeof(*v)), *got = room(matrix->rows * sizeof(*got));
    struct lod_toc_range a = {
        .matrix = matrix, .count = matrix->batches, .scratch = room(lod_toc_scratch_bytes(matrix))};

    for (uint32_t c = 0; c < columns; c++) {
        v[c] = 1 + c % 3;
    }
    lod_toc_times_vector_f8(&a, v, got);
    for (uint32_t r = 0; r < matrix->rows; r++) {
        double want = 0, size = 1;
        for (uint32_t c = 0; c < columns; c++) {
            want += rows[(size_t)r * columns + c] * v[c];
            size += fabs(rows[(size_t)r * columns + c] * v[c]);
        }
        must(!isfinite(size) || fabs(want - got[r]) <= 1e-9 * size, "a product");
    }
    double *u = room(matrix->rows * sizeof(*u)), *other = room(columns * sizeof(*other));
    for (uint32_t r = 0; r < matrix->rows; r++) {
        u[r] = r % 2;
    }
    lod_toc_vector_times_f8(&a, u, other);
    free(other);
    free(u);
    free(v);
    free(got);
    free(a.scratch);
}

static void expect_same_again(const struct lod_toc_shard *shard, const uint8_t *rows)
{
    struct lod_toc_rows source = {
        .dtype = shard->dtype, .rows = shard->rows, .columns = shard->columns, .dense = rows};
    uint64_t bytes = lod_toc_source_bytes(shard, shard->rows);
    struct lod_toc_options options = {.batch_rows = shard->batch_rows,
                                      .choice = (enum lod_toc_choice)shard->kind};
    struct lod_toc_shard again;
    struct lod_buf into = {0};
    uint8_t *back = room(bytes);

    must(lod_toc_encode(&source, &options, &into) == 0, "decoded rows cannot be encoded");
    must(lod_toc_open(lod_buf_span(&into), &again) == 0, "an encoded shard cannot be opened");
    must(lod_toc_decode(&again, 0, again.rows, back, bytes) == 0,
         "an encoded shard cannot be decoded");
    must(bytes == 0 || memcmp(back, rows, bytes) == 0, "the rows differ after encoding");
    lod_buf_finish(&into);
    free(back);
}

static void look(const struct lod_toc_shard *shard)
{
    uint64_t bytes = lod_toc_source_bytes(shard, shard->rows);
    struct lod_toc_matrix *matrix = NULL;
    uint8_t *rows = room(bytes);
    double *numbers = room((uint64_t)shard->rows * shard->columns * sizeof(*numbers));
    int error = lod_toc_decode(shard, 0, shard->rows, rows, bytes);

    must(error == 0 || error == -EILSEQ, "the error of decoding is not EILSEQ");
    must(lod_toc_decode_f8(shard, 0, shard->rows, numbers) == error,
         "decoding to doubles returns another error");
    if (lod_toc_matrix_bytes(shard, 0, shard->batches) <= MEMORY_MAX) {
        must(lod_toc_matrix_create(shard, MEMORY_MAX, &matrix) == error,
             "creating a matrix returns another error");
    }
    if (matrix && lod_toc_scratch_bytes(matrix) <= MEMORY_MAX) {
        expect_product(matrix, numbers);
    }
    if (!error) {
        expect_same_again(shard, rows);
    }
    lod_toc_matrix_destroy(matrix);
    free(numbers);
    free(rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct lod_toc_shard shard;

    if (lod_toc_open((struct lod_span){data, bytes}, &shard) == 0 &&
        shard.columns <= ELEMENTS_MAX && (uint64_t)shard.rows * shard.columns <= ELEMENTS_MAX &&
        lod_toc_work_bytes(&shard) <= MEMORY_MAX) {
        look(&shard);
    }
    return 0;
}

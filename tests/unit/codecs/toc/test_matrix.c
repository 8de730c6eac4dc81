/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>

#include "toc/product/matrix.h"
#include "toc_samples.h"

#define K 11 /* a whole tile and part of one */

struct operands {
    uint32_t rows, columns;
    double *dense;
    double *v, *u, *m, *l; /* columns, rows, columns x K, K x rows */
    double *got, *want;    /* room for the largest result */
};

static double *numbers(struct sample_chance *chance, size_t count)
{
    double *n = malloc((count + 1) * sizeof(*n));
    for (size_t i = 0; i < count; i++) {
        n[i] = (double)sample_below(chance, 2001) / 1000 - 1;
    }
    return n;
}

static struct operands operands(struct sample_chance *chance, uint32_t rows, uint32_t columns)
{
    size_t most = (size_t)(rows > columns ? rows : columns) * K;
    struct operands o = {.rows = rows, .columns = columns};
    o.dense = numbers(chance, (size_t)rows * columns);
    o.v = numbers(chance, columns);
    o.u = numbers(chance, rows);
    o.m = numbers(chance, (size_t)columns * K);
    o.l = numbers(chance, (size_t)rows * K);
    o.got = numbers(chance, most);
    o.want = numbers(chance, most);
    return o;
}

static void operands_finish(struct operands *o)
{
    free(o->dense);
    free(o->v);
    free(o->u);
    free(o->m);
    free(o->l);
    free(o->got);
    free(o->want);
}

/* Multiplies rows x inner by inner x columns in plain loops. */
static void multiply(const double *a, const double *b, uint32_t rows, uint32_t inner,
                     uint32_t columns, double *into)
{
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t c = 0; c < columns; c++) {
            double sum = 0;
            for (uint32_t i = 0; i < inner; i++) {
                sum += a[(size_t)r * inner + i] * b[(size_t)i * columns + c];
            }
            into[(size_t)r * columns + c] = sum;
        }
    }
}

static void expect_near(const double *got, const double *want, size_t count, double near,
                        const char *what)
{
    for (size_t i = 0; i < count; i++) {
        cr_assert_leq(fabs(got[i] - want[i]), near * (1 + fabs(want[i])), "%s at %zu: %g, not %g",
                      what, i, got[i], want[i]);
    }
}

static float *as_floats(const double *from, size_t count)
{
    float *f = malloc((count + 1) * sizeof(*f));
    for (size_t i = 0; i < count; i++) {
        f[i] = (float)from[i];
    }
    return f;
}

static void as_doubles(const float *from, size_t count, double *into)
{
    for (size_t i = 0; i < count; i++) {
        into[i] = from[i];
    }
}

static void expect_doubles(const struct lod_toc_range *a, struct operands *o)
{
    multiply(o->dense, o->v, o->rows, o->columns, 1, o->want);
    lod_toc_times_vector_f8(a, o->v, o->got);
    expect_near(o->got, o->want, o->rows, 1e-12, "A v");
    multiply(o->u, o->dense, 1, o->rows, o->columns, o->want);
    lod_toc_vector_times_f8(a, o->u, o->got);
    expect_near(o->got, o->want, o->columns, 1e-12, "v A");
    multiply(o->dense, o->m, o->rows, o->columns, K, o->want);
    lod_toc_times_matrix_f8(a, o->m, K, o->got);
    expect_near(o->got, o->want, (size_t)o->rows * K, 1e-12, "A M");
    multiply(o->l, o->dense, K, o->rows, o->columns, o->want);
    lod_toc_matrix_times_f8(a, o->l, K, o->got);
    expect_near(o->got, o->want, (size_t)o->columns * K, 1e-12, "M A");
}

static void expect_floats(const struct lod_toc_range *a, struct operands *o)
{
    size_t most = (size_t)(o->rows > o->columns ? o->rows : o->columns) * K;
    float *v = as_floats(o->v, o->columns), *u = as_floats(o->u, o->rows);
    float *m = as_floats(o->m, (size_t)o->columns * K), *l = as_floats(o->l, (size_t)o->rows * K);
    float *got = as_floats(o->got, most);

    multiply(o->dense, o->v, o->rows, o->columns, 1, o->want);
    lod_toc_times_vector_f4(a, v, got);
    as_doubles(got, o->rows, o->got);
    expect_near(o->got, o->want, o->rows, 1e-4, "A v in float");
    multiply(o->u, o->dense, 1, o->rows, o->columns, o->want);
    lod_toc_vector_times_f4(a, u, got);
    as_doubles(got, o->columns, o->got);
    expect_near(o->got, o->want, o->columns, 1e-4, "v A in float");
    multiply(o->dense, o->m, o->rows, o->columns, K, o->want);
    lod_toc_times_matrix_f4(a, m, K, got);
    as_doubles(got, (size_t)o->rows * K, o->got);
    expect_near(o->got, o->want, (size_t)o->rows * K, 1e-4, "A M in float");
    multiply(o->l, o->dense, K, o->rows, o->columns, o->want);
    lod_toc_matrix_times_f4(a, l, K, got);
    as_doubles(got, (size_t)o->columns * K, o->got);
    expect_near(o->got, o->want, (size_t)o->columns * K, 1e-4, "M A in float");
    free(v);
    free(u);
    free(m);
    free(l);
    free(got);
}

static void expect_products(struct operands *o, enum lod_toc_choice choice, uint32_t batch_rows)
{
    struct lod_toc_rows rows = {
        .dtype = LOD_DTYPE_F8, .rows = o->rows, .columns = o->columns, .dense = o->dense};
    struct lod_toc_matrix *matrix;
    struct lod_buf bytes;
    struct lod_toc_shard shard = sample_shard(&rows, choice, batch_rows, &bytes);

    cr_assert_eq(lod_toc_matrix_create(&shard, UINT64_MAX, &matrix), 0);
    cr_assert_leq(matrix->bytes, lod_toc_matrix_bytes(&shard, 0, shard.batches));
    lod_buf_finish(&bytes); /* a matrix does not need the shard's bytes */
    cr_assert_eq(lod_toc_matrix_rows(matrix, 0, matrix->batches), o->rows);
    struct lod_toc_range a = {
        .matrix = matrix,
        .count = matrix->batches,
        .scratch = aligned_alloc(64, lod_round_up(lod_toc_scratch_bytes(matrix), 64)),
    };
    expect_doubles(&a, o);
    expect_floats(&a, o);
    free(a.scratch);
    lod_toc_matrix_destroy(matrix);
}

Test(matrix, products_equal_the_plain_ones)
{
    struct sample_chance chance = {.state = 5};

    for (unsigned i = 0; i < 60; i++) {
        uint32_t rows = 1 + (uint32_t)sample_below(&chance, 70);
        uint32_t columns = 1 + (uint32_t)sample_below(&chance, 50);
        struct operands o = operands(&chance, rows, columns);
        for (size_t e = 0; i % 3 && e < (size_t)rows * columns; e++) {
            uint64_t any = i % 3 == 1 ? sample_below(&chance, 4) : (e / columns * 7 + e) % 5;
            o.dense[e] = any ? 0 : (double)(e % columns % 3) - 0.25;
        }
        for (unsigned choice = 0; choice <= LOD_TOC_CHOOSE_BEST; choice++) {
            expect_products(&o, (enum lod_toc_choice)choice,
                            1 + (uint32_t)sample_below(&chance, 40));
        }
        operands_finish(&o);
    }
}

Test(matrix, a_range_of_batches_is_a_table_of_its_own)
{
    struct sample_chance chance = {.state = 6};
    struct operands o = operands(&chance, 30, 9);
    struct lod_toc_rows rows = {.dtype = LOD_DTYPE_F8, .rows = 30, .columns = 9, .dense = o.dense};

    for (unsigned kind = 0; kind <= LOD_TOC_TREE; kind++) {
        struct lod_buf bytes;
        struct lod_toc_shard shard = sample_shard(&rows, (enum lod_toc_choice)kind, 8, &bytes);
        struct lod_toc_matrix matrix;
        uint64_t need = lod_toc_matrix_bytes(&shard, 1, 2);
        void *memory = aligned_alloc(64, lod_round_up(need, 64));
        cr_assert_eq(lod_toc_matrix_init(&shard, 1, 2, memory, need - 1, &matrix), -ENOBUFS);
        cr_assert_eq(lod_toc_matrix_init(&shard, 3, 2, memory, need, &matrix), -EINVAL);
        cr_assert_eq(lod_toc_matrix_init(&shard, 1, 2, memory, need, &matrix), 0);
        cr_assert_eq(matrix.rows, 16);
        void *scratch = aligned_alloc(64, lod_round_up(lod_toc_scratch_bytes(&matrix), 64));
        struct lod_toc_range a = {.matrix = &matrix, .first = 1, .count = 1, .scratch = scratch};
        multiply(o.dense + 16 * 9, o.v, 8, 9, 1, o.want);
        lod_toc_times_vector_f8(&a, o.v, o.got);
        expect_near(o.got, o.want, 8, 1e-12, "A v");
        multiply(o.u, o.dense + 16 * 9, 1, 8, 9, o.want);
        lod_toc_vector_times_f8(&a, o.u, o.got);
        expect_near(o.got, o.want, 9, 1e-12, "v A");
        free(scratch);
        free(memory);
        struct lod_toc_matrix *none = NULL;
        cr_assert_eq(lod_toc_matrix_create(&shard, 100, &none), -E2BIG);
        lod_buf_finish(&bytes);
    }
    lod_toc_matrix_destroy(NULL);
    operands_finish(&o);
}

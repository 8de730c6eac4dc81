/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the four products of a batch in each form; see batch_forms.h. */
#include <assert.h>
#include <cblas.h>
#include <string.h>

#include "batch_forms.h"

/*
 * Ends the program on an error: liblodfs refuses only wrong ranges and sizes, which would be our
 * bug.
 */
static void sure(int result)
{
    assert(result == 0);
    (void)result;
}

static void csr_times(const struct ready *a, const double *m, uint32_t k, double *into)
{
    memset(into, 0, (size_t)a->rows * k * sizeof(*into));
    for (uint32_t r = 0; r < a->rows; r++) {
        for (uint32_t i = a->start[r]; i < a->start[r + 1]; i++) {
            for (uint32_t t = 0; t < k; t++) {
                into[(size_t)r * k + t] += a->value[i] * m[(size_t)a->column[i] * k + t];
            }
        }
    }
}

static void csr_times_vector(const struct ready *a, const double *v, double *into)
{
    for (uint32_t r = 0; r < a->rows; r++) {
        double sum = 0;
        for (uint32_t i = a->start[r]; i < a->start[r + 1]; i++) {
            sum += a->value[i] * v[a->column[i]];
        }
        into[r] = sum;
    }
}

static void csr_back(const struct ready *a, const double *v, double *into)
{
    memset(into, 0, a->columns * sizeof(*into));
    for (uint32_t r = 0; r < a->rows; r++) {
        for (uint32_t i = a->start[r]; i < a->start[r + 1]; i++) {
            into[a->column[i]] += a->value[i] * v[r];
        }
    }
}

void ready_times(const struct ready *a, const double *v, double *into)
{
    if (a->dense) {
        cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)a->rows, (int)a->columns, 1, a->dense,
                    (int)a->columns, v, 1, 0, into, 1);
    } else if (a->start) {
        csr_times_vector(a, v, into);
    } else if (a->table) {
        sure(lodfs_table_times_vector_f8(a->table, a->batch, 1, v, into, a->scratch, NULL));
    } else {
        lod_toc_times_vector_f8(&a->toc, v, into);
    }
}

void ready_back(const struct ready *a, const double *v, double *into)
{
    if (a->dense) {
        cblas_dgemv(CblasRowMajor, CblasTrans, (int)a->rows, (int)a->columns, 1, a->dense,
                    (int)a->columns, v, 1, 0, into, 1);
    } else if (a->start) {
        csr_back(a, v, into);
    } else if (a->table) {
        sure(lodfs_table_vector_times_f8(a->table, a->batch, 1, v, into, a->scratch, NULL));
    } else {
        lod_toc_vector_times_f8(&a->toc, v, into);
    }
}

void ready_times_matrix(const struct ready *a, const double *m, uint32_t k, double *into)
{
    if (a->dense) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)a->rows, (int)k,
                    (int)a->columns, 1, a->dense, (int)a->columns, m, (int)k, 0, into, (int)k);
    } else if (a->start) {
        csr_times(a, m, k, into);
    } else if (a->table) {
        sure(lodfs_table_times_matrix_f8(a->table, a->batch, 1, m, k, into, a->scratch, NULL));
    } else {
        lod_toc_times_matrix_f8(&a->toc, m, k, into);
    }
}

void ready_matrix_times(const struct ready *a, const double *m, uint32_t k, double *into)
{
    if (a->dense) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)k, (int)a->columns,
                    (int)a->rows, 1, m, (int)a->rows, a->dense, (int)a->columns, 0, into,
                    (int)a->columns);
    } else if (a->start) {
        for (uint32_t t = 0; t < k; t++) {
            csr_back(a, m + (size_t)t * a->rows, into + (size_t)t * a->columns);
        }
    } else if (a->table) {
        sure(lodfs_table_matrix_times_f8(a->table, a->batch, 1, m, k, into, a->scratch, NULL));
    } else {
        lod_toc_matrix_times_f8(&a->toc, m, k, into);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products on batches (theorems 4.1, 4.2, B.1 and B.2 of the paper), in double and in float: the
 * loops are products_body.h, once for each. See matrix.h.
 */
#include "toc/matrix.h"

#include <string.h>

#include "toc/batch_read.h"

/* Columns or rows of the dense matrix that are worked on at a time: one cache line of doubles. */
#define TILE 8u

uint64_t lod_toc_scratch_bytes(const struct lod_toc_matrix *matrix)
{
    return ((uint64_t)matrix->numbers_max + matrix->batch_rows + 1) * TILE * sizeof(double);
}

#define REAL    double
#define NAME(x) x##_f8
#include "toc/products_body.h"
#undef REAL
#undef NAME

#define REAL    float
#define NAME(x) x##_f4
#include "toc/products_body.h"

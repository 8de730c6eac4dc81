/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A v and v A, for REAL. In a batch of kind TREE, h has a sum for each node and leaf:
 * for A v that of the sequence which it stands for, for v A that of all places which have it.
 * No include guard: products.c includes this twice.
 */
#include <stdint.h>
#include <string.h>

#include "toc/batch_read.h"
#include "toc/matrix.h"

#ifndef REAL /* read alone */
#define REAL    double
#define NAME(x) x##_f8
#define WIDEST
#define INLINE static inline
typedef double vector_f8 __attribute__((vector_size(64)));
#endif

#define LANES ((uint32_t)(sizeof(NAME(vector)) / sizeof(REAL)))

static REAL NAME(row_sum)(const REAL *h, const uint32_t *code, uint32_t count)
{
    REAL sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += h[code[i]];
    }
    return sum;
}

static void NAME(tree_times_vector)(const struct lod_toc_batch *b, const REAL *v, REAL *h,
                                    REAL *into)
{
    REAL *leaf = h + b->nodes;

    for (uint32_t j = 0; j < b->leaves; j++) {
        leaf[j] = (REAL)b->number[j] * v[b->column[j]];
    }
    for (uint32_t n = 0; n < b->nodes; n++) {
        h[n] = h[b->parent[n]] + h[b->key[n]];
    }
    for (uint32_t r = 0; r < b->rows; r++) {
        into[r] = NAME(row_sum)(h, b->code + b->start[r], b->start[r + 1] - b->start[r]);
    }
}

static void NAME(csr_times_vector)(const struct lod_toc_batch *b, const REAL *v, REAL *into)
{
    for (uint32_t r = 0; r < b->rows; r++) {
        REAL sum = 0;
        for (uint32_t i = b->start[r]; i < b->start[r + 1]; i++) {
            sum += (REAL)b->number[i] * v[b->column[i]];
        }
        into[r] = sum;
    }
}

INLINE void NAME(numbers)(NAME(vector) * into, const lod_number *from)
{
    for (uint32_t i = 0; i < LANES; i++) {
        (*into)[i] = (REAL)from[i];
    }
}

/* A sum for each lane: the order of the sum is the same everywhere. */
WIDEST static void NAME(raw_times_vector)(const struct lod_toc_batch *b, uint32_t columns,
                                          const REAL *v, REAL *into)
{
    for (uint32_t r = 0; r < b->rows; r++) {
        const lod_number *row = b->number + (uint64_t)r * columns;
        NAME(vector) sum = {0}, left, right;
        REAL total = 0;
        uint32_t c = 0;
        for (; c + LANES <= columns; c += LANES) {
            NAME(numbers)(&left, row + c);
            memcpy(&right, v + c, sizeof(right));
            sum += left * right;
        }
        for (; c < columns; c++) {
            total += (REAL)row[c] * v[c];
        }
        for (uint32_t i = 0; i < LANES; i++) {
            total += sum[i];
        }
        into[r] = total;
    }
}

void NAME(lod_toc_times_vector)(const struct lod_toc_range *a, const REAL *v, REAL *into)
{
    for (uint32_t i = a->first; i < a->first + a->count; i++) {
        const struct lod_toc_batch *b = &a->matrix->batch[i];
        switch (a->matrix->kind) {
        case LOD_TOC_RAW:
            NAME(raw_times_vector)(b, a->matrix->columns, v, into);
            break;
        case LOD_TOC_CSR:
            NAME(csr_times_vector)(b, v, into);
            break;
        default:
            NAME(tree_times_vector)(b, v, a->scratch, into);
        }
        into += b->rows;
    }
}

/* What rows give to their codes goes down the tree: to the parent, and to the key's leaf. */
static void NAME(vector_times_tree)(const struct lod_toc_batch *b, const REAL *v, REAL *h,
                                    REAL *into)
{
    const REAL *leaf = h + b->nodes;

    memset(h, 0, ((size_t)b->nodes + b->leaves) * sizeof(*h));
    for (uint32_t r = 0; r < b->rows; r++) {
        for (uint32_t i = b->start[r]; i < b->start[r + 1]; i++) {
            h[b->code[i]] += v[r];
        }
    }
    for (uint32_t n = b->nodes; n-- > 0;) {
        h[b->parent[n]] += h[n];
        h[b->key[n]] += h[n];
    }
    for (uint32_t j = 0; j < b->leaves; j++) {
        into[b->column[j]] += (REAL)b->number[j] * leaf[j];
    }
}

static void NAME(vector_times_csr)(const struct lod_toc_batch *b, const REAL *v, REAL *into)
{
    for (uint32_t r = 0; r < b->rows; r++) {
        for (uint32_t i = b->start[r]; i < b->start[r + 1]; i++) {
            into[b->column[i]] += (REAL)b->number[i] * v[r];
        }
    }
}

WIDEST static void NAME(vector_times_raw)(const struct lod_toc_batch *b, uint32_t columns,
                                          const REAL *v, REAL *restrict into)
{
    for (uint32_t r = 0; r < b->rows; r++) {
        const lod_number *row = b->number + (uint64_t)r * columns;
        for (uint32_t c = 0; c < columns; c++) {
            into[c] += (REAL)row[c] * v[r];
        }
    }
}

void NAME(lod_toc_vector_times)(const struct lod_toc_range *a, const REAL *v, REAL *into)
{
    if (!a->adds) {
        memset(into, 0, a->matrix->columns * sizeof(*into));
    }
    for (uint32_t i = a->first; i < a->first + a->count; i++) {
        const struct lod_toc_batch *b = &a->matrix->batch[i];
        switch (a->matrix->kind) {
        case LOD_TOC_RAW:
            NAME(vector_times_raw)(b, a->matrix->columns, v, into);
            break;
        case LOD_TOC_CSR:
            NAME(vector_times_csr)(b, v, into);
            break;
        default:
            NAME(vector_times_tree)(b, v, a->scratch, into);
        }
        v += b->rows;
    }
}

#undef LANES

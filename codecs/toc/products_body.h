/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loops of products.c, for REAL. In a batch of kind TREE, h has a sum for each node and leaf:
 * for A v that of the sequence which it stands for, for v A that of all places which have it.
 * A tile is TILE columns of M side by side. No include guard: products.c includes this twice.
 */
#include <stdint.h>
#include <string.h>

#include "toc/batch_read.h"
#include "toc/matrix.h"

#ifndef REAL /* read alone */
#define REAL    double
#define NAME(x) x##_f8
#define TILE    8u
#endif

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

static void NAME(raw_times_vector)(const struct lod_toc_batch *b, uint32_t columns, const REAL *v,
                                   REAL *into)
{
    for (uint32_t r = 0; r < b->rows; r++) {
        const lod_number *row = b->number + (uint64_t)r * columns;
        REAL sum = 0;
        for (uint32_t c = 0; c < columns; c++) {
            sum += (REAL)row[c] * v[c];
        }
        into[r] = sum;
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

static void NAME(vector_times_raw)(const struct lod_toc_batch *b, uint32_t columns, const REAL *v,
                                   REAL *into)
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
    memset(into, 0, a->matrix->columns * sizeof(*into));
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

/* A tile, and what is done with one; `wide` is TILE but for the last columns of M. */
static inline void NAME(add)(REAL *into, const REAL *from)
{
    for (unsigned t = 0; t < TILE; t++) {
        into[t] += from[t];
    }
}

static inline void NAME(load)(REAL *into, const REAL *from, unsigned wide, REAL factor)
{
    for (unsigned t = 0; t < TILE; t++) {
        into[t] = t < wide ? factor * from[t] : 0;
    }
}

static void NAME(tree_tile)(const struct lod_toc_batch *b, const REAL *m, uint32_t k, unsigned wide,
                            REAL *h, REAL *into)
{
    REAL *leaf = h + (size_t)b->nodes * TILE;

    for (uint32_t j = 0; j < b->leaves; j++) {
        NAME(load)
        (leaf + (size_t)j * TILE, m + (uint64_t)b->column[j] * k, wide, (REAL)b->number[j]);
    }
    for (uint32_t n = 0; n < b->nodes; n++) {
        NAME(load)(h + (size_t)n * TILE, h + (size_t)b->parent[n] * TILE, TILE, 1);
        NAME(add)(h + (size_t)n * TILE, h + (size_t)b->key[n] * TILE);
    }
    for (uint32_t r = 0; r < b->rows; r++) {
        REAL sum[TILE] = {0};
        for (uint32_t i = b->start[r]; i < b->start[r + 1]; i++) {
            NAME(add)(sum, h + (size_t)b->code[i] * TILE);
        }
        memcpy(into + (uint64_t)r * k, sum, wide * sizeof(*sum));
    }
}

static void NAME(csr_tile)(const struct lod_toc_batch *b, const REAL *m, uint32_t k, unsigned wide,
                           REAL *into)
{
    for (uint32_t r = 0; r < b->rows; r++) {
        REAL sum[TILE] = {0}, term[TILE];
        for (uint32_t i = b->start[r]; i < b->start[r + 1]; i++) {
            NAME(load)(term, m + (uint64_t)b->column[i] * k, wide, (REAL)b->number[i]);
            NAME(add)(sum, term);
        }
        memcpy(into + (uint64_t)r * k, sum, wide * sizeof(*sum));
    }
}

static void NAME(raw_tile)(const struct lod_toc_batch *b, uint32_t columns, const REAL *m,
                           uint32_t k, unsigned wide, REAL *into)
{
    for (uint32_t r = 0; r < b->rows; r++) {
        const lod_number *row = b->number + (uint64_t)r * columns;
        REAL sum[TILE] = {0}, term[TILE];
        for (uint32_t c = 0; c < columns; c++) {
            NAME(load)(term, m + (uint64_t)c * k, wide, (REAL)row[c]);
            NAME(add)(sum, term);
        }
        memcpy(into + (uint64_t)r * k, sum, wide * sizeof(*sum));
    }
}

void NAME(lod_toc_times_matrix)(const struct lod_toc_range *a, const REAL *m, uint32_t k,
                                REAL *into)
{
    for (uint32_t i = a->first; i < a->first + a->count; i++) {
        const struct lod_toc_batch *b = &a->matrix->batch[i];
        for (uint32_t t = 0; t < k; t += TILE) {
            unsigned wide = k - t < TILE ? k - t : TILE;
            switch (a->matrix->kind) {
            case LOD_TOC_RAW:
                NAME(raw_tile)(b, a->matrix->columns, m + t, k, wide, into + t);
                break;
            case LOD_TOC_CSR:
                NAME(csr_tile)(b, m + t, k, wide, into + t);
                break;
            default:
                NAME(tree_tile)(b, m + t, k, wide, a->scratch, into + t);
            }
        }
        into += (uint64_t)b->rows * k;
    }
}

/* One column of A, that of a value, gives to a column of the result. */
static inline void NAME(give)(REAL *into, uint32_t columns, unsigned wide, REAL number,
                              const REAL *from)
{
    for (unsigned t = 0; t < wide; t++) {
        into[(uint64_t)t * columns] += number * from[t];
    }
}

static void NAME(tile_tree)(const struct lod_toc_batch *b, uint32_t columns, const REAL *rows,
                            unsigned wide, REAL *h, REAL *into)
{
    const REAL *leaf = h + (size_t)b->nodes * TILE;

    memset(h, 0, ((size_t)b->nodes + b->leaves) * TILE * sizeof(*h));
    for (uint32_t r = 0; r < b->rows; r++) {
        for (uint32_t i = b->start[r]; i < b->start[r + 1]; i++) {
            NAME(add)(h + (size_t)b->code[i] * TILE, rows + (size_t)r * TILE);
        }
    }
    for (uint32_t n = b->nodes; n-- > 0;) {
        NAME(add)(h + (size_t)b->parent[n] * TILE, h + (size_t)n * TILE);
        NAME(add)(h + (size_t)b->key[n] * TILE, h + (size_t)n * TILE);
    }
    for (uint32_t j = 0; j < b->leaves; j++) {
        NAME(give)(into + b->column[j], columns, wide, (REAL)b->number[j], leaf + (size_t)j * TILE);
    }
}

static void NAME(tile_csr)(const struct lod_toc_batch *b, uint32_t columns, const REAL *rows,
                           unsigned wide, REAL *into)
{
    for (uint32_t r = 0; r < b->rows; r++) {
        for (uint32_t i = b->start[r]; i < b->start[r + 1]; i++) {
            NAME(give)
            (into + b->column[i], columns, wide, (REAL)b->number[i], rows + (size_t)r * TILE);
        }
    }
}

static void NAME(tile_raw)(const struct lod_toc_batch *b, uint32_t columns, const REAL *rows,
                           unsigned wide, REAL *into)
{
    for (uint32_t r = 0; r < b->rows; r++) {
        const lod_number *row = b->number + (uint64_t)r * columns;
        for (unsigned t = 0; t < wide; t++) {
            for (uint32_t c = 0; c < columns; c++) {
                into[(uint64_t)t * columns + c] += (REAL)row[c] * rows[(size_t)r * TILE + t];
            }
        }
    }
}

/* TILE rows of M side by side: element r of each in one run of TILE. */
static void NAME(turn)(const REAL *m, uint32_t all_rows, uint32_t rows, unsigned wide, REAL *into)
{
    for (uint32_t r = 0; r < rows; r++) {
        for (unsigned t = 0; t < TILE; t++) {
            into[(size_t)r * TILE + t] = t < wide ? m[(uint64_t)t * all_rows + r] : 0;
        }
    }
}

void NAME(lod_toc_matrix_times)(const struct lod_toc_range *a, const REAL *m, uint32_t k,
                                REAL *into)
{
    uint32_t columns = a->matrix->columns;
    uint32_t all_rows = lod_toc_matrix_rows(a->matrix, a->first, a->count);
    REAL *rows = a->scratch, *h = rows + (size_t)a->matrix->batch_rows * TILE;

    memset(into, 0, (size_t)k * columns * sizeof(*into));
    for (uint32_t i = a->first; i < a->first + a->count; i++) {
        const struct lod_toc_batch *b = &a->matrix->batch[i];
        for (uint32_t t = 0; t < k; t += TILE) {
            unsigned wide = k - t < TILE ? k - t : TILE;
            REAL *to = into + (uint64_t)t * columns;
            NAME(turn)(m + (uint64_t)t * all_rows, all_rows, b->rows, wide, rows);
            switch (a->matrix->kind) {
            case LOD_TOC_RAW:
                NAME(tile_raw)(b, columns, rows, wide, to);
                break;
            case LOD_TOC_CSR:
                NAME(tile_csr)(b, columns, rows, wide, to);
                break;
            default:
                NAME(tile_tree)(b, columns, rows, wide, h, to);
            }
        }
        m += b->rows;
    }
}

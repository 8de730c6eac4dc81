/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A M and M A, for REAL, a tile at a time. In scratch each node and leaf of a batch has a tile of
 * its own, see products_body.h. The functions that are inlined get `vectors` (of a tile) and
 * `lanes` (of its last vector, the others being full) as constants. No include guard: products.c
 * includes this twice.
 */
#include <stdint.h>
#include <string.h>

#include "toc/batch_read.h"
#include "toc/matrix.h"

#ifndef REAL /* read alone */
#define REAL    double
#define NAME(x) x##_f8
#define INLINE  static inline
#define WIDEST
typedef double vector_f8 __attribute__((vector_size(64)));
struct tile {
    uint32_t start, width, skip;
};
struct tile next_tile(uint32_t done, uint32_t k, uint32_t lanes);
uint32_t summed_columns(const struct lod_toc_matrix *matrix);
void lod_toc_vector_times_f8(const struct lod_toc_range *a, const double *v, double *into);
#endif

#define VECTOR NAME(vector)
#define LANES  ((uint32_t)(sizeof(VECTOR) / sizeof(REAL)))

INLINE void NAME(load)(VECTOR *into, const REAL *from, unsigned vectors, unsigned lanes)
{
    for (unsigned i = 0; i < vectors; i++) {
        into[i] = (VECTOR){0};
        memcpy(&into[i], from + i * LANES, (i + 1 < vectors ? LANES : lanes) * sizeof(REAL));
    }
}

INLINE void NAME(store)(REAL *into, const VECTOR *from, unsigned vectors, unsigned lanes)
{
    for (unsigned i = 0; i < vectors; i++) {
        memcpy(into + i * LANES, &from[i], (i + 1 < vectors ? LANES : lanes) * sizeof(REAL));
    }
}

INLINE void NAME(add)(VECTOR *into, const VECTOR *from, unsigned vectors)
{
    for (unsigned i = 0; i < vectors; i++) {
        into[i] += from[i];
    }
}

INLINE void NAME(add_times)(VECTOR *into, const VECTOR *from, REAL number, unsigned vectors)
{
    for (unsigned i = 0; i < vectors; i++) {
        into[i] += from[i] * number;
    }
}

INLINE void NAME(tree_tile)(const struct lod_toc_batch *b, const REAL *m, uint32_t k, VECTOR *h,
                            REAL *into, unsigned vectors, unsigned lanes)
{
    VECTOR *leaf = h + (size_t)b->nodes * vectors;

    for (uint32_t j = 0; j < b->leaves; j++, leaf += vectors) {
        NAME(load)(leaf, m + (uint64_t)b->column[j] * k, vectors, lanes);
        for (unsigned i = 0; i < vectors; i++) {
            leaf[i] *= (REAL)b->number[j];
        }
    }
    for (uint32_t n = 0; n < b->nodes; n++) {
        const VECTOR *parent = h + (size_t)b->parent[n] * vectors;
        const VECTOR *key = h + (size_t)b->key[n] * vectors;
        for (unsigned i = 0; i < vectors; i++) {
            h[(size_t)n * vectors + i] = parent[i] + key[i];
        }
    }
    for (uint32_t r = 0; r < b->rows; r++) {
        VECTOR sum[2] = {{0}};
        for (uint32_t i = b->start[r]; i < b->start[r + 1]; i++) {
            NAME(add)(sum, h + (size_t)b->code[i] * vectors, vectors);
        }
        NAME(store)(into + (uint64_t)r * k, sum, vectors, lanes);
    }
}

INLINE void NAME(csr_tile)(const struct lod_toc_batch *b, const REAL *m, uint32_t k, REAL *into,
                           unsigned vectors, unsigned lanes)
{
    for (uint32_t r = 0; r < b->rows; r++) {
        VECTOR sum[2] = {{0}}, term[2];
        for (uint32_t i = b->start[r]; i < b->start[r + 1]; i++) {
            NAME(load)(term, m + (uint64_t)b->column[i] * k, vectors, lanes);
            NAME(add_times)(sum, term, (REAL)b->number[i], vectors);
        }
        NAME(store)(into + (uint64_t)r * k, sum, vectors, lanes);
    }
}

/* `rows` rows at once share what is loaded of M. */
INLINE void NAME(raw_rows)(const lod_number *row, uint32_t columns, const REAL *m, uint32_t k,
                           REAL *into, unsigned rows, unsigned vectors, unsigned lanes)
{
    VECTOR sum[4][2] = {{{0}}}, term[2];

    for (uint32_t c = 0; c < columns; c++) {
        NAME(load)(term, m + (uint64_t)c * k, vectors, lanes);
        for (unsigned r = 0; r < rows; r++) {
            NAME(add_times)(sum[r], term, (REAL)row[(uint64_t)r * columns + c], vectors);
        }
    }
    for (unsigned r = 0; r < rows; r++) {
        NAME(store)(into + (uint64_t)r * k, sum[r], vectors, lanes);
    }
}

INLINE void NAME(raw_tile)(const struct lod_toc_batch *b, uint32_t columns, const REAL *m,
                           uint32_t k, REAL *into, unsigned vectors, unsigned lanes)
{
    uint32_t r = 0;

    for (; r + 4 <= b->rows; r += 4) {
        NAME(raw_rows)
        (b->number + (uint64_t)r * columns, columns, m, k, into + (uint64_t)r * k, 4, vectors,
         lanes);
    }
    for (; r < b->rows; r++) {
        NAME(raw_rows)
        (b->number + (uint64_t)r * columns, columns, m, k, into + (uint64_t)r * k, 1, vectors,
         lanes);
    }
}

INLINE void NAME(times_tile)(const struct lod_toc_matrix *a, const struct lod_toc_batch *b,
                             const REAL *m, uint32_t k, void *scratch, REAL *into, unsigned vectors,
                             unsigned lanes)
{
    switch (a->kind) {
    case LOD_TOC_RAW:
        NAME(raw_tile)(b, a->columns, m, k, into, vectors, lanes);
        break;
    case LOD_TOC_CSR:
        NAME(csr_tile)(b, m, k, into, vectors, lanes);
        break;
    default:
        NAME(tree_tile)(b, m, k, scratch, into, vectors, lanes);
    }
}

/* The widths that next_tile() gives. */
WIDEST static void NAME(times_width)(const struct lod_toc_matrix *a, const struct lod_toc_batch *b,
                                     const REAL *m, uint32_t k, void *scratch, REAL *into,
                                     uint32_t width)
{
    switch (width) {
    case 2 * LANES:
        NAME(times_tile)(a, b, m, k, scratch, into, 2, LANES);
        break;
    case LANES:
        NAME(times_tile)(a, b, m, k, scratch, into, 1, LANES);
        break;
    case LANES / 2:
        NAME(times_tile)(a, b, m, k, scratch, into, 1, LANES / 2);
        break;
    default:
        NAME(times_tile)(a, b, m, k, scratch, into, 1, 1);
    }
}

void NAME(lod_toc_times_matrix)(const struct lod_toc_range *a, const REAL *m, uint32_t k,
                                REAL *into)
{
    for (uint32_t i = a->first; i < a->first + a->count; i++) {
        const struct lod_toc_batch *b = &a->matrix->batch[i];
        for (uint32_t done = 0; done < k;) {
            struct tile tile = next_tile(done, k, LANES);
            NAME(times_width)
            (a->matrix, b, m + tile.start, k, a->scratch, into + tile.start, tile.width);
            done = tile.start + tile.width;
        }
        into += (uint64_t)b->rows * k;
    }
}

/* A tile of rows of M, turned: what they have for row r of the batch, side by side. */
INLINE void NAME(turn)(const REAL *m, uint64_t all_rows, uint32_t rows, VECTOR *into,
                       unsigned vectors, unsigned lanes)
{
    REAL *to = (REAL *)into;

    memset(into, 0, (size_t)rows * vectors * sizeof(*into));
    for (uint32_t t = 0; t < (vectors - 1) * LANES + lanes; t++) {
        for (uint32_t r = 0; r < rows; r++) {
            to[(size_t)r * vectors * LANES + t] = m[t * all_rows + r];
        }
    }
}

INLINE void NAME(tile_tree)(const struct lod_toc_batch *b, const VECTOR *rows, VECTOR *h,
                            VECTOR *sums, unsigned vectors)
{
    const VECTOR *leaf = h + (size_t)b->nodes * vectors;

    memset(h, 0, ((size_t)b->nodes + b->leaves) * vectors * sizeof(*h));
    for (uint32_t r = 0; r < b->rows; r++) {
        for (uint32_t i = b->start[r]; i < b->start[r + 1]; i++) {
            NAME(add)(h + (size_t)b->code[i] * vectors, rows + (size_t)r * vectors, vectors);
        }
    }
    for (uint32_t n = b->nodes; n-- > 0;) {
        NAME(add)(h + (size_t)b->parent[n] * vectors, h + (size_t)n * vectors, vectors);
        NAME(add)(h + (size_t)b->key[n] * vectors, h + (size_t)n * vectors, vectors);
    }
    for (uint32_t j = 0; j < b->leaves; j++) {
        NAME(add_times)
        (sums + (size_t)b->column[j] * vectors, leaf + (size_t)j * vectors, (REAL)b->number[j],
         vectors);
    }
}

INLINE void NAME(tile_csr)(const struct lod_toc_batch *b, const VECTOR *rows, VECTOR *sums,
                           unsigned vectors)
{
    for (uint32_t r = 0; r < b->rows; r++) {
        for (uint32_t i = b->start[r]; i < b->start[r + 1]; i++) {
            NAME(add_times)
            (sums + (size_t)b->column[i] * vectors, rows + (size_t)r * vectors, (REAL)b->number[i],
             vectors);
        }
    }
}

/* Four columns at once share what is loaded of M. */
INLINE void NAME(tile_columns)(const struct lod_toc_batch *b, uint32_t columns, uint32_t first,
                               unsigned count, const VECTOR *rows, VECTOR *sums, unsigned vectors)
{
    VECTOR sum[4][2] = {{{0}}};

    for (uint32_t r = 0; r < b->rows; r++) {
        const lod_number *row = b->number + (uint64_t)r * columns + first;
        for (unsigned c = 0; c < count; c++) {
            NAME(add_times)(sum[c], rows + (size_t)r * vectors, (REAL)row[c], vectors);
        }
    }
    for (unsigned c = 0; c < count; c++) {
        NAME(add)(sums + (size_t)(first + c) * vectors, sum[c], vectors);
    }
}

INLINE void NAME(tile_raw)(const struct lod_toc_batch *b, uint32_t columns, const VECTOR *rows,
                           VECTOR *sums, unsigned vectors)
{
    uint32_t c = 0;

    for (; c + 4 <= columns; c += 4) {
        NAME(tile_columns)(b, columns, c, 4, rows, sums, vectors);
    }
    for (; c < columns; c++) {
        NAME(tile_columns)(b, columns, c, 1, rows, sums, vectors);
    }
}

/* A tile of rows of M, from `m` on, times all batches; sums stand by column of A. */
INLINE void NAME(tile_times)(const struct lod_toc_range *a, const REAL *m, uint64_t all_rows,
                             VECTOR *sums, unsigned vectors, unsigned lanes)
{
    VECTOR *rows = sums + (size_t)a->matrix->columns * vectors;
    VECTOR *h = rows + (size_t)a->matrix->batch_rows * vectors;

    memset(sums, 0, (size_t)a->matrix->columns * vectors * sizeof(*sums));
    for (uint32_t i = a->first; i < a->first + a->count; i++) {
        const struct lod_toc_batch *b = &a->matrix->batch[i];
        NAME(turn)(m, all_rows, b->rows, rows, vectors, lanes);
        switch (a->matrix->kind) {
        case LOD_TOC_RAW:
            NAME(tile_raw)(b, a->matrix->columns, rows, sums, vectors);
            break;
        case LOD_TOC_CSR:
            NAME(tile_csr)(b, rows, sums, vectors);
            break;
        default:
            NAME(tile_tree)(b, rows, h, sums, vectors);
        }
        m += b->rows;
    }
}

WIDEST static void NAME(width_times)(const struct lod_toc_range *a, const REAL *m,
                                     uint64_t all_rows, const struct tile *tile, REAL *into)
{
    VECTOR *sums = a->scratch;
    uint32_t columns = a->matrix->columns, stride = LANES;

    switch (tile->width) {
    case 2 * LANES:
        stride = 2 * LANES;
        NAME(tile_times)(a, m, all_rows, sums, 2, LANES);
        break;
    case LANES:
        NAME(tile_times)(a, m, all_rows, sums, 1, LANES);
        break;
    case LANES / 2:
        NAME(tile_times)(a, m, all_rows, sums, 1, LANES / 2);
        break;
    default:
        NAME(tile_times)(a, m, all_rows, sums, 1, 1);
    }
    for (uint32_t t = tile->skip; t < tile->width; t++) {
        const REAL *from = (const REAL *)sums + t;
        REAL *to = into + (uint64_t)t * columns;
        for (uint32_t c = 0; c < columns; c++) {
            to[c] = a->adds ? to[c] + from[(size_t)c * stride] : from[(size_t)c * stride];
        }
    }
}

void NAME(lod_toc_matrix_times)(const struct lod_toc_range *a, const REAL *m, uint32_t k,
                                REAL *into)
{
    uint64_t all_rows = lod_toc_matrix_rows(a->matrix, a->first, a->count);
    uint32_t columns = a->matrix->columns;

    if (summed_columns(a->matrix) < columns) {
        for (uint32_t t = 0; t < k; t++) {
            NAME(lod_toc_vector_times)(a, m + t * all_rows, into + (uint64_t)t * columns);
        }
        return;
    }
    for (uint32_t done = 0; done < k;) {
        struct tile tile = next_tile(done, k, LANES);
        NAME(width_times)
        (a, m + tile.start * all_rows, all_rows, &tile, into + (uint64_t)tile.start * columns);
        done = tile.start + tile.width;
    }
}

#undef VECTOR
#undef LANES

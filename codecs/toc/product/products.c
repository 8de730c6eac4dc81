/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products on batches (theorems 4.1, 4.2, B.1 and B.2 of the paper), in double and in float. The
 * loops are in product_vector.inc and product_tile.inc, compiled once for each type. See matrix.h.
 *
 * No machine reorders a sum, so results are the same on all of them.
 */
#include "toc/product/matrix.h"

#include <string.h>

#include "toc/shard/batch_read.h"

/* A tile is 1 or 2 vectors of 64 bytes: adjacent columns or rows of the dense matrix. */
#define VECTOR_BYTES 64u
#define TILE_BYTES   (2 * VECTOR_BYTES)

/*
 * M A keeps a tile of sums for each column of A. With more columns, each row of M is multiplied
 * separately.
 */
#define SUMMED_COLUMNS 16384u

#define INLINE static inline __attribute__((always_inline))

/* The loader chooses versions for newer processors when the program starts (codecs/meson.build). */
#ifdef LOD_TARGET_CLONES
#define WIDEST __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDEST
#endif

static uint32_t summed_columns(const struct lod_toc_matrix *matrix)
{
    return matrix->columns <= SUMMED_COLUMNS ? matrix->columns : 0;
}

uint64_t lod_toc_scratch_bytes(const struct lod_toc_matrix *matrix)
{
    uint64_t tiles = (uint64_t)matrix->numbers_max + matrix->batch_rows + summed_columns(matrix);
    return (tiles + 1) * TILE_BYTES;
}

/* Columns start .. start + width - 1 of k; the first `skip` of them were in the tile before. */
struct tile {
    uint32_t start, width, skip;
};

/*
 * Returns the tile after one that ended at `done`: two vectors, one, or half of one. A shorter rest
 * becomes a tile that overlaps the one before or, if k is too small for that, single columns.
 */
static struct tile next_tile(uint32_t done, uint32_t k, uint32_t lanes)
{
    uint32_t left = k - done;
    uint32_t width = left >= 2 * lanes ? 2 * lanes : left >= lanes ? lanes : 0;

    if (!width && k >= lanes / 2) {
        width = left > lanes / 2 && k >= lanes ? lanes : lanes / 2;
    }
    width = width ? width : 1;
    struct tile tile = {.start = done, .width = width};
    if (width > left) {
        tile.start = k - width;
        tile.skip = width - left;
    }
    return tile;
}

#define REAL    double
#define NAME(x) x##_f8
typedef double vector_f8 __attribute__((vector_size(VECTOR_BYTES)));
#include "toc/product/product_vector.inc"
#include "toc/product/product_tile.inc"
#undef REAL
#undef NAME

#define REAL    float
#define NAME(x) x##_f4
typedef float vector_f4 __attribute__((vector_size(VECTOR_BYTES)));
#include "toc/product/product_vector.inc"
#include "toc/product/product_tile.inc"

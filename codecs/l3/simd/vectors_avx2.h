/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a patch in 32-byte vectors: predictors, prefix sums, and samples to pixels. Rows are kept
 * in memory with margins, so that a neighbour is a load one sample away. A file that is compiled
 * for AVX2 defines LOD_SAMPLE_BITS as 8 or 16 and includes this; 8 serves 1 to 8 bits.
 */
#ifndef LOD_VECTORS_AVX2_H
#define LOD_VECTORS_AVX2_H
#ifdef __AVX2__

#include <immintrin.h>
#include <string.h>

#include "l3/patch/patch.h"
#include "l3/patch/predict.h"

#define LOD_ALWAYS static inline __attribute__((always_inline))

/* The operations of AVX2 on samples: OF(add) adds, OF_UNSIGNED(avg) takes means. */
#if LOD_SAMPLE_BITS == 16
typedef uint16_t lod_sample;
typedef short lod_signed;
#define OF(operation)          _mm256_##operation##_epi16
#define OF_UNSIGNED(operation) _mm256_##operation##_epu16
#define LAST_OF_HALF           0x0f0e0f0e /* pshufb's indices of a half's last sample */
#else
typedef uint8_t lod_sample;
typedef char lod_signed;
#define OF(operation)          _mm256_##operation##_epi8
#define OF_UNSIGNED(operation) _mm256_##operation##_epu8
#define LAST_OF_HALF           0x0f0f0f0f
#endif

#define LOD_SAMPLE_BYTES ((unsigned)sizeof(lod_sample))
#define LOD_VECTOR       (32u / LOD_SAMPLE_BYTES) /* samples in a vector */

/* A row. Samples start at [LOD_VECTOR]; whole vectors may be read and written. */
typedef lod_sample lod_row[LOD_VECTOR + LOD_L3_SIDE_MAX + LOD_VECTOR];

/* Constants of a patch's shape. */
struct lod_shape {
    unsigned vectors;                                    /* in a row */
    __m256i mix[LOD_L3_SAMPLES_MAX][LOD_L3_SAMPLES_MAX]; /* [output vector j][plane p] */
    __m256i mask;                                        /* of a sample */
};

static inline void lod_shape_init(const struct lod_l3_patch *patch, struct lod_shape *s)
{
    uint8_t mix[16];

    s->vectors = (patch->width + LOD_VECTOR - 1) / LOD_VECTOR;
    for (unsigned j = 0; j < patch->samples; j++) {
        for (unsigned p = 0; p < patch->samples; p++) {
            for (unsigned i = 0; i < 16; i++) {
                unsigned at = (16 * j + i) / LOD_SAMPLE_BYTES, x = at / patch->samples;
                bool own = at % patch->samples == lod_l3_plane_sample(patch, p);
                mix[i] = own ? (uint8_t)(LOD_SAMPLE_BYTES * x + i % LOD_SAMPLE_BYTES) : 0x80;
            }
            __m128i half = _mm_loadu_si128((const __m128i_u *)mix);
            s->mix[j][p] = _mm256_broadcastsi128_si256(half);
        }
    }
    s->mask = OF(set1)((lod_signed)lod_l3_sample_mask(patch));
}

LOD_ALWAYS __m256i lod_load(const lod_sample *at)
{
    return _mm256_loadu_si256((const __m256i_u *)at);
}

LOD_ALWAYS void lod_put(lod_sample *at, __m256i value)
{
    _mm256_storeu_si256((__m256i_u *)at, value);
}

/* Sets the two neighbours outside a row of `width` samples. */
LOD_ALWAYS void lod_close(lod_sample *row, unsigned width)
{
    row[-1] = row[0];
    row[width] = row[width - 1];
}

/* Repeats the last sample of each 128-bit half over that half. */
LOD_ALWAYS __m256i lod_last(__m256i r)
{
    return _mm256_shuffle_epi8(r, _mm256_set1_epi32(LAST_OF_HALF));
}

/* Returns the prefix sums of the samples, modulo 2^8 or 2^16. */
LOD_ALWAYS __m256i lod_sums(__m256i r)
{
    if (LOD_SAMPLE_BYTES == 1) {
        r = OF(add)(r, _mm256_slli_si256(r, 1));
    }
    r = OF(add)(r, _mm256_slli_si256(r, 2));
    r = OF(add)(r, _mm256_slli_si256(r, 4));
    r = OF(add)(r, _mm256_slli_si256(r, 8));
    return OF(add)(r, lod_last(_mm256_permute2x128_si256(r, r, 0x08)));
}

/* See vectors_avx512.h for why saturation is harmless. */
LOD_ALWAYS __m256i lod_paeth(__m256i tl, __m256i t, __m256i tr)
{
    __m256i zero = _mm256_setzero_si256();
    __m256i left = OF_UNSIGNED(subs)(t, tl), right = OF_UNSIGNED(subs)(t, tr);
    __m256i a = _mm256_or_si256(left, OF_UNSIGNED(subs)(tl, t));
    __m256i b = _mm256_or_si256(right, OF_UNSIGNED(subs)(tr, t));
    __m256i differ = _mm256_xor_si256(OF(cmpeq)(left, zero), OF(cmpeq)(right, zero));
    __m256i apart = _mm256_or_si256(OF_UNSIGNED(subs)(a, b), OF_UNSIGNED(subs)(b, a));
    __m256i from_t = _mm256_blendv_epi8(OF_UNSIGNED(adds)(a, b), apart, differ);
    __m256i least = OF_UNSIGNED(min)(from_t, a);
    __m256i is_tl = OF(cmpeq)(OF_UNSIGNED(min)(b, least), b);
    __m256i is_t = OF(cmpeq)(least, from_t);
    return _mm256_blendv_epi8(_mm256_blendv_epi8(tr, t, is_t), tl, is_tl);
}

/*
 * Computes (TL + 2 T + TR + 2) / 4 without a further bit: the mean of TL and TR rounded down, then
 * its mean with T rounded up.
 */
LOD_ALWAYS __m256i lod_soft(__m256i tl, __m256i t, __m256i tr)
{
    __m256i odd = _mm256_and_si256(_mm256_xor_si256(tl, tr), OF(set1)(1));

    return OF_UNSIGNED(avg)(t, OF(sub)(OF_UNSIGNED(avg)(tl, tr), odd));
}

/* Predicts one vector of a row. The predictor is a compile-time constant. */
LOD_ALWAYS __m256i lod_from_above(unsigned predictor, const lod_sample *above)
{
    switch (predictor) {
    case LOD_L3_PAETH:
        return lod_paeth(lod_load(above - 1), lod_load(above), lod_load(above + 1));
    case LOD_L3_RIGHT:
        return OF_UNSIGNED(avg)(lod_load(above), lod_load(above + 1));
    case LOD_L3_SOFT:
        return lod_soft(lod_load(above - 1), lod_load(above), lod_load(above + 1));
    default:
        return lod_load(above);
    }
}

LOD_ALWAYS void lod_reconstruct_one(const struct lod_shape *s, unsigned predictor,
                                    const lod_sample *above, const lod_sample *residuals,
                                    lod_sample *row)
{
    __m256i sum = _mm256_setzero_si256(), first = OF(set1)((lod_signed)above[0]);
    bool sums = predictor == LOD_L3_SLOPE || predictor == LOD_L3_LEFT;

    for (unsigned x = 0; x < s->vectors * LOD_VECTOR; x += LOD_VECTOR) {
        __m256i r = lod_load(residuals + x);
        __m256i from = predictor == LOD_L3_LEFT ? first : lod_from_above(predictor, above + x);
        if (sums) {
            r = OF(add)(lod_sums(r), sum);
            sum = lod_last(_mm256_permute2x128_si256(r, r, 0x11));
        }
        lod_put(row + x, _mm256_and_si256(OF(add)(from, r), s->mask));
    }
}

/* Rebuilds a row from its residuals and the row above; all pointers are to the first sample. */
LOD_ALWAYS void lod_reconstruct(const struct lod_shape *s, unsigned width, unsigned predictor,
                                const lod_sample *above, const lod_sample *residuals,
                                lod_sample *row)
{
    switch (predictor) { /* compiled separately for each predictor */
    case LOD_L3_PAETH:
        lod_reconstruct_one(s, LOD_L3_PAETH, above, residuals, row);
        break;
    case LOD_L3_SLOPE:
        lod_reconstruct_one(s, LOD_L3_SLOPE, above, residuals, row);
        break;
    case LOD_L3_LEFT:
        lod_reconstruct_one(s, LOD_L3_LEFT, above, residuals, row);
        break;
    case LOD_L3_RIGHT:
        lod_reconstruct_one(s, LOD_L3_RIGHT, above, residuals, row);
        break;
    case LOD_L3_SOFT:
        lod_reconstruct_one(s, LOD_L3_SOFT, above, residuals, row);
        break;
    default:
        lod_reconstruct_one(s, LOD_L3_TOP, above, residuals, row);
        break;
    }
    lod_close(row, width);
}

/* Writes the pixels of one vector, `n` samples each, to `at`. */
LOD_ALWAYS void lod_mix(const struct lod_shape *s, unsigned n, bool green,
                        lod_row rows[LOD_L3_SAMPLES_MAX], unsigned x, uint8_t *at)
{
    __m256i plane[LOD_L3_SAMPLES_MAX];

    for (unsigned p = 0; p < n; p++) {
        plane[p] = lod_load(rows[p] + LOD_VECTOR + x);
        if (green && (p == 1 || p == 2)) {
            plane[p] = _mm256_and_si256(OF(add)(plane[p], plane[0]), s->mask);
        }
    }
    for (unsigned j = 0; j < n; j++) {
        __m256i out = _mm256_shuffle_epi8(plane[0], s->mix[j][0]);
        for (unsigned p = 1; p < n; p++) {
            out = _mm256_or_si256(out, _mm256_shuffle_epi8(plane[p], s->mix[j][p]));
        }
        _mm_storeu_si128((__m128i_u *)(at + 16 * j), _mm256_castsi256_si128(out));
        _mm_storeu_si128((__m128i_u *)(at + 16 * (n + j)), _mm256_extracti128_si256(out, 1));
    }
}

LOD_ALWAYS void lod_store_of(const struct lod_shape *s, unsigned width, unsigned n, bool green,
                             lod_row rows[LOD_L3_SAMPLES_MAX], uint8_t *at)
{
    uint8_t last[32 * LOD_L3_SAMPLES_MAX];
    const size_t pixel_bytes = (size_t)n * LOD_SAMPLE_BYTES;
    unsigned x = 0;

    for (; x + LOD_VECTOR <= width; x += LOD_VECTOR) {
        lod_mix(s, n, green, rows, x, at + x * pixel_bytes);
    }
    if (x < width) {
        lod_mix(s, n, green, rows, x, last);
        memcpy(at + x * pixel_bytes, last, (width - x) * pixel_bytes);
    }
}

/* Writes a row of pixels. If `green`, G is added to R and B again; gray has no G. */
LOD_ALWAYS void lod_store(const struct lod_l3_patch *patch, const struct lod_shape *s, bool green,
                          lod_row rows[LOD_L3_SAMPLES_MAX], uint8_t *at)
{
    switch (patch->samples) { /* compiled separately for each number */
    case 1:
        lod_store_of(s, patch->width, 1, false, rows, at);
        break;
    case 2:
        lod_store_of(s, patch->width, 2, false, rows, at);
        break;
    case 3:
        lod_store_of(s, patch->width, 3, green, rows, at);
        break;
    default:
        lod_store_of(s, patch->width, 4, green, rows, at);
        break;
    }
}

/* Reads the residuals of plane `p` of a row and returns its predictor. Runs are rows of planes. */
typedef unsigned (*lod_take_run)(void *ctx, unsigned run, unsigned p, const lod_sample *above,
                                 lod_sample *residuals);

/* Decodes all rows of a patch. If `green`, G was subtracted from R and B. */
LOD_ALWAYS void lod_decode_rows(const struct lod_l3_patch *patch, bool green, lod_take_run take,
                                void *ctx, const struct lod_l3_target *target)
{
    lod_row rows[2][LOD_L3_SAMPLES_MAX], residuals;
    struct lod_shape shape;
    unsigned run = 0;

    lod_shape_init(patch, &shape);
    memset(rows, 0, sizeof(rows));
    for (unsigned y = 0; y < patch->height; y++) {
        lod_row *now = rows[y % 2], *above = rows[(y + 1) % 2];
        for (unsigned p = 0; p < patch->samples; p++, run++) {
            unsigned predictor = take(ctx, run, p, above[p] + LOD_VECTOR, residuals);
            lod_reconstruct(&shape, patch->width, predictor, above[p] + LOD_VECTOR, residuals,
                            now[p] + LOD_VECTOR);
        }
        lod_store(patch, &shape, green, now, target->into + y * target->stride);
    }
}

#endif
#endif

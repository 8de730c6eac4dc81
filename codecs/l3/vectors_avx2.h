/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a patch in 32-byte vectors, kept in memory with margins so that a
 * neighbour is a load one byte off: predictors, sums, and samples to pixels.
 * For files that are compiled for AVX2 alone.
 */
#ifndef LOD_VECTORS_AVX2_H
#define LOD_VECTORS_AVX2_H
#ifdef __AVX2__

#include <immintrin.h>
#include <string.h>

#include "l3/patch.h"
#include "l3/predict.h"

#define LOD_VECTOR 32u
#define LOD_ALWAYS static inline __attribute__((always_inline))

/* A row of bytes; samples start at [LOD_VECTOR], and whole vectors may be read
 * and written. */
typedef uint8_t lod_bytes[LOD_VECTOR + LOD_L3_SIDE_MAX + LOD_VECTOR];

/* What depends on the patch alone. */
struct lod_shape {
    unsigned vectors;                                    /* in a row */
    __m256i mix[LOD_L3_SAMPLES_MAX][LOD_L3_SAMPLES_MAX]; /* of output j: bytes of plane p */
    __m256i mask;                                        /* of a sample */
};

static inline void lod_shape_init(const struct lod_l3_patch *patch, struct lod_shape *s)
{
    uint8_t mix[16];

    s->vectors = (patch->width + LOD_VECTOR - 1) / LOD_VECTOR;
    for (unsigned j = 0; j < patch->samples; j++) {
        for (unsigned p = 0; p < patch->samples; p++) {
            for (unsigned i = 0; i < 16; i++) {
                unsigned x = (16 * j + i) / patch->samples, sample = (16 * j + i) % patch->samples;
                mix[i] = sample == lod_l3_plane_sample(patch, p) ? (uint8_t)x : 0x80;
            }
            __m128i half = _mm_loadu_si128((const __m128i_u *)mix);
            s->mix[j][p] = _mm256_broadcastsi128_si256(half);
        }
    }
    s->mask = _mm256_set1_epi8((char)lod_l3_sample_mask(patch));
}

LOD_ALWAYS __m256i lod_load(const uint8_t *at)
{
    return _mm256_loadu_si256((const __m256i_u *)at);
}

LOD_ALWAYS void lod_put(uint8_t *at, __m256i value)
{
    _mm256_storeu_si256((__m256i_u *)at, value);
}

/* Both neighbours of a row of `width` samples that have none. */
LOD_ALWAYS void lod_close(uint8_t *row, unsigned width)
{
    row[-1] = row[0];
    row[width] = row[width - 1];
}

/* Sums of all bytes up to each, modulo 256. */
LOD_ALWAYS __m256i lod_sums(__m256i r)
{
    r = _mm256_add_epi8(r, _mm256_slli_si256(r, 1));
    r = _mm256_add_epi8(r, _mm256_slli_si256(r, 2));
    r = _mm256_add_epi8(r, _mm256_slli_si256(r, 4));
    r = _mm256_add_epi8(r, _mm256_slli_si256(r, 8));
    __m256i low = _mm256_permute2x128_si256(r, r, 0x08);
    return _mm256_add_epi8(r, _mm256_shuffle_epi8(low, _mm256_set1_epi8(15)));
}

/* See vectors_avx512.h for why saturation does no harm. */
LOD_ALWAYS __m256i lod_paeth(__m256i tl, __m256i t, __m256i tr)
{
    __m256i zero = _mm256_setzero_si256();
    __m256i left = _mm256_subs_epu8(t, tl), right = _mm256_subs_epu8(t, tr);
    __m256i a = _mm256_or_si256(left, _mm256_subs_epu8(tl, t));
    __m256i b = _mm256_or_si256(right, _mm256_subs_epu8(tr, t));
    __m256i differ =
        _mm256_xor_si256(_mm256_cmpeq_epi8(left, zero), _mm256_cmpeq_epi8(right, zero));
    __m256i apart = _mm256_or_si256(_mm256_subs_epu8(a, b), _mm256_subs_epu8(b, a));
    __m256i from_t = _mm256_blendv_epi8(_mm256_adds_epu8(a, b), apart, differ);
    __m256i least = _mm256_min_epu8(from_t, a);
    __m256i is_tl = _mm256_cmpeq_epi8(_mm256_min_epu8(b, least), b);
    __m256i is_t = _mm256_cmpeq_epi8(least, from_t);
    return _mm256_blendv_epi8(_mm256_blendv_epi8(tr, t, is_t), tl, is_tl);
}

/* (TL + 2 T + TR + 2) / 4 without a ninth bit: the lower mean of TL and TR,
 * then the upper one. */
LOD_ALWAYS __m256i lod_soft(__m256i tl, __m256i t, __m256i tr)
{
    __m256i odd = _mm256_and_si256(_mm256_xor_si256(tl, tr), _mm256_set1_epi8(1));

    return _mm256_avg_epu8(t, _mm256_sub_epi8(_mm256_avg_epu8(tl, tr), odd));
}

/* One vector of a row, of a predictor that is known where this is compiled. */
LOD_ALWAYS __m256i lod_from_above(unsigned predictor, const uint8_t *above)
{
    switch (predictor) {
    case LOD_L3_PAETH:
        return lod_paeth(lod_load(above - 1), lod_load(above), lod_load(above + 1));
    case LOD_L3_RIGHT:
        return _mm256_avg_epu8(lod_load(above), lod_load(above + 1));
    case LOD_L3_SOFT:
        return lod_soft(lod_load(above - 1), lod_load(above), lod_load(above + 1));
    default:
        return lod_load(above);
    }
}

LOD_ALWAYS void lod_rebuild_one(const struct lod_shape *s, unsigned predictor, const uint8_t *above,
                                const uint8_t *residuals, uint8_t *row)
{
    __m256i sum = _mm256_setzero_si256(), first = _mm256_set1_epi8((char)above[0]);
    bool sums = predictor == LOD_L3_SLOPE || predictor == LOD_L3_LEFT;

    for (unsigned x = 0; x < s->vectors * LOD_VECTOR; x += LOD_VECTOR) {
        __m256i r = lod_load(residuals + x);
        __m256i from = predictor == LOD_L3_LEFT ? first : lod_from_above(predictor, above + x);
        if (sums) {
            r = _mm256_add_epi8(lod_sums(r), sum);
            __m256i high = _mm256_permute2x128_si256(r, r, 0x11);
            sum = _mm256_shuffle_epi8(high, _mm256_set1_epi8(15));
        }
        lod_put(row + x, _mm256_and_si256(_mm256_add_epi8(from, r), s->mask));
    }
}

/*
 * rebuild_one compiled for each predictor by itself. Functions of vectors of bytes and of words
 * have the same parameters, so one list of cases serves both.
 */
#define LOD_REBUILD(rebuild_one, s, predictor, above, residuals, row)                              \
    switch (predictor) {                                                                           \
    case LOD_L3_PAETH:                                                                             \
        rebuild_one(s, LOD_L3_PAETH, above, residuals, row);                                       \
        break;                                                                                     \
    case LOD_L3_SLOPE:                                                                             \
        rebuild_one(s, LOD_L3_SLOPE, above, residuals, row);                                       \
        break;                                                                                     \
    case LOD_L3_LEFT:                                                                              \
        rebuild_one(s, LOD_L3_LEFT, above, residuals, row);                                        \
        break;                                                                                     \
    case LOD_L3_RIGHT:                                                                             \
        rebuild_one(s, LOD_L3_RIGHT, above, residuals, row);                                       \
        break;                                                                                     \
    case LOD_L3_SOFT:                                                                              \
        rebuild_one(s, LOD_L3_SOFT, above, residuals, row);                                        \
        break;                                                                                     \
    default:                                                                                       \
        rebuild_one(s, LOD_L3_TOP, above, residuals, row);                                         \
        break;                                                                                     \
    }

/* The same of store_of, for each number of samples; gray has no green to add. */
#define LOD_STORE(store_of, patch, s, green, rows, at)                                             \
    switch ((patch)->samples) {                                                                    \
    case 1:                                                                                        \
        store_of(s, (patch)->width, 1, false, rows, at);                                           \
        break;                                                                                     \
    case 2:                                                                                        \
        store_of(s, (patch)->width, 2, false, rows, at);                                           \
        break;                                                                                     \
    case 3:                                                                                        \
        store_of(s, (patch)->width, 3, green, rows, at);                                           \
        break;                                                                                     \
    default:                                                                                       \
        store_of(s, (patch)->width, 4, green, rows, at);                                           \
        break;                                                                                     \
    }

/* A row from its residuals and the row above; all point at their first sample.
 */
LOD_ALWAYS void lod_rebuild(const struct lod_shape *s, unsigned width, unsigned predictor,
                            const uint8_t *above, const uint8_t *residuals, uint8_t *row)
{
    LOD_REBUILD(lod_rebuild_one, s, predictor, above, residuals, row)
    lod_close(row, width);
}

/* 32 pixels of `n` samples, whole, to `at`. */
LOD_ALWAYS void lod_mix(const struct lod_shape *s, unsigned n, bool green,
                        lod_bytes rows[LOD_L3_SAMPLES_MAX], unsigned x, uint8_t *at)
{
    __m256i plane[LOD_L3_SAMPLES_MAX];

    for (unsigned p = 0; p < n; p++) {
        plane[p] = lod_load(rows[p] + LOD_VECTOR + x);
        if (green && (p == 1 || p == 2)) {
            plane[p] = _mm256_and_si256(_mm256_add_epi8(plane[p], plane[0]), s->mask);
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
                             lod_bytes rows[LOD_L3_SAMPLES_MAX], uint8_t *at)
{
    uint8_t last[LOD_VECTOR * LOD_L3_SAMPLES_MAX];
    unsigned x = 0;

    for (; x + LOD_VECTOR <= width; x += LOD_VECTOR) {
        lod_mix(s, n, green, rows, x, at + (size_t)x * n);
    }
    if (x < width) {
        lod_mix(s, n, green, rows, x, last);
        memcpy(at + (size_t)x * n, last, (size_t)(width - x) * n);
    }
}

/* Writes a row of pixels, G added again where `green`. */
LOD_ALWAYS void lod_store(const struct lod_l3_patch *patch, const struct lod_shape *s, bool green,
                          lod_bytes rows[LOD_L3_SAMPLES_MAX], uint8_t *at)
{
    LOD_STORE(lod_store_of, patch, s, green, rows, at)
}

#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vectors_avx2.h for samples of 16 bits: rows of a patch in vectors of 16, kept in memory with
 * margins so that a neighbour is a load one sample off.
 */
#ifndef LOD_DEEP_VECTORS_AVX2_H
#define LOD_DEEP_VECTORS_AVX2_H
#ifdef __AVX2__

#include "l3/vectors_avx2.h"

#define LOD_DEEP 16u /* samples in a vector */

/* A row; samples start at [LOD_DEEP], and whole vectors may be read and written. */
typedef uint16_t lod_words[LOD_DEEP + LOD_L3_SIDE_MAX + LOD_DEEP];

/* What depends on the patch alone. */
struct lod_deep_shape {
    unsigned vectors;                                    /* in a row */
    __m256i mix[LOD_L3_SAMPLES_MAX][LOD_L3_SAMPLES_MAX]; /* of output j: bytes of plane p */
};

static inline void lod_deep_shape_init(const struct lod_l3_patch *patch, struct lod_deep_shape *s)
{
    uint8_t mix[16];

    s->vectors = (patch->width + LOD_DEEP - 1) / LOD_DEEP;
    for (unsigned j = 0; j < patch->samples; j++) {
        for (unsigned p = 0; p < patch->samples; p++) {
            for (unsigned i = 0; i < 16; i++) {
                unsigned word = 8 * j + i / 2, x = word / patch->samples;
                bool own = word % patch->samples == lod_l3_plane_sample(patch, p);
                mix[i] = own ? (uint8_t)(2 * x + i % 2) : 0x80;
            }
            __m128i half = _mm_loadu_si128((const __m128i_u *)mix);
            s->mix[j][p] = _mm256_broadcastsi128_si256(half);
        }
    }
}

LOD_ALWAYS __m256i lod_deep_load(const uint16_t *at)
{
    return _mm256_loadu_si256((const __m256i_u *)at);
}

LOD_ALWAYS void lod_deep_put(uint16_t *at, __m256i value)
{
    _mm256_storeu_si256((__m256i_u *)at, value);
}

LOD_ALWAYS void lod_deep_close(uint16_t *row, unsigned width)
{
    row[-1] = row[0];
    row[width] = row[width - 1];
}

/* The last word of each half, everywhere in it. */
LOD_ALWAYS __m256i lod_deep_last(__m256i r)
{
    return _mm256_shuffle_epi8(r, _mm256_set1_epi16(0x0f0e));
}

/* Sums of all words up to each, modulo 2^16. */
LOD_ALWAYS __m256i lod_deep_sums(__m256i r)
{
    r = _mm256_add_epi16(r, _mm256_slli_si256(r, 2));
    r = _mm256_add_epi16(r, _mm256_slli_si256(r, 4));
    r = _mm256_add_epi16(r, _mm256_slli_si256(r, 8));
    return _mm256_add_epi16(r, lod_deep_last(_mm256_permute2x128_si256(r, r, 0x08)));
}

/* See vectors_avx512.h for why saturation does no harm. */
LOD_ALWAYS __m256i lod_deep_paeth(__m256i tl, __m256i t, __m256i tr)
{
    __m256i zero = _mm256_setzero_si256();
    __m256i left = _mm256_subs_epu16(t, tl), right = _mm256_subs_epu16(t, tr);
    __m256i a = _mm256_or_si256(left, _mm256_subs_epu16(tl, t));
    __m256i b = _mm256_or_si256(right, _mm256_subs_epu16(tr, t));
    __m256i differ =
        _mm256_xor_si256(_mm256_cmpeq_epi16(left, zero), _mm256_cmpeq_epi16(right, zero));
    __m256i apart = _mm256_or_si256(_mm256_subs_epu16(a, b), _mm256_subs_epu16(b, a));
    __m256i from_t = _mm256_blendv_epi8(_mm256_adds_epu16(a, b), apart, differ);
    __m256i least = _mm256_min_epu16(from_t, a);
    __m256i is_tl = _mm256_cmpeq_epi16(_mm256_min_epu16(b, least), b);
    __m256i is_t = _mm256_cmpeq_epi16(least, from_t);
    return _mm256_blendv_epi8(_mm256_blendv_epi8(tr, t, is_t), tl, is_tl);
}

LOD_ALWAYS __m256i lod_deep_soft(__m256i tl, __m256i t, __m256i tr)
{
    __m256i odd = _mm256_and_si256(_mm256_xor_si256(tl, tr), _mm256_set1_epi16(1));

    return _mm256_avg_epu16(t, _mm256_sub_epi16(_mm256_avg_epu16(tl, tr), odd));
}

/* One vector of a row, of a predictor that is known where this is compiled. */
LOD_ALWAYS __m256i lod_deep_from_above(unsigned predictor, const uint16_t *above)
{
    switch (predictor) {
    case LOD_L3_PAETH:
        return lod_deep_paeth(lod_deep_load(above - 1), lod_deep_load(above),
                              lod_deep_load(above + 1));
    case LOD_L3_RIGHT:
        return _mm256_avg_epu16(lod_deep_load(above), lod_deep_load(above + 1));
    case LOD_L3_SOFT:
        return lod_deep_soft(lod_deep_load(above - 1), lod_deep_load(above),
                             lod_deep_load(above + 1));
    default:
        return lod_deep_load(above);
    }
}

LOD_ALWAYS void lod_deep_rebuild_one(const struct lod_deep_shape *s, unsigned predictor,
                                     const uint16_t *above, const uint16_t *residuals,
                                     uint16_t *row)
{
    __m256i sum = _mm256_setzero_si256(), first = _mm256_set1_epi16((short)above[0]);
    bool sums = predictor == LOD_L3_SLOPE || predictor == LOD_L3_LEFT;

    for (unsigned x = 0; x < s->vectors * LOD_DEEP; x += LOD_DEEP) {
        __m256i r = lod_deep_load(residuals + x);
        __m256i from = predictor == LOD_L3_LEFT ? first : lod_deep_from_above(predictor, above + x);
        if (sums) {
            r = _mm256_add_epi16(lod_deep_sums(r), sum);
            sum = lod_deep_last(_mm256_permute2x128_si256(r, r, 0x11));
        }
        lod_deep_put(row + x, _mm256_add_epi16(from, r));
    }
}

/* A row from its residuals and the row above; all point at their first sample. */
LOD_ALWAYS void lod_deep_rebuild(const struct lod_deep_shape *s, unsigned width, unsigned predictor,
                                 const uint16_t *above, const uint16_t *residuals, uint16_t *row)
{
    LOD_REBUILD(lod_deep_rebuild_one, s, predictor, above, residuals, row)
    lod_deep_close(row, width);
}

/* 16 pixels of `n` samples, whole, to `at`. */
LOD_ALWAYS void lod_deep_mix(const struct lod_deep_shape *s, unsigned n, bool green,
                             lod_words rows[LOD_L3_SAMPLES_MAX], unsigned x, uint8_t *at)
{
    __m256i plane[LOD_L3_SAMPLES_MAX];

    for (unsigned p = 0; p < n; p++) {
        plane[p] = lod_deep_load(rows[p] + LOD_DEEP + x);
        if (green && (p == 1 || p == 2)) {
            plane[p] = _mm256_add_epi16(plane[p], plane[0]);
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

LOD_ALWAYS void lod_deep_store_of(const struct lod_deep_shape *s, unsigned width, unsigned n,
                                  bool green, lod_words rows[LOD_L3_SAMPLES_MAX], uint8_t *at)
{
    uint8_t last[2 * LOD_DEEP * LOD_L3_SAMPLES_MAX];
    unsigned x = 0;

    for (; x + LOD_DEEP <= width; x += LOD_DEEP) {
        lod_deep_mix(s, n, green, rows, x, at + (size_t)x * n * 2);
    }
    if (x < width) {
        lod_deep_mix(s, n, green, rows, x, last);
        memcpy(at + (size_t)x * n * 2, last, (size_t)(width - x) * n * 2);
    }
}

/* Writes a row of pixels, G added again where `green`. */
LOD_ALWAYS void lod_deep_store(const struct lod_l3_patch *patch, const struct lod_deep_shape *s,
                               bool green, lod_words rows[LOD_L3_SAMPLES_MAX], uint8_t *at)
{
    LOD_STORE(lod_deep_store_of, patch, s, green, rows, at)
}

#endif
#endif

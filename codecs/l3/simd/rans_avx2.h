/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The 32 lanes of a small patch as four vectors of states, for AVX2 with BMI2 (FORMAT.md, L3
 * stream, small). Words are distributed by a permutation that pdep makes from the lanes that need
 * one. Included only by files compiled for AVX2.
 */
#ifndef LOD_RANS_AVX2_H
#define LOD_RANS_AVX2_H
#ifdef __AVX2__

#include <errno.h>
#include <immintrin.h>
#include <string.h>

#include "l3/patch/rans.h"
#include "l3/patch/small.h"
#include "l3/simd/vectors_avx2.h"

#define LOD_RANS_PARTS 4u /* vectors of eight states */

/* A patch being decoded. */
struct lod_rans_avx2 {
    struct lod_span bytes;
    size_t at;
    __m256i state[LOD_RANS_PARTS];
};

/* Returns ones in the first `count` of eight elements. */
LOD_ALWAYS __m256i lod_rans_first(unsigned count)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/* Loads eight words, and zeros past the end. */
LOD_ALWAYS __m256i lod_rans_words(const struct lod_rans_avx2 *s)
{
    size_t left = s->at < s->bytes.bytes ? s->bytes.bytes - s->at : 0;
    uint8_t some[16] = {0};

    if (left >= 16) {
        return _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i_u *)(s->bytes.at + s->at)));
    }
    if (left) {
        memcpy(some, s->bytes.at + s->at, left);
    }
    return _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i_u *)some));
}

/* Refills the states below the floor with a word each, in the order of their lanes. */
LOD_ALWAYS __m256i lod_rans_refill(struct lod_rans_avx2 *s, __m256i state, __m256i active)
{
    __m256i none = _mm256_cmpeq_epi32(_mm256_srli_epi32(state, 16), _mm256_setzero_si256());
    __m256i low = _mm256_and_si256(none, active);
    unsigned lanes = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(low));
    uint64_t bytes = _pdep_u64(lanes, 0x0101010101010101ull) * 255;
    long long order = (long long)_pdep_u64(0x0706050403020100ull, bytes);
    __m256i which = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(order));
    __m256i dealt = _mm256_permutevar8x32_epi32(lod_rans_words(s), which);
    __m256i filled = _mm256_or_si256(_mm256_slli_epi32(state, 16), dealt);

    s->at += 2u * (unsigned)__builtin_popcount(lanes);
    return _mm256_blendv_epi8(state, filled, low);
}

LOD_ALWAYS __m256i lod_rans_advance(struct lod_rans_avx2 *s, __m256i state, __m256i entry,
                                    __m256i active)
{
    const __m256i mask = _mm256_set1_epi32((int)LOD_RANS_TOTAL - 1);
    __m256i count = _mm256_srli_epi32(entry, LOD_RANS_COUNT_SHIFT);
    __m256i offset = _mm256_and_si256(_mm256_srli_epi32(entry, LOD_RANS_OFFSET_SHIFT), mask);
    __m256i next = _mm256_add_epi32(
        _mm256_mullo_epi32(count, _mm256_srli_epi32(state, LOD_RANS_BITS)), offset);

    return lod_rans_refill(s, _mm256_blendv_epi8(state, next, active), active);
}

static inline bool lod_rans_begin(const struct lod_small_map *map,
                                  const struct lod_rans_tables *tables, struct lod_span bytes,
                                  struct lod_rans_avx2 *s)
{
    uint32_t state[LOD_RANS_LANES];

    if (!tables->classes || bytes.bytes < map->words || (bytes.bytes - map->words) % 2) {
        return false;
    }
    for (unsigned i = 0; i < LOD_RANS_LANES; i++) {
        state[i] =
            i < map->lanes ? lod_get_le32(bytes.at + map->states + (size_t)4 * i) : LOD_RANS_FLOOR;
    }
    for (unsigned i = 0; i < LOD_RANS_PARTS; i++) {
        s->state[i] = _mm256_loadu_si256((const __m256i_u *)(state + 8 * i));
    }
    s->bytes = bytes;
    s->at = map->words;
    return true;
}

static inline int lod_rans_end(const struct lod_rans_avx2 *s)
{
    const __m256i floor = _mm256_set1_epi32((int)LOD_RANS_FLOOR);
    __m256i other = _mm256_setzero_si256();

    for (unsigned i = 0; i < LOD_RANS_PARTS; i++) {
        other = _mm256_or_si256(other, _mm256_xor_si256(s->state[i], floor));
    }
    return s->at == s->bytes.bytes && _mm256_testz_si256(other, other) ? 0 : -EILSEQ;
}

/* A small patch that is decoded row by row. */
struct lod_small_avx2 {
    const struct lod_l3_patch *patch;
    const struct lod_rans_tables *tables;
    const uint8_t *predictors; /* four bits a run */
    struct lod_rans_avx2 rans;
    lod_row magnitudes[LOD_L3_SAMPLES_MAX]; /* of the residuals above */
    __m256i limits[LOD_L3_SAMPLES_MAX][LOD_RANS_CLASSES];
    bool wrong;
};

/* Sets limits[p][k] to limit_of the lowest activity of plane p beyond class k. */
LOD_ALWAYS void lod_small_limits(struct lod_small_avx2 *s, __m256i (*limit_of)(unsigned activity))
{
    for (unsigned p = 0; p < s->patch->samples; p++) {
        for (unsigned k = 0; k + 1 < s->tables->classes; k++) {
            unsigned activity = 0;
            while (activity < LOD_RANS_ACTIVITIES && s->tables->class_of[p][activity] <= k) {
                activity++;
            }
            s->limits[p][k] = limit_of(activity);
        }
    }
}

/* Returns the predictor of a run. */
LOD_ALWAYS unsigned lod_small_predictor(struct lod_small_avx2 *s, unsigned run)
{
    const unsigned predictor = lod_l3_nibble(s->predictors, run);

    s->wrong |= predictor >= LOD_L3_PREDICTORS;
    return predictor;
}

/* Decodes a patch; take's ctx is the struct above. Returns -EILSEQ. */
LOD_ALWAYS int lod_small_rows_decode(const struct lod_l3_patch *patch, struct lod_span bytes,
                                     const struct lod_rans_tables *tables,
                                     __m256i (*limit_of)(unsigned activity), lod_take_run take,
                                     const struct lod_l3_target *target)
{
    const struct lod_small_map map = lod_small_map(patch);
    struct lod_small_avx2 s;

    if (!lod_rans_begin(&map, tables, bytes, &s.rans)) {
        return -EILSEQ;
    }
    s.patch = patch;
    s.tables = tables;
    s.predictors = bytes.at + map.predictors;
    s.wrong = false;
    for (size_t i = 0; i < sizeof(s.magnitudes) / sizeof(lod_sample); i++) {
        ((lod_sample *)s.magnitudes)[i] = LOD_SMALL_FIRST;
    }
    lod_small_limits(&s, limit_of);
    lod_decode_rows(patch, bytes.at[0] & LOD_L3_KIND_GREEN, take, &s, target);
    return s.wrong ? -EILSEQ : lod_rans_end(&s.rans);
}

#endif
#endif

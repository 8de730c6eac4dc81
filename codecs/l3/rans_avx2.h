/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The 32 lanes of a small patch as four vectors of states, for AVX2 with BMI2 (FORMAT.md, L3
 * stream, small): words are dealt out by a permutation that pdep makes of the lanes that need one.
 * For files that are compiled for AVX2 alone.
 */
#ifndef LOD_RANS_AVX2_H
#define LOD_RANS_AVX2_H
#ifdef __AVX2__

#include <errno.h>
#include <immintrin.h>
#include <string.h>

#include "l3/rans.h"
#include "l3/small.h"
#include "l3/vectors_avx2.h"

#define LOD_RANS_PARTS 4u /* vectors of eight states */

/* A patch being decoded. */
struct lod_rans_avx2 {
    struct lod_span bytes;
    size_t at;
    __m256i state[LOD_RANS_PARTS];
};

/* Ones in the first `count` of eight lanes. */
LOD_ALWAYS __m256i lod_rans_first(unsigned count)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/* Eight words, zeros behind the end. */
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

/* States below the floor take a word each, in the order of their lanes. */
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

#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Bit masks of a block's coefficients in zigzag order: those that a scan codes or corrects. */
#ifndef LOD_ENTROPY_BLOCK_H
#define LOD_ENTROPY_BLOCK_H

#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "pcr/jpeg/jpeg_planes.h"

/*
 * An attribute for loops over blocks. It compiles them, with all functions they call, a second time
 * for processors of 2013 and later; the program chooses the version when it starts.
 */
#ifdef LOD_TARGET_V3
#define LOD_ENTROPY_WIDEST __attribute__((flatten, target_clones("arch=x86-64-v3", "default")))
#else
#define LOD_ENTROPY_WIDEST
#endif

/* Returns a mask: bit k is set if coefficient k, shifted right by `low` bits, is not 0. */
#ifdef __SSE2__
static inline uint64_t lod_block_nonzero(const int16_t *block, unsigned low)
{
    __m128i above = _mm_set1_epi16((short)((1 << low) - 1));
    __m128i below = _mm_set1_epi16((short)(1 - (1 << low)));
    uint64_t mask = 0;

    for (unsigned i = 0; i < LOD_JPEG_BLOCK; i += 16) {
        __m128i a = _mm_loadu_si128((const __m128i *)(const void *)(block + i));
        __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(block + i + 8));
        a = _mm_or_si128(_mm_cmpgt_epi16(a, above), _mm_cmplt_epi16(a, below));
        b = _mm_or_si128(_mm_cmpgt_epi16(b, above), _mm_cmplt_epi16(b, below));
        mask |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_packs_epi16(a, b)) << i;
    }
    return mask;
}
#else
static inline uint64_t lod_block_nonzero(const int16_t *block, unsigned low)
{
    uint64_t mask = 0;

    for (unsigned i = 0; i < LOD_JPEG_BLOCK; i++) {
        int magnitude = block[i] < 0 ? -block[i] : block[i];
        mask |= (uint64_t)(magnitude >> low != 0) << i;
    }
    return mask;
}
#endif

/* Returns a mask: bit k is bit `low` of the magnitude of coefficient k. */
#ifdef __SSE2__
static inline uint64_t lod_block_bits(const int16_t *block, unsigned low)
{
    const __m128i zero = _mm_setzero_si128(), up = _mm_cvtsi32_si128((int)(15 - low));
    uint64_t mask = 0;

    for (unsigned i = 0; i < LOD_JPEG_BLOCK; i += 16) {
        __m128i a = _mm_loadu_si128((const __m128i *)(const void *)(block + i));
        __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(block + i + 8));
        a = _mm_sll_epi16(_mm_max_epi16(a, _mm_sub_epi16(zero, a)), up);
        b = _mm_sll_epi16(_mm_max_epi16(b, _mm_sub_epi16(zero, b)), up);
        a = _mm_packs_epi16(_mm_srai_epi16(a, 15), _mm_srai_epi16(b, 15));
        mask |= (uint64_t)(unsigned)_mm_movemask_epi8(a) << i;
    }
    return mask;
}
#else
static inline uint64_t lod_block_bits(const int16_t *block, unsigned low)
{
    uint64_t mask = 0;

    for (unsigned i = 0; i < LOD_JPEG_BLOCK; i++) {
        int magnitude = block[i] < 0 ? -block[i] : block[i];
        mask |= (uint64_t)(magnitude >> low & 1) << i;
    }
    return mask;
}
#endif

/* Returns a mask of bits first .. last. */
static inline uint64_t lod_block_band(unsigned first, unsigned last)
{
    return (UINT64_MAX << first) & (UINT64_MAX >> (63 - last));
}

/* Returns a mask of bits k .. end - 1; k <= end <= 64. */
static inline uint64_t lod_block_between(unsigned k, unsigned end)
{
    return k == end ? 0 : lod_block_band(k, end - 1);
}

#endif

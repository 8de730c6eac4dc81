/* SPDX-License-Identifier: Apache-2.0 */
/* Which coefficients of a block, in zigzag order, a scan has something to say of: as bits. */
#ifndef LOD_ENTROPY_BLOCK_H
#define LOD_ENTROPY_BLOCK_H

#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "pcr/jpeg_planes.h"

/* Bit k: coefficient k, scaled down by `low` bits, is not 0. */
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

/* Bits first .. last. */
static inline uint64_t lod_block_band(unsigned first, unsigned last)
{
    return (UINT64_MAX << first) & (UINT64_MAX >> (63 - last));
}

#endif

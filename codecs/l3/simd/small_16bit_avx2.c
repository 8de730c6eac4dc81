/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mode small for AVX2 with BMI2 and samples of 16 bits: the vector version of small.c. A symbol is
 * a token or an escape. Most leave bits open, which are read for all 32 lanes at once.
 */
#include "l3/simd/patch_avx2.h"

#define LOD_SAMPLE_BITS 16
#include "l3/simd/rans_avx2.h"
#include "l3/simd/vectors_avx2.h"

#define WIDE 8u /* columns of 32 bits in a vector */

/* Returns the smallest sum whose activity is at least this; see step_of in small.c. */
static int sum_of(unsigned activity)
{
    const unsigned e = activity / 8 + 2;

    return (int)(activity < 8                     ? activity
                 : activity < LOD_RANS_ACTIVITIES ? (8 + activity % 8) << (e - 3)
                                                  : INT32_MAX);
}

/* A sum reaches a limit if it is greater. */
LOD_ALWAYS __m256i limit_of(unsigned activity)
{
    return _mm256_set1_epi32(sum_of(activity) - 1);
}

LOD_ALWAYS __m256i widen(__m256i words, unsigned half)
{
    return _mm256_cvtepu16_epi32(half ? _mm256_extracti128_si256(words, 1)
                                      : _mm256_castsi256_si128(words));
}

/* Computes the classes of 16 columns, each in 32 bits: the number of limits that a sum reaches. */
LOD_ALWAYS void classes_of(const __m256i *limit, unsigned count, const uint16_t *row,
                           const uint16_t *m, __m256i classes[2])
{
    const __m256i t = lod_load(row), middle = lod_load(m);
    const __m256i left = _mm256_abs_epi16(_mm256_sub_epi16(t, lod_load(row - 1)));
    const __m256i right = _mm256_abs_epi16(_mm256_sub_epi16(t, lod_load(row + 1)));

    for (unsigned half = 0; half < 2; half++) {
        __m256i sum = _mm256_add_epi32(widen(left, half), widen(right, half));
        __m256i both = widen(middle, half);
        sum = _mm256_add_epi32(sum, _mm256_add_epi32(both, both));
        sum = _mm256_add_epi32(sum, widen(lod_load(m - 1), half));
        sum = _mm256_add_epi32(sum, widen(lod_load(m + 1), half));
        classes[half] = _mm256_setzero_si256();
        for (unsigned k = 0; k < count; k++) {
            classes[half] = _mm256_sub_epi32(classes[half], _mm256_cmpgt_epi32(sum, limit[k]));
        }
    }
}

/* Returns how many bits each symbol leaves open, in the active lanes. */
LOD_ALWAYS __m256i open_bits(__m256i token, __m256i escaped, __m256i active)
{
    const __m256i some = _mm256_cmpgt_epi32(token, _mm256_set1_epi32(LOD_SMALL_EXACT - 1));
    const __m256i bits = _mm256_sub_epi32(_mm256_srli_epi32(token, 2), _mm256_set1_epi32(2));
    const __m256i of_token = _mm256_and_si256(bits, some);

    return _mm256_and_si256(_mm256_blendv_epi8(of_token, _mm256_set1_epi32(16), escaped), active);
}

/* Combines symbols and their open bits to residuals, in the low 16 bits. */
LOD_ALWAYS __m256i residual_of(__m256i token, __m256i bits, __m256i value, __m256i escaped)
{
    const __m256i one = _mm256_set1_epi32(1);
    const __m256i lead =
        _mm256_or_si256(_mm256_and_si256(token, _mm256_set1_epi32(3)), _mm256_set1_epi32(4));
    const __m256i some = _mm256_cmpgt_epi32(token, _mm256_set1_epi32(LOD_SMALL_EXACT - 1));
    const __m256i zigzag =
        _mm256_blendv_epi8(token, _mm256_or_si256(_mm256_sllv_epi32(lead, bits), value), some);
    const __m256i sign = _mm256_sub_epi32(_mm256_setzero_si256(), _mm256_and_si256(zigzag, one));
    const __m256i plain = _mm256_xor_si256(_mm256_srli_epi32(zigzag, 1), sign);

    return _mm256_and_si256(_mm256_blendv_epi8(plain, value, escaped), _mm256_set1_epi32(0xffff));
}

/* Takes eight lanes' open bits from their states. */
LOD_ALWAYS __m256i finish(struct lod_rans_avx2 *s, unsigned part, __m256i entry, __m256i active)
{
    const __m256i escape = _mm256_set1_epi32(LOD_RANS_ESCAPE_BIT);
    const __m256i escaped = _mm256_cmpeq_epi32(_mm256_and_si256(entry, escape), escape);
    const __m256i token = _mm256_and_si256(entry, _mm256_set1_epi32(LOD_SMALL_TOKENS - 1));
    const __m256i bits = open_bits(token, escaped, active);
    const __m256i any = _mm256_cmpgt_epi32(bits, _mm256_setzero_si256());
    const __m256i mask =
        _mm256_sub_epi32(_mm256_sllv_epi32(_mm256_set1_epi32(1), bits), _mm256_set1_epi32(1));
    const __m256i value = _mm256_and_si256(s->state[part], mask);

    s->state[part] = lod_rans_refill(s, _mm256_srlv_epi32(s->state[part], bits), any);
    return residual_of(token, bits, value, escaped);
}

/* Decodes the residuals of 32 columns. */
LOD_ALWAYS void step(const struct lod_rans_tables *tables, struct lod_rans_avx2 *s,
                     const __m256i *classes, const __m256i active[LOD_RANS_PARTS],
                     uint16_t *residuals)
{
    const __m256i mask = _mm256_set1_epi32((int)LOD_RANS_TOTAL - 1);
    __m256i entry[LOD_RANS_PARTS];

    for (unsigned i = 0; i < LOD_RANS_PARTS; i++) {
        __m256i at = _mm256_or_si256(_mm256_slli_epi32(classes[i], LOD_RANS_BITS),
                                     _mm256_and_si256(s->state[i], mask));
        entry[i] = _mm256_i32gather_epi32((const int *)tables->slot, at, 4);
    }
    for (unsigned i = 0; i < LOD_RANS_PARTS; i++) {
        s->state[i] = lod_rans_advance(s, s->state[i], entry[i], active[i]);
    }
    for (unsigned i = 0; i < LOD_RANS_PARTS; i++) {
        entry[i] = finish(s, i, entry[i], active[i]);
    }
    for (unsigned i = 0; i < LOD_RANS_PARTS; i += 2) {
        __m256i both = _mm256_packus_epi32(entry[i], entry[i + 1]);
        lod_put(residuals + WIDE * i, _mm256_permute4x64_epi64(both, 0xd8));
    }
}

/* Decodes the residuals of a run and returns its predictor. */
LOD_ALWAYS unsigned take_run(void *ctx, unsigned run, unsigned p, const uint16_t *above,
                             uint16_t *residuals)
{
    struct lod_small_avx2 *s = ctx;
    const unsigned width = s->patch->width, predictor = lod_small_predictor(s, run);
    uint16_t *magnitudes = s->magnitudes[p] + LOD_VECTOR;
    __m256i classes[LOD_L3_SIDE_MAX / WIDE];

    for (unsigned x = 0; x < width; x += LOD_RANS_LANES) {
        for (unsigned i = 0; i < LOD_RANS_LANES; i += LOD_VECTOR) {
            classes_of(s->limits[p], s->tables->classes - 1u, above + x + i, magnitudes + x + i,
                       classes + (x + i) / WIDE);
        }
    }
    for (unsigned x = 0; x < width; x += LOD_RANS_LANES) {
        unsigned left = width - x;
        __m256i active[LOD_RANS_PARTS];
        for (unsigned i = 0; i < LOD_RANS_PARTS; i++) {
            active[i] = lod_rans_first(left > WIDE * i ? left - WIDE * i : 0);
        }
        step(s->tables, &s->rans, classes + x / WIDE, active, residuals + x);
    }
    for (unsigned x = 0; x < width; x += LOD_VECTOR) {
        lod_put(magnitudes + x, _mm256_abs_epi16(lod_load(residuals + x)));
    }
    lod_close(magnitudes, width);
    return predictor;
}

int lod_small_16bit_avx2(const struct lod_l3_patch *patch, struct lod_span bytes,
                         const struct lod_rans_tables *tables, const struct lod_l3_target *target,
                         struct lod_small_rows *unused)
{
    (void)unused;
    return lod_small_rows_decode(patch, bytes, tables, limit_of, take_run, target);
}

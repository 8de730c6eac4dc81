/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mode small for AVX2 with BMI2 and samples of up to 8 bits: the vector version of small.c. The
 * lanes are in rans_avx2.h; slots are looked up with a gather.
 */
#include "l3/simd/patch_avx2.h"

#define LOD_SAMPLE_BITS 8
#include "l3/simd/rans_avx2.h"
#include "l3/simd/vectors_avx2.h"

/* Completes the lanes whose symbol was an escape: eight bits of their state are the residual. */
static __attribute__((noinline)) void escape(struct lod_rans_avx2 *s, __m256i entry[LOD_RANS_PARTS],
                                             const __m256i active[LOD_RANS_PARTS])
{
    const __m256i bit = _mm256_set1_epi32(LOD_RANS_ESCAPE_BIT);

    for (unsigned i = 0; i < LOD_RANS_PARTS; i++) {
        __m256i escaped =
            _mm256_and_si256(_mm256_cmpeq_epi32(_mm256_and_si256(entry[i], bit), bit), active[i]);
        __m256i low = _mm256_and_si256(s->state[i], _mm256_set1_epi32(255));
        entry[i] = _mm256_blendv_epi8(entry[i], low, escaped);
        __m256i rest = _mm256_srli_epi32(s->state[i], 8);
        s->state[i] = lod_rans_refill(s, _mm256_blendv_epi8(s->state[i], rest, escaped), escaped);
    }
}

/* Decodes the symbols of 32 columns. */
LOD_ALWAYS void step(const struct lod_rans_tables *tables, struct lod_rans_avx2 *s,
                     const uint8_t *classes, const __m256i active[LOD_RANS_PARTS],
                     uint8_t *residuals)
{
    const __m256i mask = _mm256_set1_epi32((int)LOD_RANS_TOTAL - 1);
    const __m256i byte = _mm256_set1_epi32(255);
    const __m256i bit = _mm256_set1_epi32(LOD_RANS_ESCAPE_BIT);
    __m256i entry[LOD_RANS_PARTS], escaped = _mm256_setzero_si256();

    for (unsigned i = 0; i < LOD_RANS_PARTS; i++) {
        __m256i of = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i_u *)(classes + 8 * i)));
        __m256i at = _mm256_or_si256(_mm256_slli_epi32(of, LOD_RANS_BITS),
                                     _mm256_and_si256(s->state[i], mask));
        entry[i] = _mm256_i32gather_epi32((const int *)tables->slot, at, 4);
        escaped = _mm256_or_si256(escaped, _mm256_and_si256(entry[i], active[i]));
    }
    for (unsigned i = 0; i < LOD_RANS_PARTS; i++) {
        s->state[i] = lod_rans_advance(s, s->state[i], entry[i], active[i]);
    }
    if (__builtin_expect(!_mm256_testz_si256(escaped, bit), 0)) {
        escape(s, entry, active);
    }
    __m256i low =
        _mm256_packus_epi32(_mm256_and_si256(entry[0], byte), _mm256_and_si256(entry[1], byte));
    __m256i high =
        _mm256_packus_epi32(_mm256_and_si256(entry[2], byte), _mm256_and_si256(entry[3], byte));
    lod_put(residuals, _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high),
                                                   _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
}

/* Returns the classes of columns: the number of limits that each activity reaches. */
LOD_ALWAYS __m256i classes_of(const __m256i *limits, unsigned count, const uint8_t *row,
                              const uint8_t *magnitudes)
{
    __m256i t = lod_load(row), m = lod_load(magnitudes), zero = _mm256_setzero_si256();
    __m256i sum = _mm256_adds_epu8(_mm256_abs_epi8(_mm256_sub_epi8(t, lod_load(row - 1))),
                                   _mm256_abs_epi8(_mm256_sub_epi8(t, lod_load(row + 1))));
    __m256i classes = zero;

    sum = _mm256_adds_epu8(sum, _mm256_adds_epu8(m, m));
    sum =
        _mm256_adds_epu8(sum, _mm256_adds_epu8(lod_load(magnitudes - 1), lod_load(magnitudes + 1)));
    sum = _mm256_min_epu8(sum, _mm256_set1_epi8(LOD_RANS_ACTIVITIES - 1));
    for (unsigned k = 0; k < count; k++) {
        __m256i reached = _mm256_cmpeq_epi8(_mm256_max_epu8(sum, limits[k]), sum);
        classes = _mm256_sub_epi8(classes, reached);
    }
    return classes;
}

LOD_ALWAYS __m256i limit_of(unsigned activity)
{
    return _mm256_set1_epi8((char)activity);
}

/* Decodes the residuals of a run and returns its predictor. */
LOD_ALWAYS unsigned take_run(void *ctx, unsigned run, unsigned p, const uint8_t *above,
                             uint8_t *residuals)
{
    struct lod_small_avx2 *s = ctx;
    const unsigned width = s->patch->width, predictor = lod_small_predictor(s, run);
    uint8_t classes[LOD_L3_SIDE_MAX], *magnitudes = s->magnitudes[p] + LOD_VECTOR;

    for (unsigned x = 0; x < width; x += LOD_VECTOR) {
        lod_put(classes + x,
                classes_of(s->limits[p], s->tables->classes - 1u, above + x, magnitudes + x));
    }
    for (unsigned x = 0; x < width; x += LOD_RANS_LANES) {
        unsigned left = width - x;
        __m256i active[LOD_RANS_PARTS];
        for (unsigned i = 0; i < LOD_RANS_PARTS; i++) {
            active[i] = lod_rans_first(left > 8 * i ? left - 8 * i : 0);
        }
        step(s->tables, &s->rans, classes + x, active, residuals + x);
    }
    for (unsigned x = 0; x < width; x += LOD_VECTOR) {
        lod_put(magnitudes + x, _mm256_abs_epi8(lod_load(residuals + x)));
    }
    lod_close(magnitudes, width);
    return predictor;
}

int lod_small_avx2(const struct lod_l3_patch *patch, struct lod_span bytes,
                   const struct lod_rans_tables *tables, const struct lod_l3_target *target,
                   struct lod_small_rows *unused)
{
    (void)unused;
    return lod_small_rows_decode(patch, bytes, tables, limit_of, take_run, target);
}

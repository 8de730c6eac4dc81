/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mode small for AVX2 with BMI2: the twin of small.c for samples of up to 8 bits. The 32 lanes of a
 * patch are rans_avx2.h's; a slot is a gather.
 */
#include "l3/patch_avx2.h"

#include <errno.h>

#include "l3/rans_avx2.h"
#include "l3/vectors_avx2.h"

/* Lanes whose symbol was an escape: eight bits of their state are the residual.
 */
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

/* The symbols of 32 columns. */
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

/* A class is the number of limits that an activity reaches. */
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

static void limits_of(const struct lod_rans_tables *tables, unsigned plane, __m256i *limits)
{
    for (unsigned k = 0; k + 1 < tables->classes; k++) {
        unsigned limit = 0;
        while (limit < LOD_RANS_ACTIVITIES && tables->class_of[plane][limit] <= k) {
            limit++;
        }
        limits[k] = _mm256_set1_epi8((char)limit);
    }
}

/* The residuals of a run. */
LOD_ALWAYS void take_run(const struct lod_l3_patch *patch, const struct lod_rans_tables *tables,
                         struct lod_rans_avx2 *s, const __m256i *limits, const uint8_t *above,
                         uint8_t *magnitudes, uint8_t *residuals)
{
    uint8_t classes[LOD_L3_SIDE_MAX];

    for (unsigned x = 0; x < patch->width; x += LOD_VECTOR) {
        lod_put(classes + x, classes_of(limits, tables->classes - 1u, above + x, magnitudes + x));
    }
    for (unsigned x = 0; x < patch->width; x += LOD_RANS_LANES) {
        unsigned left = patch->width - x;
        __m256i active[LOD_RANS_PARTS];
        for (unsigned i = 0; i < LOD_RANS_PARTS; i++) {
            active[i] = lod_rans_first(left > 8 * i ? left - 8 * i : 0);
        }
        step(tables, s, classes + x, active, residuals + x);
    }
    for (unsigned x = 0; x < patch->width; x += LOD_VECTOR) {
        lod_put(magnitudes + x, _mm256_abs_epi8(lod_load(residuals + x)));
    }
    lod_close(magnitudes, patch->width);
}

int lod_small_avx2(const struct lod_l3_patch *patch, struct lod_span bytes,
                   const struct lod_rans_tables *tables, const struct lod_l3_target *target,
                   struct lod_small_rows *unused)
{
    struct lod_small_map map = lod_small_map(patch);
    lod_bytes rows[2][LOD_L3_SAMPLES_MAX], magnitudes[LOD_L3_SAMPLES_MAX], residuals;
    __m256i limits[LOD_L3_SAMPLES_MAX][LOD_RANS_CLASSES];
    struct lod_shape shape;
    struct lod_rans_avx2 s;
    bool wrong = false;
    unsigned run = 0;

    (void)unused;
    if (!lod_rans_begin(&map, tables, bytes, &s)) {
        return -EILSEQ;
    }
    lod_shape_init(patch, &shape);
    memset(rows, 0, sizeof(rows));
    memset(magnitudes, LOD_SMALL_FIRST, sizeof(magnitudes));
    for (unsigned p = 0; p < patch->samples; p++) {
        limits_of(tables, p, limits[p]);
    }
    for (unsigned y = 0; y < patch->height; y++) {
        lod_bytes *now = rows[y % 2], *above = rows[(y + 1) % 2];
        for (unsigned p = 0; p < patch->samples; p++, run++) {
            unsigned predictor = lod_l3_nibble(bytes.at + map.predictors, run);
            wrong |= predictor >= LOD_L3_PREDICTORS;
            take_run(patch, tables, &s, limits[p], above[p] + LOD_VECTOR,
                     magnitudes[p] + LOD_VECTOR, residuals);
            lod_rebuild(&shape, patch->width, predictor, above[p] + LOD_VECTOR, residuals,
                        now[p] + LOD_VECTOR);
        }
        lod_store(patch, &shape, bytes.at[0] & LOD_L3_KIND_GREEN, now,
                  target->into + y * target->stride);
    }
    return wrong ? -EILSEQ : lod_rans_end(&s);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mode small for AVX-512 with VBMI and samples of up to 8 bits: the vector version of small.c. The
 * 32 lanes of a patch are two vectors. Slots are looked up with a gather, words distributed by
 * vpexpandd.
 *
 * A lane's next symbol needs the result of the last one about 60 cycles later, mostly for the
 * gather and the multiplication. So two patches are decoded together where possible: each uses the
 * other's waiting time.
 */
#include "l3/simd/patch_avx512.h"

#include <errno.h>

#include "l3/simd/vectors_avx512.h"

#define HALF 16u /* lanes in a vector of states */

/* A patch being decoded. */
struct stream {
    struct lod_span bytes;
    size_t at;
    __m512i state[2];
    __m512i rows[LOD_L3_SAMPLES_MAX][LOD_VECTORS];
    __m512i magnitudes[LOD_L3_SAMPLES_MAX][LOD_VECTORS];
    bool wrong;
};

LOD_ALWAYS __m512i words(const struct stream *s)
{
    size_t left = s->at < s->bytes.bytes ? s->bytes.bytes - s->at : 0;
    __m256i raw;

    if (left >= 2 * HALF) {
        raw = _mm256_loadu_si256((const __m256i_u *)(s->bytes.at + s->at));
    } else {
        raw = _mm256_maskz_loadu_epi8(_bzhi_u32(~0u, (unsigned)left), s->bytes.at + s->at);
    }
    return _mm512_cvtepu16_epi32(raw);
}

/* Refills the states below the floor with a word each, in the order of their lanes. */
LOD_ALWAYS __m512i refill(struct stream *s, __m512i state, __mmask16 active)
{
    __mmask16 low =
        _mm512_mask_cmplt_epu32_mask(active, state, _mm512_set1_epi32((int)LOD_RANS_FLOOR));
    __m512i dealt = _mm512_maskz_expand_epi32(low, words(s));

    s->at += 2u * (unsigned)__builtin_popcount(low);
    return _mm512_mask_or_epi32(state, low, _mm512_slli_epi32(state, 16), dealt);
}

LOD_ALWAYS __m512i symbol(const struct lod_rans_tables *tables, __m128i classes, __m512i state)
{
    __m512i slot = _mm512_and_si512(state, _mm512_set1_epi32((int)LOD_RANS_TOTAL - 1));
    __m512i base = _mm512_slli_epi32(_mm512_cvtepu8_epi32(classes), LOD_RANS_BITS);

    return _mm512_i32gather_epi32(_mm512_or_si512(base, slot), tables->slot, 4);
}

LOD_ALWAYS __m512i advance(struct stream *s, __m512i state, __m512i entry, __mmask16 active)
{
    __m512i count = _mm512_srli_epi32(entry, LOD_RANS_COUNT_SHIFT);
    __m512i offset = _mm512_and_si512(_mm512_srli_epi32(entry, LOD_RANS_OFFSET_SHIFT),
                                      _mm512_set1_epi32((int)LOD_RANS_TOTAL - 1));
    __m512i next = _mm512_add_epi32(
        _mm512_mullo_epi32(count, _mm512_srli_epi32(state, LOD_RANS_BITS)), offset);

    return refill(s, _mm512_mask_mov_epi32(state, active, next), active);
}

/* Completes the lanes whose symbol was an escape: eight bits of their state are the residual. */
static __attribute__((noinline)) void escape(struct stream *s, __m512i entry[2],
                                             const __mmask16 escaped[2])
{
    for (unsigned h = 0; h < 2; h++) {
        __m512i low = _mm512_and_si512(s->state[h], _mm512_set1_epi32(255));
        entry[h] = _mm512_mask_mov_epi32(entry[h], escaped[h], low);
        s->state[h] = _mm512_mask_srli_epi32(s->state[h], escaped[h], s->state[h], 8);
        s->state[h] = refill(s, s->state[h], escaped[h]);
    }
}

/* Decodes the symbols of 32 columns. */
LOD_ALWAYS void step(const struct lod_rans_tables *tables, struct stream *s, __m256i classes,
                     const __mmask16 active[2], __m512i entry[2])
{
    const __m512i bit = _mm512_set1_epi32(LOD_RANS_ESCAPE_BIT);

    entry[0] = symbol(tables, _mm256_castsi256_si128(classes), s->state[0]);
    entry[1] = symbol(tables, _mm256_extracti128_si256(classes, 1), s->state[1]);
    s->state[0] = advance(s, s->state[0], entry[0], active[0]);
    s->state[1] = advance(s, s->state[1], entry[1], active[1]);
    __mmask16 escaped[2] = {_mm512_mask_test_epi32_mask(active[0], entry[0], bit),
                            _mm512_mask_test_epi32_mask(active[1], entry[1], bit)};
    if (__builtin_expect(!_kortestz_mask16_u8(escaped[0], escaped[1]), 0)) {
        escape(s, entry, escaped);
    }
}

/* Returns the lowest bytes of four times sixteen numbers. */
LOD_ALWAYS __m512i lowest(const __m512i entry[4])
{
    const __m512i pick = _mm512_castsi256_si512(
        _mm256_setr_epi8(0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 68, 72,
                         76, 80, 84, 88, 92, 96, 100, 104, 108, 112, 116, 120, 124));
    __m512i first = _mm512_permutex2var_epi8(entry[0], pick, entry[1]);
    __m512i second = _mm512_permutex2var_epi8(entry[2], pick, entry[3]);

    return _mm512_inserti64x4(first, _mm512_castsi512_si256(second), 1);
}

/* Returns the classes of a vector of columns: see lod_small_classes. */
LOD_ALWAYS __m512i classes_of(const struct lod_shape *shape, const __m512i class_of[2],
                              const __m512i *row, const __m512i *magnitudes, unsigned v, unsigned n)
{
    __m512i t = row[v], m = magnitudes[v];
    __m512i sum =
        _mm512_adds_epu8(_mm512_abs_epi8(_mm512_sub_epi8(t, lod_before(shape, row, v))),
                         _mm512_abs_epi8(_mm512_sub_epi8(t, lod_after(shape, row, v, n))));

    sum = _mm512_adds_epu8(sum, _mm512_adds_epu8(m, m));
    sum = _mm512_adds_epu8(sum, _mm512_adds_epu8(lod_before(shape, magnitudes, v),
                                                 lod_after(shape, magnitudes, v, n)));
    sum = _mm512_min_epu8(sum, _mm512_set1_epi8(LOD_RANS_ACTIVITIES - 1));
    return _mm512_permutex2var_epi8(class_of[0], sum, class_of[1]);
}

/* Loads the tables of classes, and the masks of the columns that the patch has. */
LOD_ALWAYS void load_tables(const struct lod_l3_patch *patch, const struct lod_rans_tables *tables,
                            __m512i class_of[LOD_L3_SAMPLES_MAX][2],
                            __mmask16 active[LOD_VECTORS * 4])
{
    for (unsigned i = 0; i < LOD_VECTORS * 4; i++) {
        unsigned left = patch->width > i * HALF ? patch->width - i * HALF : 0;
        active[i] = (__mmask16)_bzhi_u32(0xffff, left < HALF ? left : HALF);
    }
    for (unsigned p = 0; p < patch->samples; p++) {
        class_of[p][0] = _mm512_loadu_si512(tables->class_of[p]);
        class_of[p][1] = _mm512_loadu_si512(tables->class_of[p] + LOD_VECTOR);
    }
}

/* Adds the residuals of the decoded symbols to the prediction of plane p's row. */
LOD_ALWAYS void rebuild_row(const struct lod_shape *shape, struct stream *s, unsigned predictor,
                            unsigned p, const __m512i *entry, unsigned n)
{
    __m512i residuals[LOD_VECTORS];

    for (unsigned v = 0; v < n; v++) {
        residuals[v] = lowest(entry + 4 * v);
        s->magnitudes[p][v] = _mm512_abs_epi8(residuals[v]);
    }
    s->wrong |= predictor >= LOD_L3_PREDICTORS;
    lod_reconstruct(shape, predictor, s->rows[p], residuals, n);
}

/* Decodes k patches of the same shape, whose rows are n vectors wide. A run is a row of a plane. */
LOD_ALWAYS void decode(const struct lod_l3_patch *patch, const struct lod_rans_tables *tables,
                       const struct lod_small_map *map, const struct lod_l3_target *target,
                       struct stream *s, unsigned n, unsigned k)
{
    struct lod_shape shape;
    __m512i class_of[LOD_L3_SAMPLES_MAX][2];
    __mmask16 active[LOD_VECTORS * 4];

    lod_shape_init(patch, &shape);
    load_tables(patch, tables, class_of, active);
    for (unsigned run = 0, p = 0, y = 0; run < map->runs; run++) {
        __m512i classes[LOD_L3_PAIR][LOD_VECTORS], entry[LOD_L3_PAIR][LOD_VECTORS * 4];
        for (unsigned i = 0; i < k; i++) {
            for (unsigned v = 0; v < n; v++) {
                classes[i][v] =
                    classes_of(&shape, class_of[p], s[i].rows[p], s[i].magnitudes[p], v, n);
            }
        }
        for (unsigned half = 0; half < 2 * n; half++) {
            for (unsigned i = 0; i < k; i++) {
                __m256i some = half % 2 ? _mm512_extracti64x4_epi64(classes[i][half / 2], 1)
                                        : _mm512_castsi512_si256(classes[i][half / 2]);
                step(tables, &s[i], some, active + 2 * half, entry[i] + 2 * half);
            }
        }
        for (unsigned i = 0; i < k; i++) {
            rebuild_row(&shape, &s[i], lod_l3_nibble(s[i].bytes.at + map->predictors, run), p,
                        entry[i], n);
            if (p + 1 == patch->samples) {
                lod_store(&shape, patch->width, patch->samples,
                          s[i].bytes.at[0] & LOD_L3_KIND_GREEN, s[i].rows, n,
                          target[i].into + y * target[i].stride);
            }
        }
        y += p + 1 == patch->samples;
        p = p + 1 == patch->samples ? 0 : p + 1;
    }
}

static int begin(const struct lod_small_map *map, const struct lod_rans_tables *tables,
                 struct lod_span bytes, struct stream *s)
{
    if (!tables->classes || bytes.bytes < map->words || (bytes.bytes - map->words) % 2) {
        return -EILSEQ;
    }
    s->bytes = bytes;
    s->at = map->words;
    s->wrong = false;
    for (unsigned h = 0; h < 2; h++) {
        unsigned left = map->lanes > h * HALF ? map->lanes - h * HALF : 0;
        __mmask16 some = (__mmask16)_bzhi_u32(0xffff, left < HALF ? left : HALF);
        s->state[h] = _mm512_mask_loadu_epi32(_mm512_set1_epi32((int)LOD_RANS_FLOOR), some,
                                              bytes.at + map->states + (size_t)4 * HALF * h);
    }
    for (unsigned p = 0; p < LOD_L3_SAMPLES_MAX; p++) {
        for (unsigned v = 0; v < LOD_VECTORS; v++) {
            s->rows[p][v] = _mm512_setzero_si512();
            s->magnitudes[p][v] = _mm512_set1_epi8(LOD_SMALL_FIRST);
        }
    }
    return 0;
}

static int end(const struct stream *s)
{
    const __m512i floor = _mm512_set1_epi32((int)LOD_RANS_FLOOR);
    bool sound = !s->wrong && s->at == s->bytes.bytes &&
                 _mm512_cmpneq_epi32_mask(s->state[0], floor) == 0 &&
                 _mm512_cmpneq_epi32_mask(s->state[1], floor) == 0;

    return sound ? 0 : -EILSEQ;
}

int lod_small_avx512(const struct lod_l3_patch *patch, struct lod_span bytes,
                     const struct lod_rans_tables *tables, const struct lod_l3_target *target,
                     struct lod_small_rows *rows)
{
    struct lod_small_map map = lod_small_map(patch);
    struct stream s;

    (void)rows;
    int r = begin(&map, tables, bytes, &s);
    if (r) {
        return r;
    }
    if (patch->width <= LOD_VECTOR) {
        decode(patch, tables, &map, target, &s, 1, 1);
    } else {
        decode(patch, tables, &map, target, &s, 2, 1);
    }
    return end(&s);
}

int lod_small_pair_avx512(const struct lod_l3_patch *patch,
                          const struct lod_span bytes[LOD_L3_PAIR],
                          const struct lod_rans_tables *tables,
                          const struct lod_l3_target target[LOD_L3_PAIR])
{
    struct lod_small_map map = lod_small_map(patch);
    struct stream s[LOD_L3_PAIR];

    for (unsigned i = 0; i < LOD_L3_PAIR; i++) {
        int r = begin(&map, tables, bytes[i], &s[i]);
        if (r) {
            return r;
        }
    }
    if (patch->width <= LOD_VECTOR) {
        decode(patch, tables, &map, target, s, 1, LOD_L3_PAIR);
    } else {
        decode(patch, tables, &map, target, s, 2, LOD_L3_PAIR);
    }
    int first = end(&s[0]);
    return first ? first : end(&s[1]);
}

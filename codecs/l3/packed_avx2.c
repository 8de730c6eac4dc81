/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modes packed and paper for AVX2 with BMI2: the twin of packed.c and paper.c for samples of up to
 * 8 bits. Eight fields of w bits are w bytes; pdep puts them into eight bytes.
 *
 * Nothing is checked beforehand: offsets are compared with the patch's end before each load, wrong
 * widths and predictors are remembered, and a patch is sound if it ends where its fields end.
 */
#include "l3/patch_avx2.h"

#include <errno.h>

#include "l3/packed.h"
#include "l3/paper.h"
#include "l3/vectors_avx2.h"

#define ONES 0x0101010101010101ull

/* A patch being taken apart. */
struct fields {
    struct lod_span bytes;
    size_t at;
    bool wrong;
    unsigned bits;
};

/* Of a field of each width: its bits, eight times, and its bias. A wrong width
 * has none. */
static const uint64_t bits_of[16] = {0,         ONES,      ONES * 3,   ONES * 7,  ONES * 15,
                                     ONES * 31, ONES * 63, ONES * 127, ONES * 255};
static const uint8_t bias_of[16] = {0, 1, 2, 4, 8, 16, 32, 64, 128};

/* Eight fields of a width; the patch has eight bytes more. */
LOD_ALWAYS long long eight(const uint8_t **at, unsigned width)
{
    uint64_t word;

    memcpy(&word, *at, sizeof(word));
    *at += width;
    return (long long)_pdep_u64(word, bits_of[width]);
}

LOD_ALWAYS __m256i take_four(const uint8_t *at, const unsigned width[4])
{
    long long word0 = eight(&at, width[0]), word1 = eight(&at, width[1]);
    long long word2 = eight(&at, width[2]), word3 = eight(&at, width[3]);

    return _mm256_set_epi64x(word3, word2, word1, word0);
}

/* More bytes than four groups take and `eight` reads. */
#define FAR 72u

/* Four groups less `less`; where not all four are there, the others have width
 * 0. */
LOD_ALWAYS void take_vector(struct fields *f, const unsigned width[4], __m256i less, uint8_t *into)
{
    size_t left = f->at < f->bytes.bytes ? f->bytes.bytes - f->at : 0;
    __m256i fields;

    if (left >= FAR) {
        fields = take_four(f->bytes.at + f->at, width);
    } else {
        uint8_t last[FAR] = {0};
        memcpy(last, f->bytes.at + (f->bytes.bytes - left), left);
        fields = take_four(last, width);
    }
    for (unsigned g = 0; g < 4; g++) {
        f->wrong |= width[g] > f->bits;
        f->at += width[g];
    }
    lod_put(into, _mm256_sub_epi8(fields, less));
}

/* Residuals of one plane of a row; returns its predictor. */
typedef unsigned (*take_run)(struct fields *f, const void *map, unsigned run, uint8_t *residuals);

LOD_ALWAYS unsigned take_packed(struct fields *f, const void *ctx, unsigned run, uint8_t *residuals)
{
    const struct lod_l3_packed_map *map = ctx;
    const unsigned predictor = lod_l3_nibble(f->bytes.at + map->predictors, run);
    const uint8_t *widths = f->bytes.at + map->widths + run * map->widths_of_run;

    f->wrong |= predictor >= LOD_L3_PREDICTORS;
    for (unsigned v = 0; 4 * v < map->groups; v++) {
        unsigned low = widths[v] & 15u, high = widths[v] >> 4, left = map->groups - 4 * v;
        unsigned width[4] = {low, low, high, high};
        __m256i bias = _mm256_setr_m128i(_mm_set1_epi8((char)bias_of[low]),
                                         _mm_set1_epi8((char)bias_of[high]));
        if (left < 4) {
            width[1] = left > 1 ? low : 0;
            width[2] = left > 2 ? high : 0;
            width[3] = 0;
        }
        take_vector(f, width, bias, residuals + v * LOD_VECTOR);
    }
    return predictor;
}

LOD_ALWAYS unsigned take_paper(struct fields *f, const void *ctx, unsigned run, uint8_t *residuals)
{
    const struct lod_paper_map *map = ctx;
    const unsigned width = lod_l3_nibble(f->bytes.at + map->widths, run);
    const __m256i less = _mm256_set1_epi8((char)(256 - f->bytes.at[map->bases + run]));

    for (unsigned v = 0; 4 * v < map->groups; v++) {
        unsigned left = map->groups - 4 * v;
        const unsigned widths[4] = {width, left > 1 ? width : 0, left > 2 ? width : 0,
                                    left > 3 ? width : 0};
        take_vector(f, widths, less, residuals + v * LOD_VECTOR);
    }
    return LOD_L3_PAETH;
}

/* All rows, from the payload at f.at on; `green`: the bit of the kind that says G is to be added.
 */
LOD_ALWAYS int decode(const struct lod_l3_patch *patch, struct fields f, take_run take,
                      const void *map, uint8_t green, const struct lod_l3_target *target)
{
    lod_bytes rows[2][LOD_L3_SAMPLES_MAX], residuals;
    struct lod_shape shape;
    unsigned run = 0;

    if (f.bytes.bytes < f.at) {
        return -EILSEQ;
    }
    lod_shape_init(patch, &shape);
    memset(rows, 0, sizeof(rows));
    for (unsigned y = 0; y < patch->height; y++) {
        lod_bytes *now = rows[y % 2], *above = rows[(y + 1) % 2];
        for (unsigned p = 0; p < patch->samples; p++, run++) {
            unsigned predictor = take(&f, map, run, residuals);
            lod_rebuild(&shape, patch->width, predictor, above[p] + LOD_VECTOR, residuals,
                        now[p] + LOD_VECTOR);
        }
        lod_store(patch, &shape, f.bytes.at[0] & green, now, target->into + y * target->stride);
    }
    return f.wrong || f.at != f.bytes.bytes ? -EILSEQ : 0;
}

int lod_packed_avx2(const struct lod_l3_patch *patch, struct lod_span bytes,
                    const struct lod_l3_target *target, struct lod_l3_rows *unused)
{
    const struct lod_l3_packed_map map = lod_l3_packed_map(patch);
    const struct fields f = {.bytes = bytes, .at = map.payload, .bits = patch->bits};

    (void)unused;
    return decode(patch, f, take_packed, &map, LOD_L3_KIND_GREEN, target);
}

int lod_paper_avx2(const struct lod_l3_patch *patch, struct lod_span bytes,
                   const struct lod_l3_target *target, struct lod_l3_rows *unused)
{
    const struct lod_paper_map map = lod_paper_map(patch);
    const struct fields f = {.bytes = bytes, .at = map.payload, .bits = patch->bits};

    (void)unused;
    return decode(patch, f, take_paper, &map, 0, target);
}

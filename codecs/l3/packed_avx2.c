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
LOD_ALWAYS long long take(const uint8_t **at, unsigned width)
{
    uint64_t word;

    memcpy(&word, *at, sizeof(word));
    *at += width;
    return (long long)_pdep_u64(word, bits_of[width]);
}

LOD_ALWAYS __m256i take_four(const uint8_t *at, const unsigned width[4])
{
    long long word0 = take(&at, width[0]), word1 = take(&at, width[1]);
    long long word2 = take(&at, width[2]), word3 = take(&at, width[3]);

    return _mm256_set_epi64x(word3, word2, word1, word0);
}

/* More bytes than four groups take and `take` reads. */
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

LOD_ALWAYS void take_packed(struct fields *f, const struct lod_l3_packed_map *map,
                            const uint8_t *widths, uint8_t *residuals)
{
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
}

LOD_ALWAYS void take_paper(struct fields *f, unsigned groups, unsigned width, unsigned base,
                           uint8_t *residuals)
{
    __m256i less = _mm256_set1_epi8((char)(256 - base));

    for (unsigned v = 0; 4 * v < groups; v++) {
        unsigned left = groups - 4 * v;
        const unsigned widths[4] = {width, left > 1 ? width : 0, left > 2 ? width : 0,
                                    left > 3 ? width : 0};
        take_vector(f, widths, less, residuals + v * LOD_VECTOR);
    }
}

static int end(const struct fields *f)
{
    return f->wrong || f->at != f->bytes.bytes ? -EILSEQ : 0;
}

int lod_packed_avx2(const struct lod_l3_patch *patch, struct lod_span bytes,
                    const struct lod_l3_target *target, struct lod_l3_rows *unused)
{
    struct lod_l3_packed_map map = lod_l3_packed_map(patch);
    struct fields f = {.bytes = bytes, .at = map.payload, .bits = patch->bits};
    lod_bytes rows[2][LOD_L3_SAMPLES_MAX], residuals;
    struct lod_shape shape;
    unsigned run = 0;

    (void)unused;
    if (bytes.bytes < map.payload) {
        return -EILSEQ;
    }
    lod_shape_init(patch, &shape);
    memset(rows, 0, sizeof(rows));
    for (unsigned y = 0; y < patch->height; y++) {
        lod_bytes *now = rows[y % 2], *above = rows[(y + 1) % 2];
        for (unsigned p = 0; p < patch->samples; p++, run++) {
            unsigned predictor = lod_l3_nibble(bytes.at + map.predictors, run);
            f.wrong |= predictor >= LOD_L3_PREDICTORS;
            take_packed(&f, &map, bytes.at + map.widths + run * map.widths_of_run, residuals);
            lod_rebuild(&shape, patch->width, predictor, above[p] + LOD_VECTOR, residuals,
                        now[p] + LOD_VECTOR);
        }
        lod_store(patch, &shape, bytes.at[0] & LOD_L3_KIND_GREEN, now,
                  target->into + y * target->stride);
    }
    return end(&f);
}

int lod_paper_avx2(const struct lod_l3_patch *patch, struct lod_span bytes,
                   const struct lod_l3_target *target, struct lod_l3_rows *unused)
{
    struct lod_paper_map map = lod_paper_map(patch);
    struct fields f = {.bytes = bytes, .at = map.payload, .bits = patch->bits};
    lod_bytes rows[2][LOD_L3_SAMPLES_MAX], residuals;
    struct lod_shape shape;
    unsigned run = 0;

    (void)unused;
    if (bytes.bytes < map.payload) {
        return -EILSEQ;
    }
    lod_shape_init(patch, &shape);
    memset(rows, 0, sizeof(rows));
    for (unsigned y = 0; y < patch->height; y++) {
        lod_bytes *now = rows[y % 2], *above = rows[(y + 1) % 2];
        for (unsigned p = 0; p < patch->samples; p++, run++) {
            take_paper(&f, map.groups, lod_l3_nibble(bytes.at + map.widths, run),
                       bytes.at[map.bases + run], residuals);
            lod_rebuild_one(&shape, LOD_L3_PAETH, above[p] + LOD_VECTOR, residuals,
                            now[p] + LOD_VECTOR);
            lod_close(now[p] + LOD_VECTOR, patch->width);
        }
        lod_store(patch, &shape, false, now, target->into + y * target->stride);
    }
    return end(&f);
}

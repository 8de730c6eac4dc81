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

/* What is done to a field of each width: its bits, and its bias, eight times. A wrong one has 0. */
static const uint64_t bits_of[16] = {0,         ONES,      ONES * 3,   ONES * 7,  ONES * 15,
                                     ONES * 31, ONES * 63, ONES * 127, ONES * 255};
static const uint64_t bias_of[16] = {0,         ONES,      ONES * 2,  ONES * 4,  ONES * 8,
                                     ONES * 16, ONES * 32, ONES * 64, ONES * 128};

/* Eight fields. */
LOD_ALWAYS uint64_t take(struct fields *f, unsigned width)
{
    size_t left = f->at < f->bytes.bytes ? f->bytes.bytes - f->at : 0;
    const uint8_t *at = f->bytes.at + f->at;
    uint64_t word = 0;

    if (left >= 8) {
        memcpy(&word, at, 8);
    } else if (left) {
        memcpy(&word, at, left);
    }
    f->wrong |= width > f->bits;
    f->at += width;
    return _pdep_u64(word, bits_of[width]);
}

/* Four groups of eight residuals, as many of them as there are. */
LOD_ALWAYS void take_vector(struct fields *f, const unsigned width[4], const uint64_t add[4],
                            unsigned groups, uint8_t *into)
{
    uint64_t word[4] = {0};

    for (unsigned g = 0; g < groups; g++) {
        word[g] = take(f, width[g]);
    }
    __m256i fields = _mm256_set_epi64x((long long)word[3], (long long)word[2], (long long)word[1],
                                       (long long)word[0]);
    __m256i base = _mm256_set_epi64x((long long)add[3], (long long)add[2], (long long)add[1],
                                     (long long)add[0]);
    lod_put(into, _mm256_sub_epi8(fields, base));
}

LOD_ALWAYS unsigned groups_at(unsigned groups, unsigned v)
{
    return groups - 4 * v < 4 ? groups - 4 * v : 4;
}

static void take_packed(struct fields *f, const struct lod_l3_packed_map *map,
                        const uint8_t *widths, uint8_t *residuals)
{
    for (unsigned v = 0; 4 * v < map->groups; v++) {
        unsigned low = widths[v] & 15u, high = widths[v] >> 4;
        const unsigned width[4] = {low, low, high, high};
        const uint64_t bias[4] = {bias_of[low], bias_of[low], bias_of[high], bias_of[high]};
        unsigned groups = groups_at(map->groups, v);
        if (groups == 4) {
            take_vector(f, width, bias, 4, residuals + v * LOD_VECTOR);
        } else {
            take_vector(f, width, bias, groups, residuals + v * LOD_VECTOR);
        }
    }
}

static void take_paper(struct fields *f, unsigned groups, unsigned width, unsigned base,
                       uint8_t *residuals)
{
    const unsigned widths[4] = {width, width, width, width};
    uint64_t less = ONES * ((256 - base) & 255);
    const uint64_t add[4] = {less, less, less, less};

    for (unsigned v = 0; 4 * v < groups; v++) {
        take_vector(f, widths, add, groups_at(groups, v), residuals + v * LOD_VECTOR);
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

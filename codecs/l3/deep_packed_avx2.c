/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modes packed and paper for AVX2 with BMI2, samples of 16 bits: the twin of packed.c and paper.c.
 * Four fields of w bits are at most 64 bits and begin at a byte or in its middle; pdep puts them
 * into four words. Every width is legal, so only where fields end has to be looked at.
 */
#include "l3/patch_avx2.h"

#include <errno.h>

#include "l3/deep_vectors_avx2.h"
#include "l3/packed.h"
#include "l3/paper.h"

#define ONES 0x0001000100010001ull

/* A patch being taken apart. */
struct fields {
    struct lod_span bytes;
    size_t at;
    bool wrong;
};

LOD_ALWAYS long long four(const uint8_t *at, unsigned shift, uint64_t mask)
{
    uint64_t word;

    memcpy(&word, at, sizeof(word));
    return (long long)_pdep_u64(word >> shift, mask);
}

/* Two groups of eight fields; so many bytes are read. */
#define FAR 48u
LOD_ALWAYS __m256i sixteen(const uint8_t *at, unsigned width)
{
    const uint64_t mask = ONES * ((1u << width) - 1);
    const unsigned half = width / 2, shift = width % 2 * 4;
    const uint8_t *next = at + width;

    return _mm256_set_epi64x(four(next + half, shift, mask), four(next, 0, mask),
                             four(at + half, shift, mask), four(at, 0, mask));
}

/* One block's fields less `less`; `groups` of the two are there. */
LOD_ALWAYS void take_block(struct fields *f, unsigned groups, unsigned width, unsigned less,
                           uint16_t *into)
{
    const size_t left = f->at < f->bytes.bytes ? f->bytes.bytes - f->at : 0;
    __m256i fields;

    if (left >= FAR) {
        fields = sixteen(f->bytes.at + f->at, width);
    } else {
        uint8_t last[FAR] = {0};
        memcpy(last, f->bytes.at + (f->bytes.bytes - left), left);
        fields = sixteen(last, width);
    }
    f->at += (size_t)groups * width;
    lod_deep_put(into, _mm256_sub_epi16(fields, _mm256_set1_epi16((short)less)));
}

LOD_ALWAYS unsigned groups_of(unsigned groups, unsigned block)
{
    return groups - 2 * block < 2 ? 1 : 2;
}

/* Residuals of one plane of a row; returns its predictor. */
typedef unsigned (*take_run)(struct fields *f, const void *map, unsigned run, uint16_t *residuals);

LOD_ALWAYS unsigned take_packed(struct fields *f, const void *ctx, unsigned run,
                                uint16_t *residuals)
{
    const struct lod_l3_packed_map *map = ctx;
    const unsigned predictor = lod_l3_nibble(f->bytes.at + map->predictors, run);
    const uint8_t *widths = f->bytes.at + map->widths + run * map->widths_of_run;

    f->wrong |= predictor >= LOD_L3_PREDICTORS;
    for (unsigned b = 0; b < map->blocks; b++) {
        const unsigned width = lod_l3_width_of(lod_l3_nibble(widths, b));
        take_block(f, groups_of(map->groups, b), width, 1u << width >> 1, residuals + b * LOD_DEEP);
    }
    return predictor;
}

LOD_ALWAYS unsigned take_paper(struct fields *f, const void *ctx, unsigned run, uint16_t *residuals)
{
    const struct lod_paper_map *map = ctx;
    const unsigned width = lod_l3_width_of(lod_l3_nibble(f->bytes.at + map->widths, run));
    const unsigned base = lod_get_le16(f->bytes.at + map->bases + (size_t)2 * run);

    for (unsigned b = 0; 2 * b < map->groups; b++) {
        take_block(f, groups_of(map->groups, b), width, 0u - base, residuals + b * LOD_DEEP);
    }
    return LOD_L3_PAETH;
}

/* All rows, from the payload at f.at on; `green`: the bit of the kind that says G is to be added.
 */
LOD_ALWAYS int decode(const struct lod_l3_patch *patch, struct fields f, take_run take,
                      const void *map, uint8_t green, const struct lod_l3_target *target)
{
    lod_words rows[2][LOD_L3_SAMPLES_MAX], residuals;
    struct lod_deep_shape shape;
    unsigned run = 0;

    if (f.bytes.bytes < f.at) {
        return -EILSEQ;
    }
    lod_deep_shape_init(patch, &shape);
    memset(rows, 0, sizeof(rows));
    for (unsigned y = 0; y < patch->height; y++) {
        lod_words *now = rows[y % 2], *above = rows[(y + 1) % 2];
        for (unsigned p = 0; p < patch->samples; p++, run++) {
            unsigned predictor = take(&f, map, run, residuals);
            lod_deep_rebuild(&shape, patch->width, predictor, above[p] + LOD_DEEP, residuals,
                             now[p] + LOD_DEEP);
        }
        lod_deep_store(patch, &shape, f.bytes.at[0] & green, now,
                       target->into + y * target->stride);
    }
    return f.wrong || f.at != f.bytes.bytes ? -EILSEQ : 0;
}

int lod_deep_packed_avx2(const struct lod_l3_patch *patch, struct lod_span bytes,
                         const struct lod_l3_target *target, struct lod_l3_rows *unused)
{
    const struct lod_l3_packed_map map = lod_l3_packed_map(patch);

    (void)unused;
    return decode(patch, (struct fields){.bytes = bytes, .at = map.payload}, take_packed, &map,
                  LOD_L3_KIND_GREEN, target);
}

int lod_deep_paper_avx2(const struct lod_l3_patch *patch, struct lod_span bytes,
                        const struct lod_l3_target *target, struct lod_l3_rows *unused)
{
    const struct lod_paper_map map = lod_paper_map(patch);

    (void)unused;
    return decode(patch, (struct fields){.bytes = bytes, .at = map.payload}, take_paper, &map, 0,
                  target);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mode packed for AVX2 with BMI2 and samples of 16 bits: the vector version of packed.c. Four
 * fields of w bits take at most 64 bits and begin at a byte or in its middle; pdep spreads them to
 * four words. Every width is legal, so only the end of the fields is checked.
 */
#include "l3/simd/patch_avx2.h"

#include <errno.h>

#include "l3/patch/packed.h"
#define LOD_SAMPLE_BITS 16
#include "l3/simd/vectors_avx2.h"

#define ONES 0x0001000100010001ull

/* A patch being decoded. */
struct fields {
    const struct lod_l3_packed_map *map;
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

/* The most bytes that two groups of eight fields read. */
#define FAR 48u
LOD_ALWAYS __m256i sixteen(const uint8_t *at, unsigned width)
{
    const uint64_t mask = ONES * ((1u << width) - 1);
    const unsigned half = width / 2, shift = width % 2 * 4;
    const uint8_t *next = at + width;

    return _mm256_set_epi64x(four(next + half, shift, mask), four(next, 0, mask),
                             four(at + half, shift, mask), four(at, 0, mask));
}

/* Reads one block's fields and subtracts `less`. `groups` of its two groups are present. */
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
    lod_put(into, _mm256_sub_epi16(fields, _mm256_set1_epi16((short)less)));
}

LOD_ALWAYS unsigned groups_of(unsigned groups, unsigned block)
{
    return groups - 2 * block < 2 ? 1 : 2;
}

/* Reads the residuals of one plane of a row and returns its predictor. */
LOD_ALWAYS unsigned take_run(void *ctx, unsigned run, unsigned p, const uint16_t *above,
                             uint16_t *residuals)
{
    struct fields *f = ctx;
    const struct lod_l3_packed_map *map = f->map;
    const unsigned predictor = lod_l3_nibble(f->bytes.at + map->predictors, run);
    const uint8_t *widths = f->bytes.at + map->widths + run * map->widths_of_run;

    (void)p;
    (void)above;
    f->wrong |= predictor >= LOD_L3_PREDICTORS;
    for (unsigned b = 0; b < map->blocks; b++) {
        const unsigned width = lod_l3_width_of(lod_l3_nibble(widths, b));
        take_block(f, groups_of(map->groups, b), width, 1u << width >> 1,
                   residuals + b * LOD_VECTOR);
    }
    return predictor;
}

int lod_packed_16bit_avx2(const struct lod_l3_patch *patch, struct lod_span bytes,
                          const struct lod_l3_target *target, struct lod_l3_rows *unused)
{
    const struct lod_l3_packed_map map = lod_l3_packed_map(patch);
    struct fields f = {.map = &map, .bytes = bytes, .at = map.payload};

    (void)unused;
    if (bytes.bytes < map.payload) {
        return -EILSEQ;
    }
    lod_decode_rows(patch, bytes.at[0] & LOD_L3_KIND_GREEN, take_run, &f, target);
    return f.wrong || f.at != bytes.bytes ? -EILSEQ : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mode packed for AVX2 with BMI2 and samples of up to 8 bits: the vector version of packed.c. Eight
 * fields of w bits are w bytes; pdep spreads them to eight bytes.
 *
 * Nothing is checked beforehand. Offsets are compared with the patch's end before each load, and
 * wrong widths and predictors set a flag. A patch is valid if the flag is clear and it ends with
 * its fields.
 */
#include "l3/simd/patch_avx2.h"

#include <errno.h>

#include "l3/patch/packed.h"
#define LOD_SAMPLE_BITS 8
#include "l3/simd/vectors_avx2.h"

#define ONES 0x0101010101010101ull

/* A patch being decoded. */
struct fields {
    const struct lod_l3_packed_map *map;
    struct lod_span bytes;
    size_t at;
    bool wrong;
    unsigned bits;
};

/* For each width: the mask of a field, eight times, and its bias. Illegal widths have zeros. */
static const uint64_t bits_of[16] = {0,         ONES,      ONES * 3,   ONES * 7,  ONES * 15,
                                     ONES * 31, ONES * 63, ONES * 127, ONES * 255};
static const uint8_t bias_of[16] = {0, 1, 2, 4, 8, 16, 32, 64, 128};

/* Reads eight fields of a width. At least eight more bytes must be readable. */
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

/* An upper bound of the bytes of four groups, plus those that `eight` reads. */
#define FAR 72u

/* Reads four groups and subtracts `less`. Groups that are absent have width 0. */
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

/* Reads the residuals of one plane of a row and returns its predictor. */
LOD_ALWAYS unsigned take_run(void *ctx, unsigned run, unsigned p, const uint8_t *above,
                             uint8_t *residuals)
{
    struct fields *f = ctx;
    const struct lod_l3_packed_map *map = f->map;
    const unsigned predictor = lod_l3_nibble(f->bytes.at + map->predictors, run);
    const uint8_t *widths = f->bytes.at + map->widths + run * map->widths_of_run;

    (void)p;
    (void)above;
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

int lod_packed_avx2(const struct lod_l3_patch *patch, struct lod_span bytes,
                    const struct lod_l3_target *target, struct lod_l3_rows *unused)
{
    const struct lod_l3_packed_map map = lod_l3_packed_map(patch);
    struct fields f = {.map = &map, .bytes = bytes, .at = map.payload, .bits = patch->bits};

    (void)unused;
    if (bytes.bytes < map.payload) {
        return -EILSEQ;
    }
    lod_decode_rows(patch, bytes.at[0] & LOD_L3_KIND_GREEN, take_run, &f, target);
    return f.wrong || f.at != bytes.bytes ? -EILSEQ : 0;
}

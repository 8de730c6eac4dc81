/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mode packed for AVX-512 with VBMI and samples of up to 8 bits: the vector version of packed.c.
 * Eight fields of w bits are w bytes. vpermb moves them to a 64-bit element each, and
 * vpmultishiftqb cuts that into bytes.
 *
 * Nothing is checked beforehand. Offsets are compared with the patch's end before each load, and
 * wrong widths and predictors set a flag. A patch is valid if the flag is clear and it ends with
 * its fields.
 */
#include "l3/simd/patch_avx512.h"

#include <errno.h>
#include <string.h>

#include "l3/patch/packed.h"
#include "l3/simd/vectors_avx512.h"

/* A patch being decoded. */
struct fields {
    struct lod_span bytes;
    size_t at;
    uint64_t groups[LOD_VECTORS]; /* ones in the bytes of groups that are present */
    uint64_t wrong;
    unsigned bits;
};

/* Repeats each of eight bytes over one 64-bit element. */
LOD_ALWAYS __m512i spread(uint64_t bytes)
{
    const __m512i lane = _mm512_set_epi64(
        0x0707070707070707, 0x0606060606060606, 0x0505050505050505, 0x0404040404040404,
        0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);

    return _mm512_permutexvar_epi8(lane,
                                   _mm512_castsi128_si512(_mm_cvtsi64_si128((long long)bytes)));
}

/* Loads up to 64 bytes of the patch, and zeros past its end. */
LOD_ALWAYS __m512i load(const struct fields *f)
{
    size_t left = f->at < f->bytes.bytes ? f->bytes.bytes - f->at : 0;

    if (left >= LOD_VECTOR) {
        return _mm512_loadu_si512(f->bytes.at + f->at);
    }
    return _mm512_maskz_loadu_epi8(_bzhi_u64(~0ull, (unsigned)left), f->bytes.at + f->at);
}

/*
 * Reads the fields of eight groups whose widths are the bytes of `widths`. Subtracts the bias of
 * each width.
 */
LOD_ALWAYS __m512i take_groups(struct fields *f, uint64_t widths)
{
    const __m512i ramp = _mm512_set1_epi64(0x0706050403020100);
    /* The bit offsets at which the fields of width w begin in their element; [0] is for 8. */
    const __m512i begins = _mm512_set_epi64(
        0x312a231c150e0700, 0x2a241e18120c0600, 0x231e19140f0a0500, 0x1c1814100c080400,
        0x15120f0c09060300, 0x0e0c0a0806040200, 0x0706050403020100, 0x3830282018100800);
    const __m512i masks = _mm512_broadcast_i32x4(
        _mm_setr_epi8(0, 1, 3, 7, 15, 31, 63, 127, -1, -1, -1, -1, -1, -1, -1, -1));
    const __m512i biases =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0));
    uint64_t before = widths * 0x0101010101010100ull;
    __m512i width = spread(widths);

    f->wrong |= widths + 0x0101010101010101ull * (0x7f - f->bits);
    __m512i bytes = _mm512_permutexvar_epi8(_mm512_add_epi8(spread(before), ramp), load(f));
    f->at += (before >> 56) + (widths >> 56);
    __m512i at = _mm512_permutexvar_epi64(width, begins);
    __m512i fields = _mm512_and_si512(_mm512_multishift_epi64_epi8(at, bytes),
                                      _mm512_shuffle_epi8(masks, width));
    return _mm512_sub_epi8(fields, _mm512_shuffle_epi8(biases, width));
}

/* Expands codes of four bits to bytes; each serves the two groups of a block. */
LOD_ALWAYS uint64_t widths_of(const uint8_t *at, unsigned v, unsigned bytes)
{
    uint32_t codes = at[2 * v];

    if (2 * v + 1 < bytes) {
        codes |= (uint32_t)at[2 * v + 1] << 8;
    }
    return _pdep_u64(codes, 0x000f000f000f000full) * 0x0101;
}

/* Reads the residuals of one plane of a row of `n` vectors and returns its predictor. */
LOD_ALWAYS unsigned take_run(struct fields *f, const struct lod_l3_packed_map *map, unsigned run,
                             unsigned n, __m512i *residuals)
{
    const unsigned predictor = lod_l3_nibble(f->bytes.at + map->predictors, run);
    const uint8_t *widths = f->bytes.at + map->widths + run * map->widths_of_run;

    for (unsigned v = 0; v < n; v++) {
        uint64_t of_groups = widths_of(widths, v, map->widths_of_run) & f->groups[v];
        residuals[v] = take_groups(f, of_groups);
    }
    f->wrong |= predictor < LOD_L3_PREDICTORS ? 0 : 0x80;
    return predictor;
}

/* Decodes all rows, `n` vectors each. */
LOD_ALWAYS void decode_rows(const struct lod_l3_patch *patch, struct fields *f,
                            const struct lod_l3_packed_map *map, const struct lod_shape *shape,
                            const struct lod_l3_target *target, unsigned n, unsigned samples)
{
    __m512i rows[LOD_L3_SAMPLES_MAX][LOD_VECTORS] = {0}, residuals[LOD_VECTORS];
    unsigned run = 0;

    for (unsigned y = 0; y < patch->height; y++) {
        for (unsigned p = 0; p < samples; p++, run++) {
            unsigned predictor = take_run(f, map, run, n, residuals);
            lod_reconstruct(shape, predictor, rows[p], residuals, n);
        }
        lod_store(shape, patch->width, samples, f->bytes.at[0] & LOD_L3_KIND_GREEN, rows, n,
                  target->into + y * target->stride);
    }
}

static struct fields begin(const struct lod_l3_patch *patch, struct lod_span bytes, size_t payload)
{
    struct fields f = {.bytes = bytes, .at = payload, .bits = patch->bits};
    unsigned groups = (patch->width + 7) / 8;

    f.groups[0] = _bzhi_u64(~0ull, groups * 8 < 64 ? groups * 8 : 64);
    f.groups[1] = groups > 8 ? _bzhi_u64(~0ull, groups * 8 - 64) : 0;
    return f;
}

/* Common shapes are compiled separately. */
int lod_packed_avx512(const struct lod_l3_patch *patch, struct lod_span bytes,
                      const struct lod_l3_target *target, struct lod_l3_rows *unused)
{
    const struct lod_l3_packed_map map = lod_l3_packed_map(patch);
    struct fields f = begin(patch, bytes, map.payload);
    struct lod_shape shape;

    (void)unused;
    if (bytes.bytes < map.payload) {
        return -EILSEQ;
    }
    lod_shape_init(patch, &shape);
    if (patch->width > LOD_VECTOR) {
        decode_rows(patch, &f, &map, &shape, target, 2, patch->samples);
    } else if (patch->samples == 3) {
        decode_rows(patch, &f, &map, &shape, target, 1, 3);
    } else {
        decode_rows(patch, &f, &map, &shape, target, 1, patch->samples);
    }
    return f.wrong & 0x8080808080808080ull || f.at != bytes.bytes ? -EILSEQ : 0;
}

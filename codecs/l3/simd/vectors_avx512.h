/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a patch in 64-byte vectors: neighbours, predictors, prefix sums, and samples to pixels. A
 * row of up to 128 samples is one or two vectors; bytes past its last sample never influence it.
 * Included only by files compiled for AVX-512 with VBMI.
 */
#ifndef LOD_VECTORS_AVX512_H
#define LOD_VECTORS_AVX512_H
#ifdef __AVX512VBMI__

#include <immintrin.h>

#include "l3/patch/patch.h"
#include "l3/patch/predict.h"

#define LOD_VECTOR  64u
#define LOD_VECTORS (LOD_L3_SIDE_MAX / LOD_VECTOR)
#define LOD_ALWAYS  static inline __attribute__((always_inline))

/* Constants of a patch's width and samples. */
struct lod_shape {
    __m512i before[LOD_VECTORS], after[LOD_VECTORS]; /* indices of the neighbours */
    __m512i mix[LOD_L3_SAMPLES_MAX];      /* of output j: from planes 0 and 1, or 2 and 3 */
    __mmask64 second[LOD_L3_SAMPLES_MAX]; /* bytes of output vector j from planes 2 and 3 */
    __m512i mask;                         /* of a sample */
};

static inline void lod_shape_init(const struct lod_l3_patch *patch, struct lod_shape *s)
{
    uint8_t at[LOD_VECTOR];
    unsigned last = patch->width - 1;

    for (unsigned v = 0; v < LOD_VECTORS; v++) {
        for (unsigned i = 0; i < LOD_VECTOR; i++) {
            unsigned x = v * LOD_VECTOR + i;
            at[i] = (uint8_t)(x ? x - 1 : 0);
        }
        s->before[v] = _mm512_loadu_si512(at);
        for (unsigned i = 0; i < LOD_VECTOR; i++) {
            unsigned x = v * LOD_VECTOR + i;
            at[i] = (uint8_t)(x < last ? x + 1 : last);
        }
        s->after[v] = _mm512_loadu_si512(at);
    }
    for (unsigned j = 0; j < patch->samples; j++) {
        s->second[j] = 0;
        for (unsigned i = 0; i < LOD_VECTOR; i++) {
            unsigned sample = (j * LOD_VECTOR + i) % patch->samples;
            unsigned x = (j * LOD_VECTOR + i) / patch->samples;
            unsigned plane = patch->samples >= 3 && sample < 2 ? 1 - sample : sample;
            at[i] = (uint8_t)(x + plane % 2 * LOD_VECTOR);
            s->second[j] |= (__mmask64)(plane / 2) << i;
        }
        s->mix[j] = _mm512_loadu_si512(at);
    }
    s->mask = _mm512_set1_epi8((char)lod_l3_sample_mask(patch));
}

/* Return the left and the right neighbours in a row of `n` vectors. */
LOD_ALWAYS __m512i lod_before(const struct lod_shape *s, const __m512i *row, unsigned v)
{
    return v == 0 ? _mm512_permutexvar_epi8(s->before[0], row[0])
                  : _mm512_permutex2var_epi8(row[0], s->before[1], row[1]);
}

LOD_ALWAYS __m512i lod_after(const struct lod_shape *s, const __m512i *row, unsigned v, unsigned n)
{
    return n == 1 ? _mm512_permutexvar_epi8(s->after[0], row[0])
                  : _mm512_permutex2var_epi8(row[0], s->after[v], row[1]);
}

/* Returns the prefix sums of the bytes, modulo 256. */
LOD_ALWAYS __m512i lod_sums(__m512i r)
{
    /* Prefix sums within each eight bytes. Then the sums of the eights before are gathered and
     * added by vpsadbw. */
    const __m512i lasts = _mm512_set1_epi64(0x3f372f271f170f07);
    const __m512i low = _mm512_set_epi64(0x0808080808080808, 0, 0x0808080808080808, 0,
                                         0x0808080808080808, 0, 0x0808080808080808, 0);
    const __mmask64 earlier = 0x7f3f1f0f07030100;

    r = _mm512_add_epi8(r, _mm512_slli_epi64(r, 8));
    r = _mm512_add_epi8(r, _mm512_slli_epi64(r, 16));
    r = _mm512_add_epi8(r, _mm512_slli_epi64(r, 32));
    __m512i words = _mm512_maskz_permutexvar_epi8(earlier, lasts, r);
    words = _mm512_sad_epu8(words, _mm512_setzero_si512());
    return _mm512_add_epi8(r, _mm512_shuffle_epi8(words, low));
}

LOD_ALWAYS __m512i lod_paeth(__m512i tl, __m512i t, __m512i tr)
{
    /*
     * Let a = |T - TL| and b = |T - TR|. The distance of T from TL + TR - T is a + b if TL and TR
     * lie on the same side of T, else |a - b|. If a + b saturates at 255, TL is chosen whatever T's
     * distance is, since b <= 255.
     */
    __m512i zero = _mm512_setzero_si512();
    __m512i left = _mm512_subs_epu8(t, tl), right = _mm512_subs_epu8(t, tr);
    __m512i a = _mm512_or_si512(left, _mm512_subs_epu8(tl, t));
    __m512i b = _mm512_or_si512(right, _mm512_subs_epu8(tr, t));
    __mmask64 below_left = _mm512_cmpneq_epi8_mask(left, zero);
    __mmask64 below_right = _mm512_cmpneq_epi8_mask(right, zero);
    __m512i apart = _mm512_or_si512(_mm512_subs_epu8(a, b), _mm512_subs_epu8(b, a));
    __m512i from_t = _mm512_mask_adds_epu8(apart, _kxnor_mask64(below_left, below_right), a, b);
    __mmask64 is_tl = _mm512_cmple_epu8_mask(b, _mm512_min_epu8(from_t, a));
    __mmask64 is_t = _mm512_cmple_epu8_mask(from_t, a);
    return _mm512_mask_mov_epi8(_mm512_mask_mov_epi8(tr, is_t, t), is_tl, tl);
}

/*
 * Computes (TL + 2 T + TR + 2) / 4 without a ninth bit: the mean of TL and TR rounded down, then
 * its mean with T rounded up.
 */
LOD_ALWAYS __m512i lod_soft(__m512i tl, __m512i t, __m512i tr)
{
    __m512i odd = _mm512_and_si512(_mm512_xor_si512(tl, tr), _mm512_set1_epi8(1));

    return _mm512_avg_epu8(t, _mm512_sub_epi8(_mm512_avg_epu8(tl, tr), odd));
}

/* Rebuilds a row of `n` vectors from its residuals; it replaces the row above. */
LOD_ALWAYS void lod_reconstruct(const struct lod_shape *s, unsigned predictor, __m512i *row,
                                const __m512i *residuals, unsigned n)
{
    __m512i now[LOD_VECTORS], sum = _mm512_setzero_si512();
    __m512i first = _mm512_broadcastb_epi8(_mm512_castsi512_si128(row[0]));

    for (unsigned v = 0; v < n; v++) {
        __m512i from = row[v], r = residuals[v];
        switch (predictor) {
        case LOD_L3_PAETH:
            from = lod_paeth(lod_before(s, row, v), row[v], lod_after(s, row, v, n));
            break;
        case LOD_L3_RIGHT:
            from = _mm512_avg_epu8(row[v], lod_after(s, row, v, n));
            break;
        case LOD_L3_SOFT:
            from = lod_soft(lod_before(s, row, v), row[v], lod_after(s, row, v, n));
            break;
        case LOD_L3_LEFT:
            from = first;
            __attribute__((fallthrough));
        case LOD_L3_SLOPE:
            r = _mm512_add_epi8(lod_sums(r), sum);
            sum = _mm512_permutexvar_epi8(_mm512_set1_epi8(63), r);
            break;
        default:
            break;
        }
        now[v] = _mm512_and_si512(_mm512_add_epi8(from, r), s->mask);
    }
    for (unsigned v = 0; v < n; v++) {
        row[v] = now[v];
    }
}

/* Writes 64 pixels of `samples` samples, or only the `left` remaining ones, to `at`. */
LOD_ALWAYS void lod_mix(const struct lod_shape *s, unsigned samples, const __m512i *p,
                        unsigned left, uint8_t *at)
{
    for (unsigned j = 0; j < samples; j++, at += LOD_VECTOR) {
        __m512i out = _mm512_permutex2var_epi8(p[0], s->mix[j], p[1]);
        if (samples > 2) {
            __m512i more = _mm512_permutex2var_epi8(p[2], s->mix[j], p[3]);
            out = _mm512_mask_mov_epi8(out, s->second[j], more);
        }
        if (left >= LOD_VECTOR) {
            _mm512_storeu_si512(at, out);
        } else if (left * samples > j * LOD_VECTOR) {
            unsigned bytes = left * samples - j * LOD_VECTOR;
            __mmask64 some = _bzhi_u64(~0ull, bytes < LOD_VECTOR ? bytes : LOD_VECTOR);
            _mm512_mask_storeu_epi8(at, some, out);
        }
    }
}

/* Writes a row of pixels. If `green`, G is added to R and B again. */
LOD_ALWAYS void lod_store(const struct lod_shape *s, unsigned width, unsigned samples, bool green,
                          __m512i rows[LOD_L3_SAMPLES_MAX][LOD_VECTORS], unsigned n, uint8_t *at)
{
    for (unsigned v = 0; v < n; v++) {
        __m512i p[LOD_L3_SAMPLES_MAX] = {rows[0][v], rows[1][v], rows[2][v], rows[3][v]};
        if (green) {
            p[1] = _mm512_and_si512(_mm512_add_epi8(p[1], p[0]), s->mask);
            p[2] = _mm512_and_si512(_mm512_add_epi8(p[2], p[0]), s->mask);
        }
        lod_mix(s, samples, p, width - v * LOD_VECTOR, at + (size_t)v * LOD_VECTOR * samples);
    }
}

#endif
#endif

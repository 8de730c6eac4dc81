/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads bits and symbols from entropy-coded bytes. After the end it reads zeros; at the end of a
 * scan lod_bit_source_is_sound says whether any of these were used. ITU-T T.81, F.2.2.
 */
#ifndef LOD_ENTROPY_SOURCE_H
#define LOD_ENTROPY_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "pcr/entropy/entropy_read.h"

/*
 * The next bits are at the top of `held`; bits after the first `count` are 0 or already have their
 * right value.
 */
struct lod_bit_source {
    const uint8_t *at, *end;
    uint64_t held;
    unsigned count;
    unsigned invented; /* number of held bits that are after the end */
    bool bad;
};

static inline uint64_t lod_bit_source_word(const uint8_t *at)
{
    return (uint64_t)at[0] << 56 | (uint64_t)at[1] << 48 | (uint64_t)at[2] << 40 |
           (uint64_t)at[3] << 32 | (uint64_t)at[4] << 24 | (uint64_t)at[5] << 16 |
           (uint64_t)at[6] << 8 | at[7];
}

/* Refills byte by byte. Passed by value, so that callers keep the state in registers. */
struct lod_bit_source lod_bit_source_refill_slowly(struct lod_bit_source s);

/* Refills to at least 56 bits; eight bytes at once if none of them is 0xff. */
static inline void lod_bit_source_refill(struct lod_bit_source *s)
{
    if (s->end - s->at >= 8) {
        uint64_t word = lod_bit_source_word(s->at);
        if (!(word & ~(word + 0x0101010101010101u) & 0x8080808080808080u)) {
            s->held |= word >> s->count;
            s->at += (63 - s->count) >> 3;
            s->count |= 56;
            return;
        }
    }
    *s = lod_bit_source_refill_slowly(*s);
}

static inline void lod_bit_source_skip(struct lod_bit_source *s, unsigned bits)
{
    s->held <<= bits;
    s->count -= bits;
}

/* Takes up to 16 bits, which must be held. */
static inline uint32_t lod_bit_source_take(struct lod_bit_source *s, unsigned bits)
{
    uint32_t value = (uint32_t)(s->held >> 1 >> (63 - bits));

    lod_bit_source_skip(s, bits);
    return value;
}

/* Decodes a code that is too long for the look-up table. Returns it as an entry of that table, or 0
 * if there is no such code. */
uint16_t lod_entropy_decode_long(uint32_t code, const struct lod_entropy_decoder *d);

/* Decodes a symbol, whose bits must be held. */
static inline unsigned lod_entropy_decode(struct lod_bit_source *s,
                                          const struct lod_entropy_decoder *d)
{
    unsigned entry = d->look[s->held >> (64 - LOD_ENTROPY_LOOK_BITS)];

    if (!entry) {
        entry = lod_entropy_decode_long((uint32_t)(s->held >> 48), d);
        s->bad |= !entry;
    }
    lod_bit_source_skip(s, entry >> 8);
    return entry & 0xff;
}

/* Takes a value of `size` bits, 1 .. 15, of which the lower half is negative: EXTEND of T.81
 * F.2.2.1. */
static inline int lod_bit_source_take_value(struct lod_bit_source *s, unsigned size)
{
    int value = (int)lod_bit_source_take(s, size);

    return value < 1 << (size - 1) ? value - (1 << size) + 1 : value;
}

/* Returns whether no bit after the end was used. */
static inline bool lod_bit_source_is_sound(const struct lod_bit_source *s)
{
    return !s->bad && s->invented <= s->count;
}

/* A progressive scan that is read block by block; see entropy_walk.inc. */
struct lod_entropy_walk {
    const struct lod_jpeg *jpeg;
    const struct lod_entropy_scan *scan;
    const struct lod_entropy_decoders *decoders;
    const struct lod_entropy_decoder *ac;
    struct lod_bit_source bits;
    uint32_t dc[LOD_SCRIPT_COMPONENTS];
    uint32_t run; /* remaining blocks of a run of ended blocks */
};

/* Takes a DC difference of the scan's part `part` and adds it to dc[part]: T.81 F.2.2.1. Returns
 * false for a difference that no block has. */
static inline bool lod_entropy_take_dc(struct lod_entropy_walk *w, unsigned part)
{
    lod_bit_source_refill(&w->bits);
    unsigned size =
        lod_entropy_decode(&w->bits, &w->decoders->of[LOD_HUFFMAN_DC][w->scan->part[part].dc]);

    if (size > 15) {
        w->bits.bad = true;
        return false;
    }
    w->dc[part] += size ? (uint32_t)lod_bit_source_take_value(&w->bits, size) : 0;
    return true;
}

#endif

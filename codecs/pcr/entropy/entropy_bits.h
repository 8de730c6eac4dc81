/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes bits as the bytes of entropy-coded segments: most significant first, a 0 after each 0xff.
 * Never writes past the end; sets `full` if bytes do not fit.
 */
#ifndef LOD_ENTROPY_BITS_H
#define LOD_ENTROPY_BITS_H

#include <stdbool.h>
#include <stdint.h>

struct lod_bits {
    uint8_t *at, *end;
    uint64_t held; /* its lowest held_bits bits are not written yet */
    unsigned held_bits;
    bool full;
};

static inline void lod_bits_byte(struct lod_bits *b, uint8_t byte)
{
    if (b->at == b->end) {
        b->full = true;
        return;
    }
    *b->at++ = byte;
}

static inline void lod_bits_stuffed(struct lod_bits *b, uint8_t byte)
{
    lod_bits_byte(b, byte);
    if (byte == 0xff) {
        lod_bits_byte(b, 0);
    }
}

/* Writes four bytes one by one. Passed by value, so that callers keep the state in registers. */
struct lod_bits lod_bits_spill_slowly(struct lod_bits b, uint32_t word);

/* Writes whole bytes, four at once if none of them is 0xff. */
static inline void lod_bits_spill(struct lod_bits *b)
{
    b->held_bits -= 32;
    uint32_t word = (uint32_t)(b->held >> b->held_bits);
    if (!(word & ~(word + 0x01010101u) & 0x80808080u) && b->end - b->at >= 4) {
        b->at[0] = (uint8_t)(word >> 24);
        b->at[1] = (uint8_t)(word >> 16);
        b->at[2] = (uint8_t)(word >> 8);
        b->at[3] = (uint8_t)word;
        b->at += 4;
        return;
    }
    *b = lod_bits_spill_slowly(*b, word);
}

/* Adds `bits` <= 32 bits; `value` has no higher bit set. */
static inline void lod_bits_put(struct lod_bits *b, uint32_t value, unsigned bits)
{
    b->held = b->held << bits | value;
    b->held_bits += bits;
    if (b->held_bits >= 32) {
        lod_bits_spill(b);
    }
}

/* Pads the last byte and writes all bits that are held. */
static inline void lod_bits_align(struct lod_bits *b, bool zeros)
{
    unsigned fill = (8 - b->held_bits % 8) % 8;
    lod_bits_put(b, zeros ? 0 : (1u << fill) - 1, fill);
    while (b->held_bits) {
        b->held_bits -= 8;
        lod_bits_stuffed(b, (uint8_t)(b->held >> b->held_bits));
    }
}

#endif

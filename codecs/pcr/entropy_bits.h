/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bits to bytes as entropy-coded segments have them: most significant first, a 0 behind each 0xff.
 * Never writes past its end; what does not fit sets `full`.
 */
#ifndef LOD_ENTROPY_BITS_H
#define LOD_ENTROPY_BITS_H

#include <stdbool.h>
#include <stdint.h>

struct lod_bits {
    uint8_t *at, *end;
    uint64_t held; /* the last held_bits of it are still to be written */
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

/* Whole bytes out, four at once where none of them can be 0xff. */
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
    for (int shift = 24; shift >= 0; shift -= 8) {
        lod_bits_stuffed(b, (uint8_t)(word >> shift));
    }
}

/* `bits` <= 32; `value` has no bit set above them. */
static inline void lod_bits_put(struct lod_bits *b, uint32_t value, unsigned bits)
{
    b->held = b->held << bits | value;
    b->held_bits += bits;
    if (b->held_bits >= 32) {
        lod_bits_spill(b);
    }
}

/* Fills the last byte up and writes all that is held. */
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

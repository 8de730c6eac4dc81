/* SPDX-License-Identifier: Apache-2.0 */
/* See entropy_check.h; entropy_read.c reads the same scans and stores the coefficients. */
#include "pcr/entropy/entropy_check.h"

#include <errno.h>

#include "pcr/entropy/entropy_block.h"
#include "pcr/entropy/entropy_source.h"

/* ----------------------------------------------------------------------------- blocks */

static void check_dc_first(struct lod_entropy_walk *w, unsigned part, const int16_t *block)
{
    if (lod_entropy_take_dc(w, part)) {
        w->bits.bad |= block && w->dc[part] != (uint32_t)(block[0] >> w->scan->low);
    }
}

static void check_dc_refine(struct lod_entropy_walk *w, const int16_t *block)
{
    lod_bit_source_refill(&w->bits);
    uint32_t bit = lod_bit_source_take(&w->bits, 1);
    w->bits.bad |= block && bit != ((uint32_t)(block[0] >> w->scan->low) & 1);
}

/* Returns an AC coefficient as a decoder has it down to bit `low`: its magnitude is truncated. */
static inline int cut(int value, unsigned low)
{
    return value < 0 ? -(-value >> low) : value >> low;
}

static void check_ac_first(struct lod_entropy_walk *w, const int16_t *block)
{
    const unsigned last = w->scan->last, low = w->scan->low;
    uint64_t left = lod_block_nonzero(block, low) & lod_block_band(w->scan->first, last);
    struct lod_bit_source bits = w->bits;

    for (unsigned k = w->scan->first; !w->run && k <= last; k++) {
        lod_bit_source_refill(&bits);
        unsigned symbol = lod_entropy_decode(&bits, w->ac), zeros = symbol >> 4, size = symbol & 15;
        if (size) {
            k += zeros;
            int value = lod_bit_source_take_value(&bits, size);
            if (!left || (unsigned)__builtin_ctzll(left) != k || cut(block[k], low) != value) {
                bits.bad = true;
                break;
            }
            left &= left - 1;
        } else if (zeros == 15) {
            k += 15;
        } else {
            w->run = (1u << zeros) + lod_bit_source_take(&bits, zeros);
        }
    }
    w->run -= w->run != 0;
    bits.bad |= left != 0;
    w->bits = bits;
}

/* Checks that the correction bit of each coefficient in `mask` is that of `wanted`. */
static inline void check_corrections(struct lod_bit_source *s, uint64_t mask, uint64_t wanted)
{
    while (mask) {
        lod_bit_source_refill(s);
        uint64_t bits = s->held;
        unsigned count = 0;
        for (; count < 56 && mask; count++, mask &= mask - 1, bits <<= 1) {
            s->bad |= (bits >> 63) != (wanted >> __builtin_ctzll(mask) & 1);
        }
        lod_bit_source_skip(s, count);
    }
}

/* T.81 G.1.2.3; see entropy.c. */
static void check_ac_refine(struct lod_entropy_walk *w, const int16_t *block)
{
    const unsigned last = w->scan->last, low = w->scan->low;
    const uint64_t band = lod_block_band(w->scan->first, last);
    const uint64_t known = lod_block_nonzero(block, low + 1u) & band;
    const uint64_t fresh = lod_block_nonzero(block, low) & band & ~known;
    const uint64_t wanted = known ? lod_block_bits(block, low) : 0;
    struct lod_bit_source bits = w->bits;
    unsigned k = w->scan->first;

    while (!w->run && k <= last) {
        lod_bit_source_refill(&bits);
        unsigned symbol = lod_entropy_decode(&bits, w->ac), zeros = symbol >> 4, size = symbol & 15;
        unsigned positive = size ? lod_bit_source_take(&bits, 1) : 0;
        if (!size && zeros < 15) {
            w->run = (1u << zeros) + lod_bit_source_take(&bits, zeros);
            break;
        }
        uint64_t left = ~known & lod_block_between(k, last + 1);
        for (; zeros && left; zeros--) {
            left &= left - 1;
        }
        unsigned at = left ? (unsigned)__builtin_ctzll(left) : last + 1;
        check_corrections(&bits, known & lod_block_between(k, at), wanted);
        uint64_t passed = fresh & lod_block_between(k, at), here = left & -left & fresh;
        bits.bad |= passed || size > 1 || (size != 0) != (here != 0);
        if (bits.bad || (size && (block[at] > 0) != positive)) {
            bits.bad = true;
            break;
        }
        k = at + 1;
    }
    if (w->run) {
        check_corrections(&bits, known & lod_block_between(k, last + 1), wanted);
        bits.bad |= (fresh & lod_block_between(k, last + 1)) != 0;
        w->run--;
    }
    w->bits = bits;
}

#define STEP(name)           check_##name
#define BLOCK(block, inside) ((inside) ? (block) : NULL)
#include "pcr/entropy/entropy_walk.inc"

int lod_entropy_check(const struct lod_jpeg *jpeg, const struct lod_entropy_scan *scan,
                      const struct lod_entropy_decoders *decoders, struct lod_span coded)
{
    return walk(jpeg, scan, decoders, coded, -EBADMSG);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* See entropy_read.h. */
#include "pcr/entropy/entropy_read.h"

#include <errno.h>
#include <string.h>

#include "pcr/entropy/entropy_block.h"
#include "pcr/entropy/entropy_source.h"

/* ----------------------------------------------------------------------------- blocks */

static inline int16_t shifted(int value, unsigned low)
{
    return (int16_t)((uint32_t)value << low);
}

static void read_dc_first(struct lod_entropy_walk *w, unsigned part, int16_t *block)
{
    if (lod_entropy_take_dc(w, part)) {
        block[0] = shifted((int)w->dc[part], w->scan->low);
    }
}

static void read_dc_refine(struct lod_entropy_walk *w, int16_t *block)
{
    lod_bit_source_refill(&w->bits);
    block[0] |= (int16_t)(lod_bit_source_take(&w->bits, 1) << w->scan->low);
}

static void read_ac_first(struct lod_entropy_walk *w, int16_t *block)
{
    const unsigned last = w->scan->last, low = w->scan->low;
    struct lod_bit_source bits = w->bits;

    if (w->run) {
        w->run--;
        return;
    }
    for (unsigned k = w->scan->first; k <= last; k++) {
        lod_bit_source_refill(&bits);
        unsigned symbol = lod_entropy_decode(&bits, w->ac), zeros = symbol >> 4, size = symbol & 15;
        if (size) {
            k += zeros;
            int value = lod_bit_source_take_value(&bits, size);
            if (k > last) {
                bits.bad = true;
                break;
            }
            block[k] = shifted(value, low);
        } else if (zeros == 15) {
            k += 15;
        } else {
            w->run = (1u << zeros) - 1 + lod_bit_source_take(&bits, zeros);
            break;
        }
    }
    w->bits = bits;
}

/*
 * Reads a correction bit for each coefficient in `mask`, none of which is 0. A correction bit of 1
 * moves the coefficient away from 0.
 */
static inline void correct(struct lod_bit_source *s, unsigned low, int16_t *block, uint64_t mask)
{
    const int one = 1 << low;

    while (mask) {
        lod_bit_source_refill(s);
        uint64_t bits = s->held;
        unsigned count = 0;
        for (; count < 56 && mask; count++, mask &= mask - 1, bits <<= 1) {
            int16_t *value = &block[__builtin_ctzll(mask)];
            int sign = *value >> 15, taken = -(int)(bits >> 63);
            *value = (int16_t)(*value + (((one ^ sign) - sign) & taken));
        }
        lod_bit_source_skip(s, count);
    }
}

/* T.81 G.1.2.3; see entropy.c. */
static void read_ac_refine(struct lod_entropy_walk *w, int16_t *block)
{
    const unsigned last = w->scan->last, low = w->scan->low;
    struct lod_bit_source bits = w->bits;
    const uint64_t known = lod_block_nonzero(block, 0);
    unsigned k = w->scan->first;

    while (!w->run && k <= last) {
        lod_bit_source_refill(&bits);
        unsigned symbol = lod_entropy_decode(&bits, w->ac), zeros = symbol >> 4, size = symbol & 15;
        int16_t value = 0;
        if (size) {
            value = shifted(lod_bit_source_take(&bits, 1) ? 1 : -1, low);
        } else if (zeros < 15) {
            w->run = (1u << zeros) + lod_bit_source_take(&bits, zeros);
            break;
        }
        uint64_t left = ~known & lod_block_between(k, last + 1);
        for (; zeros && left; zeros--) {
            left &= left - 1;
        }
        unsigned at = left ? (unsigned)__builtin_ctzll(left) : last + 1;
        correct(&bits, low, block, known & lod_block_between(k, at));
        if (size > 1 || (size && at > last)) {
            bits.bad = true;
            break;
        }
        if (size) {
            block[at] = value;
        }
        k = at + 1;
    }
    if (w->run) {
        correct(&bits, low, block, known & lod_block_between(k, last + 1));
        w->run--;
    }
    w->bits = bits;
}

#define STEP(name)           read_##name
#define BLOCK(block, inside) ((void)(inside), (block))
#include "pcr/entropy/entropy_walk.inc"

int lod_entropy_read(struct lod_jpeg *jpeg, const struct lod_entropy_scan *scan,
                     const struct lod_entropy_decoders *decoders, struct lod_span coded)
{
    return walk(jpeg, scan, decoders, coded, -EILSEQ);
}

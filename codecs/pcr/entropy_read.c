/* SPDX-License-Identifier: Apache-2.0 */
/* See entropy_read.h. */
#include "pcr/entropy_read.h"

#include <errno.h>
#include <string.h>

#include "pcr/entropy_block.h"

/* ------------------------------------------------------------------------------ bits */

/* The next bits stand at the top of `held`; those past `count` are 0 or already right. */
struct source {
    const uint8_t *at, *end;
    uint64_t held;
    unsigned count;
    unsigned invented; /* of them, behind the end */
    bool bad;
};

static inline uint64_t word_at(const uint8_t *at)
{
    return (uint64_t)at[0] << 56 | (uint64_t)at[1] << 48 | (uint64_t)at[2] << 40 |
           (uint64_t)at[3] << 32 | (uint64_t)at[4] << 24 | (uint64_t)at[5] << 16 |
           (uint64_t)at[6] << 8 | at[7];
}

/* By value, as long codes are, so that what is read in a loop stays in registers. */
static struct source refill_slowly(struct source s)
{
    while (s.count <= 56) {
        uint8_t byte = 0;
        if (s.at == s.end) {
            s.invented += 8;
        } else {
            byte = *s.at++;
            if (byte == 0xff) {
                s.bad |= s.at == s.end || *s.at != 0;
                s.at += s.at != s.end;
            }
        }
        s.held |= (uint64_t)byte << (56 - s.count);
        s.count += 8;
    }
    return s;
}

/* 56 bits at least; eight bytes at once where none of them can be 0xff. */
static inline void refill(struct source *s)
{
    if (s->end - s->at >= 8) {
        uint64_t word = word_at(s->at);
        if (!(word & ~(word + 0x0101010101010101u) & 0x8080808080808080u)) {
            s->held |= word >> s->count;
            s->at += (63 - s->count) >> 3;
            s->count |= 56;
            return;
        }
    }
    *s = refill_slowly(*s);
}

static inline void skip(struct source *s, unsigned bits)
{
    s->held <<= bits;
    s->count -= bits;
}

/* Up to 16 bits, which are there. */
static inline uint32_t take(struct source *s, unsigned bits)
{
    uint32_t value = (uint32_t)(s->held >> 1 >> (63 - bits));

    skip(s, bits);
    return value;
}

/* ---------------------------------------------------------------------------- symbols */

int lod_entropy_decoder_make(const struct lod_huffman_table *table,
                             struct lod_entropy_decoder *ret_decoder)
{
    uint32_t code = 0;
    unsigned at = 0;

    *ret_decoder = (struct lod_entropy_decoder){.known = true};
    memcpy(ret_decoder->values, table->values, sizeof(ret_decoder->values));
    for (unsigned bits = 1; bits <= LOD_HUFFMAN_BITS_MAX; bits++) {
        const uint32_t step = 1u << (LOD_HUFFMAN_BITS_MAX - bits);
        ret_decoder->first[bits] = code;
        ret_decoder->value_at[bits] = (uint16_t)at;
        for (unsigned i = 0; i < table->counts[bits - 1]; i++, code += step) {
            if (at == table->values_count || code + step > 1u << LOD_HUFFMAN_BITS_MAX) {
                return -EILSEQ;
            }
            uint16_t entry = (uint16_t)(bits << 8 | table->values[at++]);
            const unsigned shift = LOD_HUFFMAN_BITS_MAX - LOD_ENTROPY_LOOK_BITS;
            for (uint32_t k = code >> shift;
                 bits <= LOD_ENTROPY_LOOK_BITS && k < (code + step) >> shift; k++) {
                ret_decoder->look[k] = entry;
            }
        }
        ret_decoder->end[bits] = code;
    }
    return at == table->values_count ? 0 : -EILSEQ;
}

/* A code of more bits than are looked up, as one of these; 0: there is none. */
static uint16_t decode_long(uint32_t code, const struct lod_entropy_decoder *d)
{
    for (unsigned bits = LOD_ENTROPY_LOOK_BITS + 1; bits <= LOD_HUFFMAN_BITS_MAX; bits++) {
        if (code < d->end[bits]) {
            uint32_t nth = (code - d->first[bits]) >> (LOD_HUFFMAN_BITS_MAX - bits);
            return (uint16_t)(bits << 8 | d->values[d->value_at[bits] + nth]);
        }
    }
    return 0;
}

/* The bits are there. */
static inline unsigned decode(struct source *s, const struct lod_entropy_decoder *d)
{
    unsigned entry = d->look[s->held >> (64 - LOD_ENTROPY_LOOK_BITS)];

    if (!entry) {
        entry = decode_long((uint32_t)(s->held >> 48), d);
        s->bad |= !entry;
    }
    skip(s, entry >> 8);
    return entry & 0xff;
}

/* T.81 F.2.2.1, EXTEND: a value of `size` bits, 1 .. 15, of which the lower half is negative. */
static inline int take_value(struct source *s, unsigned size)
{
    int value = (int)take(s, size);

    return value < 1 << (size - 1) ? value - (1 << size) + 1 : value;
}

/* ----------------------------------------------------------------------------- blocks */

struct reading {
    struct lod_jpeg *jpeg;
    const struct lod_entropy_scan *scan;
    const struct lod_entropy_decoders *decoders;
    const struct lod_entropy_decoder *ac;
    struct source bits;
    uint32_t dc[LOD_SCRIPT_COMPONENTS];
    uint32_t run; /* blocks that say nothing more, this one included */
};

static inline int16_t shifted(int value, unsigned low)
{
    return (int16_t)((uint32_t)value << low);
}

static void read_dc_first(struct reading *r, unsigned part, int16_t *block)
{
    refill(&r->bits);
    unsigned size = decode(&r->bits, &r->decoders->of[LOD_HUFFMAN_DC][r->scan->part[part].dc]);
    if (size > 15) {
        r->bits.bad = true;
        return;
    }
    r->dc[part] += size ? (uint32_t)take_value(&r->bits, size) : 0;
    block[0] = shifted((int)r->dc[part], r->scan->low);
}

static void read_dc_refine(struct reading *r, int16_t *block)
{
    refill(&r->bits);
    block[0] |= (int16_t)(take(&r->bits, 1) << r->scan->low);
}

static void read_ac_first(struct reading *r, int16_t *block)
{
    const unsigned last = r->scan->last, low = r->scan->low;
    struct source bits = r->bits;

    if (r->run) {
        r->run--;
        return;
    }
    for (unsigned k = r->scan->first; k <= last; k++) {
        refill(&bits);
        unsigned symbol = decode(&bits, r->ac), zeros = symbol >> 4, size = symbol & 15;
        if (size) {
            k += zeros;
            int value = take_value(&bits, size);
            if (k > last) {
                bits.bad = true;
                break;
            }
            block[k] = shifted(value, low);
        } else if (zeros == 15) {
            k += 15;
        } else {
            r->run = (1u << zeros) - 1 + take(&bits, zeros);
            break;
        }
    }
    r->bits = bits;
}

/* Bits k .. end - 1; k <= end <= 64. */
static inline uint64_t between(unsigned k, unsigned end)
{
    return k == end ? 0 : lod_block_band(k, end - 1);
}

/* A bit more of each coefficient in `mask`, none of which is 0: away from it where the bit is 1. */
static inline void correct(struct source *s, unsigned low, int16_t *block, uint64_t mask)
{
    const int one = 1 << low;

    while (mask) {
        refill(s);
        uint64_t bits = s->held;
        unsigned count = 0;
        for (; count < 56 && mask; count++, mask &= mask - 1, bits <<= 1) {
            int16_t *value = &block[__builtin_ctzll(mask)];
            int sign = *value >> 15, taken = -(int)(bits >> 63);
            *value = (int16_t)(*value + (((one ^ sign) - sign) & taken));
        }
        skip(s, count);
    }
}

/* T.81 G.1.2.3; see entropy.c. */
static void read_ac_refine(struct reading *r, int16_t *block)
{
    const unsigned last = r->scan->last, low = r->scan->low;
    struct source bits = r->bits;
    const uint64_t known = lod_block_nonzero(block, 0);
    unsigned k = r->scan->first;

    while (!r->run && k <= last) {
        refill(&bits);
        unsigned symbol = decode(&bits, r->ac), zeros = symbol >> 4, size = symbol & 15;
        int16_t value = 0;
        if (size) {
            value = shifted(take(&bits, 1) ? 1 : -1, low);
        } else if (zeros < 15) {
            r->run = (1u << zeros) + take(&bits, zeros);
            break;
        }
        uint64_t left = ~known & between(k, last + 1);
        for (; zeros && left; zeros--) {
            left &= left - 1;
        }
        unsigned at = left ? (unsigned)__builtin_ctzll(left) : last + 1;
        correct(&bits, low, block, known & between(k, at));
        if (size > 1 || (size && at > last)) {
            bits.bad = true;
            break;
        }
        if (size) {
            block[at] = value;
        }
        k = at + 1;
    }
    if (r->run) {
        correct(&bits, low, block, known & between(k, last + 1));
        r->run--;
    }
    r->bits = bits;
}

static inline void read_block(struct reading *r, unsigned part, int16_t *block)
{
    if (r->scan->first && r->scan->high) {
        read_ac_refine(r, block);
    } else if (r->scan->first) {
        read_ac_first(r, block);
    } else if (r->scan->high) {
        read_dc_refine(r, block);
    } else {
        read_dc_first(r, part, block);
    }
}

/* ------------------------------------------------------------------------------ scans */

/* Has anything been taken that was not there? */
static bool is_sound(const struct source *s)
{
    return !s->bad && s->invented <= s->count;
}

static void read_alone(struct reading *r)
{
    const unsigned number = r->scan->part[0].component;
    const struct lod_jpeg_component *component = &r->jpeg->frame.component[number];

    for (uint32_t y = 0; y < component->blocks_high && is_sound(&r->bits); y++) {
        int16_t(*row)[LOD_JPEG_BLOCK] = lod_jpeg_row(r->jpeg, number, y);
        for (uint32_t x = 0; x < component->blocks_wide; x++) {
            read_block(r, 0, row[x]);
        }
    }
}

static void read_mcu(struct reading *r, uint32_t mcu_row, uint32_t mcu)
{
    for (unsigned part = 0; part < r->scan->count; part++) {
        const unsigned number = r->scan->part[part].component;
        const struct lod_jpeg_component *component = &r->jpeg->frame.component[number];
        for (unsigned y = 0; y < component->v; y++) {
            int16_t(*row)[LOD_JPEG_BLOCK] =
                lod_jpeg_row(r->jpeg, number, mcu_row * component->v + y);
            for (unsigned x = 0; x < component->h; x++) {
                read_block(r, part, row[mcu * component->h + x]);
            }
        }
    }
}

static void read_interleaved(struct reading *r)
{
    for (uint32_t y = 0; y < r->jpeg->frame.mcus_high && is_sound(&r->bits); y++) {
        for (uint32_t x = 0; x < r->jpeg->frame.mcus_wide; x++) {
            read_mcu(r, y, x);
        }
    }
}

static bool has_tables(const struct lod_entropy_scan *scan,
                       const struct lod_entropy_decoders *decoders)
{
    bool known = true;

    for (unsigned part = 0; part < scan->count; part++) {
        known &= scan->first  ? decoders->of[LOD_HUFFMAN_AC][scan->part[part].ac].known
                 : scan->high ? true
                              : decoders->of[LOD_HUFFMAN_DC][scan->part[part].dc].known;
    }
    return known;
}

int lod_entropy_read(struct lod_jpeg *jpeg, const struct lod_entropy_scan *scan,
                     const struct lod_entropy_decoders *decoders, struct lod_span coded)
{
    struct reading r = {.jpeg = jpeg,
                        .scan = scan,
                        .decoders = decoders,
                        .ac = &decoders->of[LOD_HUFFMAN_AC][scan->part[0].ac],
                        .bits = {.at = coded.at, .end = coded.at + coded.bytes}};

    if (!scan->progressive || scan->restart_mcus || !has_tables(scan, decoders)) {
        return -EILSEQ;
    }
    if (scan->count == 1) {
        read_alone(&r);
    } else {
        read_interleaved(&r);
    }
    return is_sound(&r.bits) && !r.run ? 0 : -EILSEQ;
}

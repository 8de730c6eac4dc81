/* SPDX-License-Identifier: Apache-2.0 */
/* See entropy_plain.h. The state that changes from block to block is kept in registers. */
#include "pcr/entropy/entropy_plain.h"

#include <errno.h>
#include <string.h>

#include "pcr/entropy/entropy_bits.h"
#include "pcr/entropy/entropy_block.h"

#define ZEROS_16 0xf0u

struct plain {
    const struct lod_entropy_tables *tables;
    struct lod_entropy_counts *counts; /* not NULL: count symbols and write nothing */
    struct lod_bits bits;
    int dc[LOD_SCRIPT_COMPONENTS];
    bool missing; /* a symbol has no code, or a value has no symbol */
};

/* Writes the code of a symbol and the bits of a value after it. */
static inline void put(struct plain *p, enum lod_huffman_class class, unsigned table,
                       unsigned symbol, uint32_t more, unsigned more_bits)
{
    if (p->counts) {
        p->counts->of[class][table][symbol]++;
        return;
    }
    const uint32_t entry = p->tables->codes[class][table].entry[symbol];
    p->missing |= !entry;
    lod_bits_put(&p->bits, entry >> 8 << more_bits | more, (entry & 0xff) + more_bits);
}

/* Codes `value`, which is not 0 and has fewer than 16 bits: T.81 F.1.2.1. */
static inline void put_value(struct plain *p, enum lod_huffman_class class, unsigned table,
                             unsigned zeros, int value)
{
    const unsigned size = 32 - (unsigned)__builtin_clz((unsigned)(value < 0 ? -value : value));

    put(p, class, table, zeros << 4 | size, (uint32_t)(value + (value >> 31)) & ((1u << size) - 1),
        size);
}

static inline void put_dc(struct plain *p, unsigned table, int difference)
{
    if (difference) {
        put_value(p, LOD_HUFFMAN_DC, table, 0, difference);
    } else {
        put(p, LOD_HUFFMAN_DC, table, 0, 0, 0);
    }
}

static inline void put_block(struct plain *p, const struct lod_entropy_scan *scan, unsigned part,
                             const int16_t *block)
{
    const unsigned table = scan->part[part].ac;
    unsigned next = 1;

    put_dc(p, scan->part[part].dc, block[0] - p->dc[part]);
    p->dc[part] = block[0];
    for (uint64_t left = lod_block_nonzero(block, 0) & ~1ull; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left), zeros = k - next;
        for (; zeros > 15; zeros -= 16) {
            put(p, LOD_HUFFMAN_AC, table, ZEROS_16, 0, 0);
        }
        if (block[k] == INT16_MIN) { /* it has 16 bits, for which there is no symbol */
            p->missing = true;
            return;
        }
        put_value(p, LOD_HUFFMAN_AC, table, zeros, block[k]);
        next = k + 1;
    }
    if (next < LOD_JPEG_BLOCK) {
        put(p, LOD_HUFFMAN_AC, table, 0, 0, 0);
    }
}

/* Codes a scan of one component: its blocks come row by row, without padding blocks. */
static inline void put_alone(const struct lod_jpeg *jpeg, const struct lod_entropy_scan *scan,
                             struct plain *plain)
{
    const unsigned number = scan->part[0].component;
    const struct lod_jpeg_component *component = &jpeg->frame.component[number];
    struct plain p = *plain;

    for (uint32_t y = 0; y < component->blocks_high && !p.missing && !p.bits.full; y++) {
        int16_t(*row)[LOD_JPEG_BLOCK] = lod_jpeg_row(jpeg, number, y);
        for (uint32_t x = 0; x < component->blocks_wide; x++) {
            put_block(&p, scan, 0, row[x]);
        }
    }
    *plain = p;
}

static inline void put_interleaved(const struct lod_jpeg *jpeg, const struct lod_entropy_scan *scan,
                                   struct plain *plain)
{
    const uint32_t wide = jpeg->frame.mcus_wide, mcus = wide * jpeg->frame.mcus_high;
    struct plain p = *plain;

    for (uint32_t mcu = 0; mcu < mcus && !p.missing && !p.bits.full; mcu++) {
        for (unsigned part = 0; part < scan->count; part++) {
            const unsigned number = scan->part[part].component;
            const unsigned h = jpeg->frame.component[number].h, v = jpeg->frame.component[number].v;
            for (unsigned i = 0; i < h * v; i++) {
                const int16_t(*row)[LOD_JPEG_BLOCK] =
                    (const int16_t(*)[LOD_JPEG_BLOCK])lod_jpeg_row(jpeg, number,
                                                                   mcu / wide * v + i / h);
                put_block(&p, scan, part, row[mcu % wide * h + i % h]);
            }
        }
    }
    *plain = p;
}

static inline void put_scan(const struct lod_jpeg *jpeg, const struct lod_entropy_scan *scan,
                            struct plain *plain)
{
    if (scan->count == 1) {
        put_alone(jpeg, scan, plain);
    } else {
        put_interleaved(jpeg, scan, plain);
    }
}

/* The compiler makes two copies of the code above, one that counts and one that writes. */
LOD_ENTROPY_WIDEST static struct plain write_scan(const struct lod_jpeg *jpeg,
                                                  const struct lod_entropy_scan *scan,
                                                  const struct lod_entropy_tables *tables,
                                                  uint8_t *out, size_t room)
{
    struct plain p = {.tables = tables, .bits = {.at = out, .end = out + room}};

    put_scan(jpeg, scan, &p);
    return p;
}

LOD_ENTROPY_WIDEST static bool count_scan(const struct lod_jpeg *jpeg,
                                          const struct lod_entropy_scan *scan,
                                          struct lod_entropy_counts *counts)
{
    struct plain p = {.counts = counts};

    put_scan(jpeg, scan, &p);
    return !p.missing;
}

int lod_entropy_write_plain(const struct lod_jpeg *jpeg, const struct lod_entropy_scan *scan,
                            const struct lod_entropy_tables *tables, uint8_t *out, size_t room,
                            size_t *ret_bytes)
{
    struct plain p = write_scan(jpeg, scan, tables, out, room);

    lod_bits_align(&p.bits, scan->pad_zeros);
    if (p.missing || p.bits.full) {
        return p.missing ? -EILSEQ : -ENOSPC;
    }
    *ret_bytes = (size_t)(p.bits.at - out);
    return 0;
}

int lod_entropy_count_plain(const struct lod_jpeg *jpeg, const struct lod_entropy_scan *scan,
                            struct lod_entropy_counts *ret_counts)
{
    memset(ret_counts, 0, sizeof(*ret_counts));
    return count_scan(jpeg, scan, ret_counts) ? 0 : -EILSEQ;
}

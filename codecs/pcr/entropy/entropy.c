/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entropy coder. T.81 lets a progressive encoder choose how long runs of ended blocks may grow.
 * This one chooses as the encoder of the Independent JPEG Group does, which made most files. The
 * same walk counts symbols and writes them.
 */
#include "pcr/entropy/entropy.h"

#include <errno.h>
#include <string.h>

#include "pcr/entropy/entropy_bits.h"
#include "pcr/entropy/entropy_block.h"
#include "pcr/entropy/entropy_plain.h"

#define ZEROS_16 0xf0u

struct coder {
    const struct lod_jpeg *jpeg;
    const struct lod_entropy_scan *scan;
    const struct lod_entropy_tables *tables; /* NULL: count only */
    struct lod_entropy_counts *counts;       /* NULL: write only */
    struct lod_entropy_tokens *tokens;       /* with counts: the tokens to write; or NULL */
    struct lod_bits bits;
    bool missing; /* a symbol had no code */
    int dc[LOD_SCRIPT_COMPONENTS];
    unsigned run, ac_table; /* ended blocks whose code is not written yet, and the table for it */
    unsigned corrections;
    uint8_t correction[1000 + LOD_JPEG_BLOCK];
};

/* Codes a symbol of a table and the bits after it. */
static inline void put_symbol(struct coder *c, enum lod_huffman_class class, unsigned table,
                              unsigned symbol, uint32_t more, unsigned more_bits)
{
    if (c->counts) {
        c->counts->of[class][table][symbol]++;
        lod_entropy_note(c->tokens, LOD_TOKEN(class, table, symbol, more_bits), more, more_bits);
        return;
    }
    uint32_t entry = c->tables->codes[class][table].entry[symbol];
    c->missing |= !entry;
    lod_bits_put(&c->bits, entry >> 8 << more_bits | more, (entry & 0xff) + more_bits);
}

static inline void put_bits(struct coder *c, uint32_t value, unsigned bits)
{
    if (c->counts) {
        lod_entropy_note(c->tokens, LOD_TOKEN_BITS | bits, value, bits);
    } else {
        lod_bits_put(&c->bits, value, bits);
    }
}

static inline unsigned bits_of(unsigned magnitude)
{
    return magnitude ? 32 - (unsigned)__builtin_clz(magnitude) : 0;
}

/* Returns the bits after a size: the value, or for a negative one its complement (T.81 F.1.2.1). */
static inline uint32_t value_bits(int value, unsigned size)
{
    return (uint32_t)(value < 0 ? value - 1 : value) & ((1u << size) - 1);
}

static void put_dc(struct coder *c, unsigned part, int value)
{
    int diff = value - c->dc[part];
    unsigned size = bits_of((unsigned)(diff < 0 ? -diff : diff));

    c->dc[part] = value;
    put_symbol(c, LOD_HUFFMAN_DC, c->scan->part[part].dc, size, value_bits(diff, size), size);
}

/* Codes a coefficient after `zeros` zero coefficients. */
static inline void put_ac(struct coder *c, unsigned table, unsigned zeros, int value)
{
    for (; zeros > 15; zeros -= 16) {
        put_symbol(c, LOD_HUFFMAN_AC, table, ZEROS_16, 0, 0);
    }
    unsigned size = bits_of((unsigned)(value < 0 ? -value : value));
    put_symbol(c, LOD_HUFFMAN_AC, table, zeros << 4 | (size & 15), value_bits(value, size), size);
    c->missing |= size > 15;
}

static void code_sequential(struct coder *c, unsigned part, const int16_t *block)
{
    unsigned table = c->scan->part[part].ac, before = 0;

    put_dc(c, part, block[0]);
    for (uint64_t left = lod_block_nonzero(block, 0) & ~1ull; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        put_ac(c, table, k - before - 1, block[k]);
        before = k;
    }
    if (before < 63) {
        put_symbol(c, LOD_HUFFMAN_AC, table, 0, 0, 0);
    }
}

/* Writes the first `count` correction bits and removes them. */
static void put_corrections(struct coder *c, unsigned count)
{
    for (unsigned i = 0; i < count && (c->tokens || !c->counts);) {
        uint32_t bits = 0;
        unsigned end = i + 15 < count ? i + 15 : count, from = i;
        for (; i < end; i++) {
            bits = bits << 1 | c->correction[i];
        }
        put_bits(c, bits, end - from);
    }
    c->corrections -= count;
    if (c->corrections && count) {
        memmove(c->correction, c->correction + count, c->corrections);
    }
}

/* Codes the run of ended blocks, and writes the correction bits of these blocks. */
static void put_run(struct coder *c, unsigned theirs)
{
    if (c->run) {
        unsigned size = bits_of(c->run) - 1;
        put_symbol(c, LOD_HUFFMAN_AC, c->ac_table, size << 4, c->run & ((1u << size) - 1), size);
        c->run = 0;
        put_corrections(c, theirs);
    }
}

static void end_block(struct coder *c)
{
    c->run++;
    if (c->run >= c->scan->run_max || c->corrections > LOD_ENTROPY_CORRECTIONS_MAX) {
        put_run(c, c->corrections);
    }
}

static void code_ac_first(struct coder *c, const int16_t *block)
{
    const struct lod_entropy_scan *s = c->scan;
    uint64_t left = lod_block_nonzero(block, s->low) & lod_block_band(s->first, s->last);
    unsigned before = s->first - 1u;

    if (left) {
        put_run(c, c->corrections);
    }
    for (; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        int value = block[k] < 0 ? -(-block[k] >> s->low) : block[k] >> s->low;
        put_ac(c, c->ac_table, k - before - 1, value);
        before = k;
    }
    if (before < s->last) {
        end_block(c);
    }
}

/* Codes a symbol of a refined block: first the pending run, then the symbol, then the block's own
 * correction bits. */
static void put_new(struct coder *c, unsigned *theirs, unsigned symbol, uint32_t more,
                    unsigned more_bits)
{
    put_run(c, *theirs);
    *theirs = 0;
    put_symbol(c, LOD_HUFFMAN_AC, c->ac_table, symbol, more, more_bits);
    put_corrections(c, c->corrections);
}

/*
 * T.81 G.1.2.3. Coefficients whose magnitude becomes 1 are coded as in a first scan. Those that
 * were not 0 before only get a correction bit, after the next code of their block or of its run.
 */
static void code_ac_refine(struct coder *c, const int16_t *block)
{
    const struct lod_entropy_scan *s = c->scan;
    uint64_t left = lod_block_nonzero(block, s->low) & lod_block_band(s->first, s->last);
    uint64_t new = left & ~lod_block_nonzero(block, s->low + 1u);
    unsigned before = s->first - 1u, zeros = 0;
    unsigned theirs = c->corrections; /* those of the blocks before */

    for (; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        zeros += k - before - 1;
        before = k;
        for (; zeros > 15 && new; zeros -= 16) {
            put_new(c, &theirs, ZEROS_16, 0, 0);
        }
        if (new & 1ull << k) {
            put_new(c, &theirs, zeros << 4 | 1, block[k] > 0, 1);
            zeros = 0;
            new &= new - 1;
        } else {
            unsigned magnitude = (unsigned)(block[k] < 0 ? -block[k] : block[k]);
            c->correction[c->corrections++] = magnitude >> s->low & 1;
        }
    }
    zeros += s->last - before;
    if (zeros || c->corrections > theirs) {
        end_block(c);
    }
}

static void code_block(struct coder *c, unsigned part, const int16_t *block)
{
    const struct lod_entropy_scan *s = c->scan;

    if (!s->progressive) {
        code_sequential(c, part, block);
    } else if (s->first && s->high) {
        code_ac_refine(c, block);
    } else if (s->first) {
        code_ac_first(c, block);
    } else if (s->high) {
        c->dc[part] = block[0];
        put_bits(c, (uint32_t)(block[0] >> s->low) & 1, 1);
    } else {
        put_dc(c, part, block[0] >> s->low); /* rounds down: T.81 G.1.2.1 */
    }
}

static void finish_interval(struct coder *c)
{
    put_run(c, c->corrections);
    if (!c->counts) {
        lod_bits_align(&c->bits, c->scan->pad_zeros);
    }
    memset(c->dc, 0, sizeof(c->dc));
}

/* Writes a restart marker if one is due before this MCU. */
static void restart(struct coder *c, uint64_t mcu)
{
    uint32_t mcus = c->scan->restart_mcus;

    if (!mcus || !mcu || mcu % mcus) {
        return;
    }
    finish_interval(c);
    if (!c->counts) {
        lod_bits_byte(&c->bits, 0xff);
        lod_bits_byte(&c->bits, (uint8_t)(0xd0 + (mcu / mcus - 1) % 8));
    }
}

/* Codes a scan of one component: its blocks come row by row, without padding blocks. */
LOD_ENTROPY_WIDEST static void code_alone(struct coder *c)
{
    unsigned number = c->scan->part[0].component;
    const struct lod_jpeg_component *component = &c->jpeg->frame.component[number];
    uint64_t mcu = 0;

    for (uint32_t y = 0; y < component->blocks_high && !c->missing && !c->bits.full; y++) {
        int16_t(*row)[LOD_JPEG_BLOCK] = lod_jpeg_row(c->jpeg, number, y);
        for (uint32_t x = 0; x < component->blocks_wide; x++, mcu++) {
            restart(c, mcu);
            code_block(c, 0, row[x]);
        }
    }
}

struct mcu_rows {
    int16_t (*row[LOD_SCRIPT_COMPONENTS][4])[LOD_JPEG_BLOCK];
};

static void find_rows(struct coder *c, uint32_t mcu_row, struct mcu_rows *ret_rows)
{
    for (unsigned part = 0; part < c->scan->count; part++) {
        unsigned number = c->scan->part[part].component;
        unsigned v = c->jpeg->frame.component[number].v;
        for (unsigned y = 0; y < v; y++) {
            ret_rows->row[part][y] = lod_jpeg_row(c->jpeg, number, mcu_row * v + y);
        }
    }
}

/* Codes a padding block with the DC of the block before it and no AC. */
static void code_plain(struct coder *c, unsigned part)
{
    if (c->scan->high) {
        put_bits(c, (uint32_t)(c->dc[part] >> c->scan->low) & 1, 1);
    } else {
        put_dc(c, part, c->dc[part]);
    }
}

static void code_mcu(struct coder *c, const struct mcu_rows *rows, uint32_t mcu_row, uint32_t mcu)
{
    for (unsigned part = 0; part < c->scan->count; part++) {
        const struct lod_jpeg_component *component =
            &c->jpeg->frame.component[c->scan->part[part].component];
        for (unsigned y = 0; y < component->v; y++) {
            for (unsigned x = 0; x < component->h; x++) {
                uint32_t column = mcu * component->h + x;
                if (c->scan->plain_padding &&
                    (column >= component->blocks_wide ||
                     mcu_row * component->v + y >= component->blocks_high)) {
                    code_plain(c, part);
                } else {
                    code_block(c, part, rows->row[part][y][column]);
                }
            }
        }
    }
}

LOD_ENTROPY_WIDEST static void code_interleaved(struct coder *c)
{
    struct mcu_rows rows;
    uint64_t mcu = 0;

    for (uint32_t y = 0; y < c->jpeg->frame.mcus_high && !c->missing && !c->bits.full; y++) {
        find_rows(c, y, &rows);
        for (uint32_t x = 0; x < c->jpeg->frame.mcus_wide; x++, mcu++) {
            restart(c, mcu);
            code_mcu(c, &rows, y, x);
        }
    }
}

static int code_scan(struct coder *c)
{
    c->ac_table = c->scan->part[0].ac;
    if (c->scan->count == 1) {
        code_alone(c);
    } else {
        code_interleaved(c);
    }
    finish_interval(c);
    return c->missing ? -EILSEQ : c->bits.full ? -ENOSPC : 0;
}

int lod_entropy_write(const struct lod_jpeg *jpeg, const struct lod_entropy_scan *scan,
                      const struct lod_entropy_tables *tables, uint8_t *out, size_t room,
                      size_t *ret_bytes)
{
    struct coder c = {.jpeg = jpeg, .scan = scan, .tables = tables};

    if (lod_entropy_is_plain(scan)) {
        return lod_entropy_write_plain(jpeg, scan, tables, out, room, ret_bytes);
    }
    c.bits = (struct lod_bits){.at = out, .end = out + room};
    int error = code_scan(&c);
    if (!error) {
        *ret_bytes = (size_t)(c.bits.at - out);
    }
    return error;
}

int lod_entropy_count(const struct lod_jpeg *jpeg, const struct lod_entropy_scan *scan,
                      struct lod_entropy_tokens *tokens, struct lod_entropy_counts *ret_counts)
{
    struct coder c = {.jpeg = jpeg, .scan = scan, .counts = ret_counts, .tokens = tokens};

    if (!tokens && lod_entropy_is_plain(scan)) {
        return lod_entropy_count_plain(jpeg, scan, ret_counts);
    }
    if (tokens && lod_entropy_tokens_of(jpeg, scan, tokens, ret_counts)) {
        return 0;
    }
    memset(ret_counts, 0, sizeof(*ret_counts));
    if (tokens) {
        tokens->count = tokens->bits = 0;
    }
    return code_scan(&c);
}

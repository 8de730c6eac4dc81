/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts progressive scans to tokens, and tokens to bytes. The walk is that of entropy.c, with
 * its state in registers. A run of ended blocks gets its token when it begins, and its length when
 * it ends, so the correction bits of its blocks can follow the token directly.
 */
#include "pcr/entropy/entropy_tokens.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "pcr/entropy/entropy.h"
#include "pcr/entropy/entropy_bits.h"
#include "pcr/entropy/entropy_block.h"

/* The maximum for a block: 63 symbols, and 63 correction bits in tokens of 15 each after them. */
#define BLOCK_TOKENS_MAX 160
#define TOKEN_BITS_MAX   15
#define ZEROS_16         0xf0u

struct walk {
    const struct lod_entropy_scan *scan;
    uint32_t *at;
    uint32_t *counts; /* of the scan's table */
    uint64_t bits;
    uint32_t what;        /* high half of the tokens of the scan's table */
    uint32_t run;         /* ended blocks */
    uint32_t *run_token;  /* in refinement scans: the token of the run */
    uint32_t corrections; /* number of correction bits of the run */
};

static inline void put_token(struct walk *w, unsigned symbol, uint32_t more, unsigned more_bits)
{
    w->counts[symbol]++;
    w->bits += more_bits;
    *w->at++ = (w->what | symbol << 4 | more_bits) << 16 | more;
}

static inline unsigned run_size(uint32_t run)
{
    return 31 - (unsigned)__builtin_clz(run);
}

static inline uint32_t magnitude_of(int value)
{
    return (uint32_t)(value < 0 ? -value : value);
}

/* ------------------------------------------------------------------------ first scans of AC */

static inline void end_first_run(struct walk *w)
{
    if (w->run) {
        unsigned size = run_size(w->run);
        put_token(w, size << 4, w->run & ((1u << size) - 1), size);
        w->run = 0;
    }
}

static inline void walk_first(struct walk *w, const int16_t *block)
{
    const unsigned low = w->scan->low, last = w->scan->last;
    uint64_t left = lod_block_nonzero(block, low) & lod_block_band(w->scan->first, last);
    unsigned next = w->scan->first;

    if (left) {
        end_first_run(w);
    }
    for (; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left), zeros = k - next;
        for (; zeros > 15; zeros -= 16) {
            put_token(w, ZEROS_16, 0, 0);
        }
        uint32_t magnitude = magnitude_of(block[k]) >> low;
        unsigned size = run_size(magnitude) + 1;
        put_token(w, zeros << 4 | size, block[k] < 0 ? magnitude ^ ((1u << size) - 1) : magnitude,
                  size);
        next = k + 1;
    }
    if (next <= last && ++w->run == w->scan->run_max) {
        end_first_run(w);
    }
}

/* --------------------------------------------------------------------- refining scans of AC */

/* Adds `count` <= 63 correction bits, the first one in the highest bit. */
static inline void put_corrections(struct walk *w, uint64_t bits, unsigned count)
{
    w->bits += count;
    while (count) {
        unsigned now = count < TOKEN_BITS_MAX ? count : TOKEN_BITS_MAX;
        count -= now;
        *w->at++ = (LOD_TOKEN_BITS | now) << 16 | (uint32_t)(bits >> count & ((1u << now) - 1));
    }
}

static inline void end_refined_run(struct walk *w)
{
    if (w->run) {
        unsigned size = run_size(w->run);
        w->counts[size << 4]++;
        w->bits += size;
        *w->run_token = (w->what | size << 8 | size) << 16 | (w->run & ((1u << size) - 1));
        w->run = w->corrections = 0;
    }
}

/* Adds the block to the run, with the correction bits after its last symbol. */
static inline void join_run(struct walk *w, uint64_t bits, unsigned count)
{
    if (w->run++ == 0) {
        w->run_token = w->at++;
    }
    put_corrections(w, bits, count);
    w->corrections += count;
    if (w->run == w->scan->run_max || w->corrections > LOD_ENTROPY_CORRECTIONS_MAX) {
        end_refined_run(w);
    }
}

/* T.81 G.1.2.3; see entropy.c. */
static inline void walk_refined(struct walk *w, const int16_t *block)
{
    const unsigned low = w->scan->low, last = w->scan->last;
    uint64_t left = lod_block_nonzero(block, low) & lod_block_band(w->scan->first, last);
    uint64_t fresh = left & ~lod_block_nonzero(block, low + 1u), bits = 0;
    unsigned next = w->scan->first, zeros = 0, count = 0;

    for (; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        zeros += k - next;
        next = k + 1;
        for (; zeros > 15 && fresh; zeros -= 16) {
            end_refined_run(w);
            put_token(w, ZEROS_16, 0, 0);
            put_corrections(w, bits, count);
            count = 0;
        }
        if (fresh & 1ull << k) {
            end_refined_run(w);
            put_token(w, zeros << 4 | 1, block[k] > 0, 1);
            put_corrections(w, bits, count);
            zeros = count = 0;
            fresh &= fresh - 1;
        } else {
            bits = bits << 1 | (magnitude_of(block[k]) >> low & 1);
            count++;
        }
    }
    if (zeros || next <= last || count) {
        join_run(w, bits, count);
    }
}

/* -------------------------------------------------------------------------------------- DC */

struct dc_walk {
    struct walk w;
    uint32_t *counts[LOD_SCRIPT_COMPONENTS];
    int dc[LOD_SCRIPT_COMPONENTS];
    uint64_t held; /* bits of refined values that are not in a token yet */
    unsigned held_bits;
};

static inline void walk_dc_first(struct dc_walk *d, unsigned part, int value)
{
    const int difference = value - d->dc[part];
    const uint32_t magnitude = magnitude_of(difference);
    const unsigned size = magnitude ? run_size(magnitude) + 1 : 0;
    const uint32_t what = LOD_TOKEN(LOD_HUFFMAN_DC, (uint32_t)d->w.scan->part[part].dc, size, size);

    d->dc[part] = value;
    d->counts[part][size]++;
    d->w.bits += size;
    *d->w.at++ = what << 16 | ((uint32_t)(difference + (difference >> 31)) & ((1u << size) - 1));
}

static inline void walk_dc_refined(struct dc_walk *d, unsigned part, int value)
{
    d->dc[part] = value;
    d->held = d->held << 1 | (value & 1);
    if (++d->held_bits == TOKEN_BITS_MAX) {
        put_corrections(&d->w, d->held, TOKEN_BITS_MAX);
        d->held = d->held_bits = 0;
    }
}

/* Walks an MCU. Padding blocks have the DC of the block before them. */
static inline void walk_mcu(const struct lod_jpeg *jpeg, struct dc_walk *d, uint32_t row,
                            uint32_t column)
{
    const struct lod_entropy_scan *scan = d->w.scan;

    for (unsigned part = 0; part < scan->count; part++) {
        const unsigned number = scan->part[part].component;
        const struct lod_jpeg_component *component = &jpeg->frame.component[number];
        const unsigned h = scan->count > 1 ? component->h : 1;
        const unsigned v = scan->count > 1 ? component->v : 1;
        for (uint32_t y = row * v; y < (row + 1) * v; y++) {
            int16_t(*blocks)[LOD_JPEG_BLOCK] = lod_jpeg_row(jpeg, number, y);
            for (uint32_t x = column * h; x < (column + 1) * h; x++) {
                bool inside = x < component->blocks_wide && y < component->blocks_high;
                int value = inside ? blocks[x][0] >> scan->low : d->dc[part];
                if (scan->high) {
                    walk_dc_refined(d, part, value);
                } else {
                    walk_dc_first(d, part, value);
                }
            }
        }
    }
}

LOD_ENTROPY_WIDEST static bool walk_dc(const struct lod_jpeg *jpeg, struct dc_walk *walk,
                                       const uint32_t *end)
{
    const struct lod_entropy_scan *scan = walk->w.scan;
    const struct lod_jpeg_component *alone = &jpeg->frame.component[scan->part[0].component];
    const uint32_t wide = scan->count > 1 ? jpeg->frame.mcus_wide : alone->blocks_wide;
    const uint32_t high = scan->count > 1 ? jpeg->frame.mcus_high : alone->blocks_high;
    struct dc_walk d = *walk;

    for (uint32_t y = 0; y < high; y++) {
        for (uint32_t x = 0; x < wide; x++) {
            if (end - d.w.at < BLOCK_TOKENS_MAX) {
                return false;
            }
            walk_mcu(jpeg, &d, y, x);
        }
    }
    put_corrections(&d.w, d.held, d.held_bits);
    *walk = d;
    return true;
}

/* ----------------------------------------------------------------------------------- scans */

/* Returns false if the tokens do not fit. The state is passed by value to stay in registers. */
LOD_ENTROPY_WIDEST static bool walk_ac(const struct lod_jpeg *jpeg, struct walk *walk,
                                       const uint32_t *end)
{
    const unsigned number = walk->scan->part[0].component;
    const struct lod_jpeg_component *component = &jpeg->frame.component[number];
    const bool refined = walk->scan->high != 0;
    struct walk w = *walk;

    for (uint32_t y = 0; y < component->blocks_high; y++) {
        int16_t(*row)[LOD_JPEG_BLOCK] = lod_jpeg_row(jpeg, number, y);
        for (uint32_t x = 0; x < component->blocks_wide; x++) {
            if (end - w.at < BLOCK_TOKENS_MAX) {
                return false;
            }
            if (refined) {
                walk_refined(&w, row[x]);
            } else {
                walk_first(&w, row[x]);
            }
        }
    }
    if (refined) {
        end_refined_run(&w);
    } else {
        end_first_run(&w);
    }
    *walk = w;
    return true;
}

bool lod_entropy_tokens_of(const struct lod_jpeg *jpeg, const struct lod_entropy_scan *scan,
                           struct lod_entropy_tokens *tokens, struct lod_entropy_counts *ret_counts)
{
    const uint32_t *end = tokens->at + tokens->room;
    const unsigned table = scan->part[0].ac;
    struct dc_walk d = {.w = {.scan = scan,
                              .at = tokens->at,
                              .counts = ret_counts->of[LOD_HUFFMAN_AC][table],
                              .what = LOD_TOKEN(LOD_HUFFMAN_AC, table, 0, 0)}};

    if (!scan->progressive || scan->restart_mcus || !scan->plain_padding) {
        return false;
    }
    memset(ret_counts, 0, sizeof(*ret_counts));
    for (unsigned part = 0; part < scan->count; part++) {
        d.counts[part] = ret_counts->of[LOD_HUFFMAN_DC][scan->part[part].dc];
    }
    if (!(scan->first ? walk_ac(jpeg, &d.w, end) : walk_dc(jpeg, &d, end))) {
        return false;
    }
    tokens->count = (size_t)(d.w.at - tokens->at);
    tokens->bits = d.w.bits;
    return true;
}

/* ---------------------------------------------------------------------------------- writing */

LOD_ENTROPY_WIDEST int lod_entropy_write_tokens(const struct lod_entropy_tokens *tokens,
                                                const struct lod_entropy_tables *tables,
                                                uint8_t *out, size_t room, size_t *ret_bytes)
{
    struct lod_bits bits = {.at = out, .end = out + room};
    bool missing = false;

    assert(tokens->count <= tokens->room);
    for (size_t i = 0; i < tokens->count && !bits.full; i++) {
        uint32_t what = tokens->at[i] >> 16, more = tokens->at[i] & 0xffff, count = what & 15;
        if (what & LOD_TOKEN_BITS) {
            lod_bits_put(&bits, more, count);
            continue;
        }
        uint32_t entry = tables->codes[what >> 14][what >> 12 & 3].entry[what >> 4 & 0xff];
        missing |= !entry;
        lod_bits_put(&bits, entry >> 8 << count | more, (entry & 0xff) + count);
    }
    lod_bits_align(&bits, false);
    if (missing || bits.full) {
        return missing ? -EILSEQ : -ENOSPC;
    }
    *ret_bytes = (size_t)(bits.at - out);
    return 0;
}

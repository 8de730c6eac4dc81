/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes mode small, one symbol at a time: the reference. FORMAT.md, L3 stream, small.
 *
 * No patch can make it leave its memory: slot numbers are masked, words are counted, and residuals
 * are taken modulo 2^bits. A patch is valid if it ends exactly with its words and with the initial
 * states.
 */
#include "l3/patch/small.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "l3/patch/predict.h"

/* The rANS lanes of a patch and their place in its words. */
struct lanes {
    uint32_t state[LOD_RANS_LANES];
    const uint8_t *at, *end;
    bool past;
};

void lod_small_rows_init(struct lod_small_rows *rows)
{
    memset(&rows->samples, 0, sizeof(rows->samples));
    for (unsigned p = 0; p < LOD_L3_SAMPLES_MAX; p++) {
        for (unsigned i = 0; i < LOD_L3_SIDE_MAX + 2 * LOD_L3_MARGIN; i++) {
            rows->magnitudes[p][i] = LOD_SMALL_FIRST;
        }
    }
}

/*
 * Maps sums of 16-bit images to activities: exact below 8, then eight steps to each power of two.
 */
static unsigned step_of(unsigned sum)
{
    unsigned e = sum < 8 ? 0 : 31u - (unsigned)__builtin_clz(sum);
    unsigned step = sum < 8 ? sum : (e - 2) * 8 + (sum >> (e - 3) & 7);

    return step < LOD_RANS_ACTIVITIES ? step : LOD_RANS_ACTIVITIES - 1;
}

static uint16_t magnitude8(int value)
{
    int8_t v = (int8_t)value;

    return (uint16_t)(v < 0 ? -v : v);
}

static void classes8(unsigned width, const uint8_t *class_of, const uint16_t *restrict above,
                     const uint16_t *restrict m, uint8_t *restrict classes)
{
    uint16_t sums[LOD_L3_SIDE_MAX];

    for (unsigned x = 0; x < width; x++) {
        uint16_t left = magnitude8(above[x] - above[(int)x - 1]);
        uint16_t right = magnitude8(above[x] - above[x + 1]);
        uint16_t sum = (uint16_t)(left + right + m[(int)x - 1] + 2 * m[x] + m[x + 1]);
        sums[x] = sum < LOD_RANS_ACTIVITIES ? sum : LOD_RANS_ACTIVITIES - 1;
    }
    for (unsigned x = 0; x < width; x++) {
        classes[x] = class_of[sums[x]];
    }
}

static void classes16(unsigned width, const uint8_t *class_of, const uint16_t *above,
                      const uint16_t *m, uint8_t *classes)
{
    for (unsigned x = 0; x < width; x++) {
        int left = (int16_t)(above[x] - above[(int)x - 1]);
        int right = (int16_t)(above[x] - above[x + 1]);
        int sum = abs(left) + abs(right) + m[(int)x - 1] + 2 * m[x] + m[x + 1];
        classes[x] = class_of[step_of((unsigned)sum)];
    }
}

void lod_small_classes(const struct lod_l3_patch *patch, const uint8_t *class_of,
                       const uint16_t *above, const uint16_t *magnitudes, uint8_t *classes)
{
    if (patch->bits == 16) {
        classes16(patch->width, class_of, above, magnitudes, classes);
    } else {
        classes8(patch->width, class_of, above, magnitudes, classes);
    }
}

void lod_small_magnitudes(const struct lod_l3_patch *patch, const uint16_t *residuals,
                          uint16_t *magnitudes)
{
    for (unsigned x = 0; x < patch->width; x++) {
        int r = patch->bits == 16 ? (int16_t)residuals[x] : (int8_t)residuals[x];
        magnitudes[x] = (uint16_t)abs(r);
    }
}

static uint32_t refill(struct lanes *lanes, uint32_t state)
{
    if (state >= LOD_RANS_FLOOR) {
        return state;
    }
    if (lanes->at == lanes->end) {
        lanes->past = true;
        return LOD_RANS_FLOOR;
    }
    lanes->at += 2;
    return state << 16 | lod_get_le16(lanes->at - 2);
}

/* Takes the low `bits` bits of a state, which are stored without modelling. */
static unsigned take_open(struct lanes *lanes, unsigned lane, unsigned bits)
{
    uint32_t state = lanes->state[lane];

    lanes->state[lane] = refill(lanes, state >> bits);
    return state & ((1u << bits) - 1);
}

static unsigned from_token(struct lanes *lanes, unsigned lane, unsigned token)
{
    if (token < LOD_SMALL_EXACT) {
        return token;
    }
    unsigned open = lod_small_open_bits(token);
    return (4 + token % 4) << open | take_open(lanes, lane, open);
}

/* Completes a residual whose symbol left bits open: an escape, or a token of 16-bit samples. */
static uint16_t finish(const struct lod_l3_patch *patch, struct lanes *lanes, unsigned lane,
                       uint32_t entry)
{
    if (entry & LOD_RANS_ESCAPE_BIT) {
        return (uint16_t)take_open(lanes, lane, patch->bits == 16 ? 16 : 8);
    }
    if (patch->bits < 16) {
        return (uint16_t)(entry & 255);
    }
    unsigned zigzag = from_token(lanes, lane, entry % LOD_SMALL_TOKENS);
    return (uint16_t)(zigzag >> 1 ^ (0u - (zigzag & 1)));
}

static inline uint32_t advance(uint32_t entry, uint32_t state)
{
    return (entry >> LOD_RANS_COUNT_SHIFT) * (state >> LOD_RANS_BITS) +
           (entry >> LOD_RANS_OFFSET_SHIFT) % LOD_RANS_TOTAL;
}

/*
 * Half of the states take a word, at random, so a branch would be mispredicted often. This version
 * has none; it needs enough words for all lanes. Returns the OR of all slots.
 */
static uint32_t take_symbols(const struct lod_rans_tables *tables, struct lanes *lanes,
                             const uint8_t *classes, unsigned count, uint32_t *entry)
{
    const uint8_t *at = lanes->at;
    uint32_t all = 0;

    for (unsigned i = 0; i < count; i++) {
        uint32_t state = lanes->state[i];
        entry[i] = tables->slot[classes[i]][state % LOD_RANS_TOTAL];
        all |= entry[i];
        state = advance(entry[i], state);
        uint32_t low = 0u - (state < LOD_RANS_FLOOR);
        lanes->state[i] = state << (low & 16) | (lod_get_le16(at) & low);
        at += low & 2;
    }
    lanes->at = at;
    return all;
}

static uint32_t take_last_symbols(const struct lod_rans_tables *tables, struct lanes *lanes,
                                  const uint8_t *classes, unsigned count, uint32_t *entry)
{
    uint32_t all = 0;

    for (unsigned i = 0; i < count; i++) {
        uint32_t state = lanes->state[i];
        entry[i] = tables->slot[classes[i]][state % LOD_RANS_TOTAL];
        all |= entry[i];
        lanes->state[i] = refill(lanes, advance(entry[i], state));
    }
    return all;
}

/* Decodes the symbols of up to 32 columns, then the bits they leave open. */
static void take_columns(const struct lod_l3_patch *patch, const struct lod_rans_tables *tables,
                         struct lanes *lanes, const uint8_t *classes, unsigned count,
                         uint16_t *residuals)
{
    uint32_t entry[LOD_RANS_LANES], open = patch->bits == 16 ? LOD_RANS_ESCAPE_BIT : 0;

    if (lanes->end - lanes->at >= 2 * (ptrdiff_t)count) {
        open |= take_symbols(tables, lanes, classes, count, entry);
    } else {
        open |= take_last_symbols(tables, lanes, classes, count, entry);
    }
    for (unsigned i = 0; i < count; i++) {
        residuals[i] = (uint16_t)(entry[i] & 255);
    }
    for (unsigned i = 0; open & LOD_RANS_ESCAPE_BIT && i < count; i++) {
        residuals[i] = finish(patch, lanes, i, entry[i]);
    }
}

static void take_run(const struct lod_l3_patch *patch, const struct lod_rans_tables *tables,
                     struct lanes *lanes, const uint8_t *classes, uint16_t *residuals)
{
    for (unsigned x = 0; x < patch->width; x += LOD_RANS_LANES) {
        unsigned left = patch->width - x;
        take_columns(patch, tables, lanes, classes + x,
                     left < LOD_RANS_LANES ? left : LOD_RANS_LANES, residuals + x);
    }
}

static bool ended(const struct lanes *lanes, unsigned count)
{
    bool sound = !lanes->past && lanes->at == lanes->end;

    for (unsigned i = 0; i < count; i++) {
        sound &= lanes->state[i] == LOD_RANS_FLOOR;
    }
    return sound;
}

int lod_small_decode(const struct lod_l3_patch *patch, struct lod_span bytes,
                     const struct lod_rans_tables *tables, const struct lod_l3_target *target,
                     struct lod_small_rows *rows)
{
    struct lod_small_map map = lod_small_map(patch);
    unsigned mask = lod_l3_sample_mask(patch);

    if (!tables->classes || bytes.bytes < map.words || (bytes.bytes - map.words) % 2) {
        return -EILSEQ;
    }
    struct lanes lanes = {.at = bytes.at + map.words, .end = bytes.at + bytes.bytes};
    for (unsigned i = 0; i < map.lanes; i++) {
        lanes.state[i] = lod_get_le32(bytes.at + map.states + (size_t)4 * i);
    }
    lod_small_rows_init(rows);
    for (unsigned run = 0; run < map.runs; run++) {
        unsigned y = run / patch->samples, p = run % patch->samples;
        unsigned predictor = lod_l3_nibble(bytes.at + map.predictors, run);
        lod_l3_row *now = rows->samples.row[y % 2];
        const uint16_t *above = rows->samples.row[(y + 1) % 2][p] + LOD_L3_MARGIN;
        uint16_t *magnitudes = rows->magnitudes[p] + LOD_L3_MARGIN, residuals[LOD_L3_SIDE_MAX];
        uint8_t classes[LOD_L3_SIDE_MAX];
        if (predictor >= LOD_L3_PREDICTORS) {
            return -EILSEQ;
        }
        lod_small_classes(patch, tables->class_of[p], above, magnitudes, classes);
        take_run(patch, tables, &lanes, classes, residuals);
        lod_small_magnitudes(patch, residuals, magnitudes);
        lod_l3_row_close(rows->magnitudes[p], patch->width);
        lod_l3_row_rebuild(predictor, above, residuals, now[p] + LOD_L3_MARGIN, patch->width, mask);
        lod_l3_row_close(now[p], patch->width);
        if (p + 1 == patch->samples) {
            lod_l3_row_store(patch, bytes.at[0] & LOD_L3_KIND_GREEN, now, y, target);
        }
    }
    return ended(&lanes, map.lanes) ? 0 : -EILSEQ;
}

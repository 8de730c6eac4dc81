/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encodes patches in mode small. rANS returns its last symbol first, so a patch is encoded from its
 * end and its words are written downwards. FORMAT.md, L3 stream, small.
 */
#include "l3/patch/small_write.h"

#include <string.h>

#include "l3/patch/predictor_cost_write.h"
#include "l3/patch/small.h"

void lod_small_choose(const struct lod_l3_patch *patch, const struct lod_l3_planes *planes,
                      unsigned step, struct lod_small_choice *ret_choice)
{
    ret_choice->cost = 0;
    for (unsigned y = 0; y < patch->height; y += step) {
        for (unsigned p = 0; p < patch->samples; p++) {
            uint32_t costs[LOD_L3_PREDICTORS];
            unsigned best = 0;
            lod_l3_row_costs(patch, planes, p, y, LOD_L3_MAGNITUDES, costs);
            for (unsigned k = 1; k < LOD_L3_PREDICTORS; k++) {
                best = costs[k] < costs[best] ? k : best;
            }
            ret_choice->cost += costs[best];
            ret_choice->predictors[y * patch->samples + p] = (uint8_t)best;
        }
    }
}

/* Sign-extends residuals of fewer than 8 bits to bytes. */
static void extend(const struct lod_l3_patch *patch, uint16_t *residuals)
{
    unsigned up = 8 - patch->bits;

    for (unsigned x = 0; patch->bits < 8 && x < patch->width; x++) {
        residuals[x] = (uint16_t)((int8_t)(residuals[x] << up) >> up & 255);
    }
}

/* Returns the token of a 16-bit residual; its remaining bits go to `*ret_open`. */
static unsigned to_token(unsigned residual, unsigned *ret_open)
{
    unsigned zigzag = (residual << 1 ^ (residual >> 15 ? 0xffffu : 0)) & 0xffffu;

    *ret_open = 0;
    if (zigzag < LOD_SMALL_EXACT) {
        return zigzag;
    }
    unsigned highest = 31u - (unsigned)__builtin_clz(zigzag), open = highest - 2;
    *ret_open = zigzag & ((1u << open) - 1);
    return LOD_SMALL_EXACT + (highest - 4) * 4 + (zigzag >> open & 3);
}

static unsigned symbol_of(const struct lod_l3_patch *patch, unsigned residual)
{
    unsigned open;

    return patch->bits == 16 ? to_token(residual, &open) : residual & 255;
}

/*
 * Computes the residuals of a run and their classes. `magnitudes` are those of the run above on
 * entry, those of this run on return.
 */
static void run_of(const struct lod_l3_patch *patch, const struct lod_l3_planes *planes,
                   const struct lod_small_choice *choice, unsigned run, const uint8_t *class_of,
                   lod_l3_row magnitudes, uint16_t *residuals, uint8_t *classes)
{
    unsigned y = run / patch->samples, p = run % patch->samples;

    lod_l3_planes_residuals(patch, planes, p, y, choice->predictors[run], residuals);
    extend(patch, residuals);
    lod_small_classes(patch, class_of, planes->row[p][y] + LOD_L3_MARGIN,
                      magnitudes + LOD_L3_MARGIN, classes);
    lod_small_magnitudes(patch, residuals, magnitudes + LOD_L3_MARGIN);
    lod_l3_row_close(magnitudes, patch->width);
}

void lod_small_count(const struct lod_l3_patch *patch, const struct lod_l3_planes *planes,
                     const struct lod_small_choice *choice, struct lod_small_counts *counts)
{
    struct lod_small_rows rows;
    uint8_t itself[LOD_RANS_ACTIVITIES];

    for (unsigned a = 0; a < LOD_RANS_ACTIVITIES; a++) {
        itself[a] = (uint8_t)a;
    }
    lod_small_rows_init(&rows);
    for (unsigned run = 0; run < patch->height * patch->samples; run++) {
        unsigned p = run % patch->samples;
        uint16_t residuals[LOD_L3_SIDE_MAX];
        uint8_t activities[LOD_L3_SIDE_MAX];
        run_of(patch, planes, choice, run, itself, rows.magnitudes[p], residuals, activities);
        for (unsigned x = 0; x < patch->width; x++) {
            counts->count[p][activities[x]][symbol_of(patch, residuals[x])]++;
        }
    }
}

/* The states of the lanes, and the place of the last word written. */
struct writer {
    uint32_t state[LOD_RANS_LANES];
    uint8_t *at;
};

/* Half of the states write a word, at random, so there is no branch. `at` has room for it. */
static inline uint32_t spill(struct writer *w, uint32_t state, uint64_t limit)
{
    uint32_t high = 0u - (state >= limit);

    lod_put_le16(w->at - 2, (uint16_t)state);
    w->at -= high & 2;
    return state >> (high & 16);
}

static inline void put_open(struct writer *w, unsigned lane, unsigned bits, unsigned value)
{
    if (bits) {
        uint32_t state = spill(w, w->state[lane], UINT64_C(1) << (32 - bits));
        w->state[lane] = state << bits | value;
    }
}

static inline void put_symbol(struct writer *w, unsigned lane, unsigned count, unsigned start)
{
    uint64_t limit = (uint64_t)count << (32 - LOD_RANS_BITS);
    uint32_t state = spill(w, w->state[lane], limit);

    w->state[lane] = (state / count << LOD_RANS_BITS) + state % count + start;
}

/* Encodes up to 32 columns, from the last to the first: open bits, then symbols. */
static void put_columns(const struct lod_l3_patch *patch, const struct lod_small_model *model,
                        struct writer *w, const uint16_t *residuals, const uint8_t *classes,
                        unsigned columns)
{
    unsigned symbols[LOD_RANS_LANES];

    for (unsigned x = columns; x-- > 0;) {
        unsigned open = 0, bits = 0, symbol = residuals[x] & 255;
        if (patch->bits == 16) {
            symbol = to_token(residuals[x], &open);
            bits = lod_small_open_bits(symbol);
        }
        symbols[x] = symbol;
        if (!model->counts[classes[x]][symbol]) {
            symbols[x] = LOD_RANS_ESCAPE;
            bits = patch->bits == 16 ? 16 : 8;
            open = patch->bits == 16 ? residuals[x] : symbol;
        }
        put_open(w, x, bits, open);
    }
    for (unsigned x = columns; x-- > 0;) {
        put_symbol(w, x, model->counts[classes[x]][symbols[x]],
                   model->starts[classes[x]][symbols[x]]);
    }
}

static void put_run(const struct lod_l3_patch *patch, const struct lod_small_model *model,
                    struct writer *w, const uint16_t *residuals, const uint8_t *classes)
{
    for (unsigned end = patch->width; end > 0;) {
        unsigned first = (end - 1) / LOD_RANS_LANES * LOD_RANS_LANES;
        put_columns(patch, model, w, residuals + first, classes + first, end - first);
        end = first;
    }
}

size_t lod_small_encode(const struct lod_l3_patch *patch, const struct lod_l3_planes *planes,
                        const struct lod_small_choice *choice, const struct lod_small_model *model,
                        struct lod_small_work *work, uint8_t *into, size_t room)
{
    struct lod_small_map map = lod_small_map(patch);
    struct writer w = {.at = into + room};
    struct lod_small_rows rows;

    lod_small_rows_init(&rows);
    for (unsigned run = 0; run < map.runs; run++) {
        unsigned p = run % patch->samples;
        run_of(patch, planes, choice, run, model->class_of[p], rows.magnitudes[p],
               work->residuals[run], work->classes[run]);
    }
    for (unsigned lane = 0; lane < LOD_RANS_LANES; lane++) {
        w.state[lane] = LOD_RANS_FLOOR;
    }
    for (unsigned run = map.runs; run-- > 0;) {
        put_run(patch, model, &w, work->residuals[run], work->classes[run]);
    }
    memset(into, 0, map.words);
    into[0] = (uint8_t)(LOD_L3_KIND_SMALL | (planes->green ? LOD_L3_KIND_GREEN : 0));
    for (unsigned run = 0; run < map.runs; run++) {
        lod_l3_nibble_put(into + map.predictors, run, choice->predictors[run]);
    }
    for (unsigned lane = 0; lane < map.lanes; lane++) {
        lod_put_le32(into + map.states + (size_t)4 * lane, w.state[lane]);
    }
    size_t words = (size_t)(into + room - w.at);
    memmove(into + map.words, w.at, words);
    return map.words + words;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* See met.h. met_items.c lists items and records. */
#include "order/met.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t bytes_of(const struct lod_met *met, const struct lod_pass *pass, uint32_t place)
{
    const struct lod_extents *extents = &met->order->extents;

    return extents->at[pass->extents[place]].bytes[met->state.fidelity - 1];
}

static uint64_t bytes_of_pass(const struct lod_met *met, const struct lod_pass *pass)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < pass->count; i++) {
        sum += bytes_of(met, pass, i);
    }
    return sum;
}

/* Computes the bytes of the chain from the beginning of the window on: the rest of its pass, and
 * the passes after it. */
static int weigh(struct lod_met *met)
{
    uint64_t count = 0;
    uint32_t at = 0;

    for (unsigned p = 0; p < LOD_MET_PASSES; p++) {
        count += met->passes[p].count;
    }
    free(met->bytes);
    met->bytes = calloc(count + 1, sizeof(*met->bytes));
    if (!met->bytes) {
        return -ENOMEM;
    }
    for (unsigned p = 0; p < LOD_MET_PASSES; p++) {
        for (uint32_t i = p ? 0 : met->state.cursor; i < met->passes[p].count; i++) {
            met->bytes[at++] = bytes_of(met, &met->passes[p], i);
        }
    }
    met->bytes_count = at;
    return 0;
}

static int plan(struct lod_met *met)
{
    int error = 0;

    for (unsigned p = 0; !error && p < LOD_MET_PASSES; p++) {
        lod_pass_finish(&met->passes[p]);
        error = lod_pass_plan(met->order, met->state.pass + p, met->state.node, met->state.nodes,
                              &met->passes[p]);
    }
    for (unsigned p = 0; !error && p < LOD_MET_PASSES; p++) {
        error = met->passes[p].count ? 0 : -ENODATA;
    }
    return error;
}

static struct lod_met_chain chain_of(const struct lod_met *met)
{
    return (struct lod_met_chain){.bytes = met->bytes, .count = met->bytes_count};
}

static uint64_t largest(const struct lod_met *met)
{
    uint64_t most = 0;

    for (uint32_t i = 0; i < met->bytes_count; i++) {
        most = met->bytes[i] > most ? met->bytes[i] : most;
    }
    return most;
}

/* Makes a window that starts at the beginning of the chain. If the whole pass fits into the room,
 * the window is the whole pass. */
static void cut(struct lod_met *met)
{
    struct lod_met_state *state = &met->state;
    const struct lod_met_moment now = {.room = state->room, .epoch = lod_met_epoch(met, 0)};
    const struct lod_met_chain chain = chain_of(met);

    state->whole = !state->cursor && bytes_of_pass(met, &met->passes[0]) <= state->room;
    if (state->whole) {
        state->window = (struct lod_met_window){
            .count = 1, .groups = {{.extents = met->passes[0].count, .repeats = 0}}};
    } else {
        lod_met_window_cut(&state->window, &state->rules, &chain, &now);
    }
}

int lod_met_begin(struct lod_met *met, const struct lod_read_order *order, uint32_t node,
                  uint32_t nodes, const struct lod_met_rules *rules, enum lod_fidelity fidelity,
                  uint64_t room, uint64_t *ret_largest)
{
    *met = (struct lod_met){.order = order,
                            .state = {.store = order->store,
                                      .seed = order->seed,
                                      .items = order->items,
                                      .room = room,
                                      .node = node,
                                      .nodes = nodes,
                                      .fidelity = fidelity,
                                      .rules = *rules}};
    int error = plan(met);

    error = error ? error : weigh(met);
    if (!error && bytes_of_pass(met, &met->passes[0]) > room && largest(met) > room / 2) {
        *ret_largest = largest(met);
        error = -EFBIG;
    }
    if (error) {
        lod_met_finish(met);
        return error;
    }
    cut(met);
    return 0;
}

/* -------------------------------------------------------------------------------- resuming */

static int compare(const struct lod_read_order *order, const struct lod_met_state *state,
                   const char **ret_why)
{
    if (state->store.low != order->store.low || state->store.high != order->store.high) {
        *ret_why = "it belongs to another store";
        return -ESTALE;
    }
    if (state->items != order->items || state->seed != order->seed) {
        *ret_why = "it belongs to another selection of files, or to another seed";
        return -ESTALE;
    }
    return 0;
}

static int check(const struct lod_met *met, const char **ret_why)
{
    const struct lod_met_state *state = &met->state;
    const uint32_t extents = lod_met_window_extents(&state->window);
    const uint64_t most = (uint64_t)met->passes[0].count + met->passes[1].count;

    if (extents > met->bytes_count || extents > most ||
        (state->whole && (state->cursor || extents != met->passes[0].count)) ||
        state->dealt > lod_met_values(met)) {
        *ret_why = "its window does not belong to this order";
        return -EILSEQ;
    }
    return 0;
}

int lod_met_resume(struct lod_met *met, const struct lod_read_order *order,
                   const struct lod_met_state *state, const char **ret_why)
{
    *met = (struct lod_met){.order = order, .state = *state};
    int error = compare(order, state, ret_why);

    if (error) {
        return error;
    }
    *ret_why = "there is too little memory, or this process has nothing to read";
    error = plan(met);
    if (!error && state->cursor >= met->passes[0].count) {
        *ret_why = "its window does not belong to this order";
        error = -EILSEQ;
    }
    error = error ? error : weigh(met);
    error = error ? error : check(met, ret_why);
    if (error) {
        lod_met_finish(met);
    }
    return error;
}

void lod_met_finish(struct lod_met *met)
{
    for (unsigned p = 0; p < LOD_MET_PASSES; p++) {
        lod_pass_finish(&met->passes[p]);
    }
    free(met->bytes);
    *met = (struct lod_met){.order = NULL};
}

/* -------------------------------------------------------------------------------- the next */

double lod_met_epoch(const struct lod_met *met, uint64_t dealt)
{
    const uint64_t items = met->order->items / met->state.nodes;

    return (double)(met->state.before + dealt) / (double)(items ? items : 1);
}

int lod_met_report(struct lod_met *met, double score)
{
    if (met->state.scores.reported) {
        return -EALREADY;
    }
    lod_met_scores_add(&met->state.scores, &met->state.rules, score);
    return 0;
}

/* Extents of the chain whose records are all among the first `records`. */
static uint32_t loaded_extents(const struct lod_met *met, uint32_t records)
{
    uint64_t left = records;
    uint32_t found = 0;

    for (unsigned p = 0; p < LOD_MET_PASSES; p++) {
        const struct lod_pass *pass = &met->passes[p];
        for (uint32_t i = p ? 0 : met->state.cursor; i < pass->count; i++, found++) {
            const uint32_t needed = met->order->extents.at[pass->extents[i]].records;
            if (needed > left) {
                return found;
            }
            left -= needed;
        }
    }
    return found;
}

/* Moves the beginning of the window by some extents of the chain. */
static int advance(struct lod_met *met, uint32_t extents)
{
    struct lod_met_state *state = &met->state;
    uint64_t cursor = (uint64_t)state->cursor + extents;
    unsigned p = 0;

    while (p + 1 < LOD_MET_PASSES && cursor >= met->passes[p].count) {
        cursor -= met->passes[p++].count;
    }
    state->cursor = (uint32_t)cursor;
    if (state->pass > LOD_PASS_STORED - 8) {
        return -EOVERFLOW;
    }
    state->pass += p;
    int error = p ? plan(met) : 0;
    return error ? error : weigh(met);
}

/* Moves to the beginning of the next pass: a window that is a whole pass starts there. */
static int next_pass(struct lod_met *met)
{
    int error = advance(met, met->passes[0].count - met->state.cursor);

    if (!error) {
        met->state.scores.reported = false;
        cut(met);
    }
    return error;
}

static int move(struct lod_met *met, const struct lod_met_now *now,
                enum lod_met_verdict *ret_verdict)
{
    struct lod_met_state *state = &met->state;
    const uint64_t values = lod_met_values(met);
    const struct lod_met_moment moment = {.room = state->room,
                                          .loaded = loaded_extents(met, now->loaded_records),
                                          .epoch = lod_met_epoch(met, values),
                                          .tired = now->tired};
    const struct lod_met_chain chain = chain_of(met);
    struct lod_met_left left = {.extents = 0};

    *ret_verdict = LOD_MET_ADVANCE;
    if (state->whole || bytes_of_pass(met, &met->passes[1]) <= state->room) {
        lod_met_history_add(&state->history, moment.epoch,
                            state->whole ? 1 : state->window.groups[0].repeats + 1);
        return next_pass(met);
    }
    *ret_verdict =
        lod_met_window_move(&state->window, &state->rules, &state->scores, &chain, &moment, &left);
    if (left.extents) {
        lod_met_history_add(&state->history, moment.epoch, left.repeats);
        return advance(met, left.extents);
    }
    return 0;
}

int lod_met_next(struct lod_met *met, const struct lod_met_now *now,
                 enum lod_met_verdict *ret_verdict)
{
    struct lod_met_state *state = &met->state;
    const bool scored =
        state->rules.policy == LOD_MET_SCORE || state->rules.policy == LOD_MET_BOLLINGER;
    const uint64_t values = lod_met_values(met);

    if (scored && !state->scores.reported) {
        return -ENODATA;
    }
    if (state->repeat >= UINT32_MAX - 1) {
        return -EOVERFLOW;
    }
    state->room = now->room;
    state->fidelity = now->fidelity;
    int error = weigh(met);
    error = error ? error : move(met, now, ret_verdict);
    if (!error && *ret_verdict != LOD_MET_WAIT) {
        state->repeat++;
        state->before += values;
        state->dealt = 0;
    }
    return error;
}

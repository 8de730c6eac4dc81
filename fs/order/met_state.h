/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mini-epochs, the state of a job: all that it needs to continue, as JSON on one line of at most
 * LOD_MET_STATE_BYTES. It is input like any other file: each number has a range, and met.h checks
 * the rest against the order.
 */
#ifndef LOD_MET_STATE_H
#define LOD_MET_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "codec.h"
#include "compiler.h"
#include "hash.h"
#include "order/met_verdict.h"
#include "order/met_window.h"

#define LOD_MET_STATE_VERSION 1u
#define LOD_MET_STATE_BYTES   2048u
#define LOD_MET_HISTORY_MAX   12u

/*
 * A history for the user: how often the extents that left had been dealt, with an entry for each
 * change. If it is full, every other entry is dropped.
 */
struct lod_met_history {
    uint32_t count;
    struct lod_met_step at[LOD_MET_HISTORY_MAX];
};

struct lod_met_state {
    struct lod_id store;
    uint64_t seed;
    uint64_t items; /* selected of the store */
    uint64_t room;
    uint64_t before; /* items dealt before this repeat */
    uint64_t dealt;  /* items dealt of this repeat */
    uint32_t node, nodes;
    uint32_t fidelity; /* enum lod_fidelity */
    uint32_t pass, cursor;
    uint32_t repeat; /* number of this repeat, from 0 */
    bool whole;      /* all extents fit the room: the window is the pass */
    struct lod_met_rules rules;
    struct lod_met_window window;
    struct lod_met_scores scores;
    struct lod_met_history history;
};

void lod_met_history_add(struct lod_met_history *history, double epoch, uint32_t rf);

/* Writes JSON with a NUL. Returns its length, or -E2BIG. */
LOD_MUST_CHECK int lod_met_state_write(const struct lod_met_state *state,
                                       char text[LOD_MET_STATE_BYTES]);

/* Returns -E2BIG, -EILSEQ, -ENOTSUP for another version, or -EINVAL, all with a sentence. */
LOD_MUST_CHECK int lod_met_state_read(const char *text, size_t bytes,
                                      struct lod_met_state *ret_state, const char **ret_why);

#endif

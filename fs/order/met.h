/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mini-epochs of one node of a job: a walk through an order that repeats the current part while the
 * next part is loaded. met_window.h moves the window, met_verdict.h decides, met_state.h saves the
 * state. It does no I/O, like the order. One thread at a time.
 */
#ifndef LOD_MET_H
#define LOD_MET_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "order/met_state.h"
#include "order/read_order.h"

/* Until something is loaded, items are shuffled within stretches of this many
 * bytes of the store. */
#define LOD_MET_STRETCH_BYTES ((uint64_t)96 << 20)

#define LOD_MET_PASSES 3 /* that a window can lie in, with the part after it */

struct lod_met {
    const struct lod_read_order *order;
    struct lod_met_state state;
    struct lod_pass passes[LOD_MET_PASSES]; /* from that of the window on */
    uint64_t *bytes; /* of the extents of the chain, from the beginning of the window on */
    uint32_t bytes_count;
};

/*
 * Begins a job with checked rules. The order must outlive it. Returns -ENODATA if the node has
 * nothing to read, -EFBIG if an extent exceeds half of the room; *ret_largest is then its size.
 */
LOD_MUST_CHECK int lod_met_begin(struct lod_met *met, const struct lod_read_order *order,
                                 uint32_t node, uint32_t nodes, const struct lod_met_rules *rules,
                                 enum lod_fidelity fidelity, uint64_t room, uint64_t *ret_largest);

/* Continues from a state. Returns -ESTALE with a sentence if the order is another one, -EILSEQ if
 * the state cannot be of this order. */
LOD_MUST_CHECK int lod_met_resume(struct lod_met *met, const struct lod_read_order *order,
                                  const struct lod_met_state *state, const char **ret_why);
void lod_met_finish(struct lod_met *met);

/* Returns how many items the current repeat has; one that is selected twice counts twice. */
uint64_t lod_met_values(const struct lod_met *met);

/* Returns the epochs read until now: all repeats before this one, and `dealt` items of this one. */
double lod_met_epoch(const struct lod_met *met, uint64_t dealt);

/* Writes the items of the current repeat, shuffled. An item may come twice where a window reaches
 * from one pass into the next. Returns -ERANGE if `room` is too small: lod_met_values suffices. */
LOD_MUST_CHECK int lod_met_items(const struct lod_met *met, uint32_t *items, size_t room,
                                 size_t *ret_count);

/*
 * Writes the numbers of the records that should be in memory: those of the window first, then those
 * behind it, as far as the memory reaches. Writes at most `room` numbers. *ret_count is the number
 * of all of them, and *ret_window the number of those in the window.
 */
void lod_met_records(const struct lod_met *met, uint32_t *records, size_t room, size_t *ret_count,
                     size_t *ret_window);

/* The moment at which a repeat ends. */
struct lod_met_now {
    enum lod_fidelity fidelity;
    uint64_t room;
    uint32_t loaded_records; /* from the beginning of the window on */
    bool tired;              /* the job has waited long enough for the next part */
};

/* Adds the score of the repeat. Returns -EALREADY if it has one. */
LOD_MUST_CHECK int lod_met_report(struct lod_met *met, double score);

/*
 * Ends the repeat and begins the next. If the next part is not loaded yet and the job should wait
 * for it, changes nothing and sets *ret_verdict to LOD_MET_WAIT; call again later. Returns -ENODATA
 * if the policy needs a score and has none, -EOVERFLOW after 2^32 repeats or passes.
 */
LOD_MUST_CHECK int lod_met_next(struct lod_met *met, const struct lod_met_now *now,
                                enum lod_met_verdict *ret_verdict);

#endif

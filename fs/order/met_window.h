/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mini-epochs, the window: the stretch of extents that a job repeats now. Pure arithmetic; met.h
 * joins it with an order and a store.
 *
 * The chain is all extents of pass 0 in their order, then those of pass 1, and so on. The window is
 * a stretch of it: extents enter at its end, and leave at its beginning.
 */
#ifndef LOD_MET_WINDOW_H
#define LOD_MET_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "order/met_verdict.h"

#define LOD_MET_GROUPS_MAX (LOD_MET_SLIDE_RF_MAX + 2)

/* Neighbouring extents of the window that were dealt equally often before the current repeat. */
struct lod_met_group {
    uint32_t extents, repeats;
};

struct lod_met_window {
    uint32_t count;
    struct lod_met_group groups[LOD_MET_GROUPS_MAX]; /* the oldest first, so repeats fall */
};

/* The bytes of the extents from the beginning of the window on. */
struct lod_met_chain {
    const uint64_t *bytes;
    uint32_t count;
};

/* The moment at which a window is cut or moved. */
struct lod_met_moment {
    uint64_t room;   /* bytes that the job may hold in memory, for the window and the next part */
    uint32_t loaded; /* extents of the chain from the beginning that can be read at once */
    double epoch;
    bool tired; /* the job is tired of waiting: nothing was loaded for long */
};

/*
 * Returns the largest size of a window, in bytes, if its oldest extents were dealt `oldest` times.
 */
uint64_t lod_met_window_bytes(const struct lod_met_rules *rules, const struct lod_met_moment *now,
                              uint32_t oldest);

uint32_t lod_met_window_extents(const struct lod_met_window *window);

/*
 * Cuts the first window of a chain of at least one extent. In a sliding window of a fixed number of
 * repeats, extents begin as if they had been dealt before, so that later a part changes each time.
 */
void lod_met_window_cut(struct lod_met_window *window, const struct lod_met_rules *rules,
                        const struct lod_met_chain *chain, const struct lod_met_moment *now);

/* The extents that left, and how often they had been dealt. */
struct lod_met_left {
    uint32_t extents;
    uint32_t repeats; /* of the last one */
};

/*
 * Ends a repeat: counts it for each extent, and decides which leave and enter. LOD_MET_WAIT: the
 * window stays as it is and the repeat is not counted; call again later. LOD_MET_ADVANCE: extents
 * have left. An extent that is larger than the limit of a window forms a window by itself.
 */
enum lod_met_verdict
lod_met_window_move(struct lod_met_window *window, const struct lod_met_rules *rules,
                    struct lod_met_scores *scores, const struct lod_met_chain *chain,
                    const struct lod_met_moment *now, struct lod_met_left *ret_left);

#endif

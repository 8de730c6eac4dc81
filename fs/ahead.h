/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whoever reads a made file on end is about to ask for its next units, and whoever reads files in
 * the order in which they are stored, for the next files': they are made by other threads
 * meanwhile. A range that is read alone brings nothing else. Knows reads and units, not what they
 * are made of; what was made ahead is found in the cache by whoever asks.
 */
#ifndef LOD_AHEAD_H
#define LOD_AHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "dataset.h"

/* So many bytes on end and the reader is taken to go on. */
#define LOD_AHEAD_RUN_BYTES (512u << 10)

#define LOD_AHEAD_THREADS_MAX 8u

struct lod_ahead_unit {
    struct lod_item item;
    unsigned form;
    uint64_t unit, made_bytes; /* as lod_made_get takes them */
};

/* Of units made in one go. */
#define LOD_AHEAD_BATCH_MAX 32u

/* What the owner does for it. Any thread. */
struct lod_ahead_calls {
    /* Makes units, all of one codec, and leaves them where readers look; failures are theirs to
     * find. */
    void (*make)(void *ctx, const struct lod_ahead_unit *units, unsigned count);

    /* How many units like those of this item one call takes now, 1 .. LOD_AHEAD_BATCH_MAX; more
     * than 1 also means that they are made in one go, so more of them are asked for. */
    unsigned (*batch)(void *ctx, const struct lod_item *item);

    /* The first unit of the item stored behind, if that has the like; false: there is none. May
     * read the store: no reader waits for it. */
    bool (*next)(void *ctx, const struct lod_ahead_unit *unit, struct lod_ahead_unit *ret_next);
};

struct lod_ahead;

/*
 * `threads`: 0 .. LOD_AHEAD_THREADS_MAX; they start when first needed, so after a mount's fork.
 * `calls` is borrowed.
 */
LOD_MUST_CHECK int lod_ahead_create(unsigned threads, const struct lod_ahead_calls *calls,
                                    void *ctx, struct lod_ahead **ret_ahead);
/* Joins the threads; what nobody has begun is dropped. Accepts NULL, returns NULL. */
struct lod_ahead *lod_ahead_destroy(struct lod_ahead *ahead);

/* [at, at + bytes) of a form was read, in unit at / unit_bytes. Never waits. Any thread. */
void lod_ahead_note(struct lod_ahead *ahead, const struct lod_item *item, unsigned form,
                    uint64_t unit_bytes, uint64_t made_bytes, uint64_t at, uint64_t bytes);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes units before they are requested, in background threads. There are two patterns:
 *
 * - A reader that reads a made file in sequence gets the next units of the file.
 * - A reader that reads files in the order of the store gets the first units of the next files.
 *
 * A single range causes no readahead. This module knows ranges and units, not codecs. Readers find
 * the units in the cache.
 */
#ifndef LOD_READAHEAD_H
#define LOD_READAHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "dataset/dataset.h"

/* Readahead of a file begins after this many sequential bytes. */
#define LOD_READAHEAD_RUN_BYTES (512u << 10)

#define LOD_READAHEAD_THREADS_MAX 8u

struct lod_readahead_unit {
    struct lod_item item;
    unsigned form;
    uint64_t unit, made_bytes; /* its number; the size of the form */
};

/* Limit of the units that are made in one call. */
#define LOD_READAHEAD_BATCH_MAX 32u

/* Calls into the owner, from any thread. */
struct lod_readahead_calls {
    /* Makes units, all of one codec, and leaves them in the cache. It reports no failure: a reader
     * that requests the unit makes it again and gets the error. */
    void (*make)(void *ctx, const struct lod_readahead_unit *units, unsigned count);

    /*
     * Returns how many units of this item's codec one call of `make` takes now, 1 ..
     * LOD_READAHEAD_BATCH_MAX. If it is more than 1, they are made in one job, so more of them are
     * queued.
     */
    unsigned (*batch)(void *ctx, const struct lod_item *item);

    /* Finds the first unit of the next item in the store. Returns false if that item has no such
     * form. May read the store, since no reader waits for it. */
    bool (*next)(void *ctx, const struct lod_readahead_unit *unit,
                 struct lod_readahead_unit *ret_next);
};

struct lod_readahead;

/*
 * `threads`: 0 .. LOD_READAHEAD_THREADS_MAX; they start when first needed, so not before a mount's
 * fork. `calls` is borrowed.
 */
LOD_MUST_CHECK int lod_readahead_create(unsigned threads, const struct lod_readahead_calls *calls,
                                        void *ctx, struct lod_readahead **ret_ahead);
/* Joins the threads. Queued units are dropped. Accepts NULL, returns NULL. */
struct lod_readahead *lod_readahead_destroy(struct lod_readahead *ahead);

/* Notes that [at, at + bytes) of a form was read, in unit at / unit_bytes. Never blocks. Any
 * thread. */
void lod_readahead_note(struct lod_readahead *ahead, const struct lod_item *item, unsigned form,
                        uint64_t unit_bytes, uint64_t made_bytes, uint64_t at, uint64_t bytes);

#endif

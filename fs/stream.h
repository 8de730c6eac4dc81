/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a record's prefix is read instead of the frames a reader misses: the one is weighed against
 * the other by the measured latency and bandwidth of the store, by what was asked for of late and
 * by what the cache can hold. See man/ARCHITECTURE.md, One read(2).
 */
#ifndef LOD_STREAM_H
#define LOD_STREAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "fetch.h"
#include "locality.h"
#include "next.h"
#include "store/stage.h"
#include "turn.h"

struct lod_stream {
    struct lod_fetch *fetch;
    uint64_t budget; /* bytes that prefixes may take together */
    struct lod_locality locality;
    atomic_uint_fast64_t
        totals[LOD_GROUPS_MAX + 1]; /* of all prefixes so long; 0: not summed yet */
    atomic_uint_fast64_t unserved;  /* misses of an order that no prefix serves */
    atomic_uint_fast64_t advised;   /* cache_size that would; 0: none seen */
    atomic_uint_fast64_t record;    /* that was read last */
    struct lod_turn turn;           /* of reading prefixes */
    struct lod_stage stage;         /* whose turn it is */
    struct lod_next next;           /* reads them ahead */
};

void lod_stream_init(struct lod_stream *stream, struct lod_fetch *fetch, uint64_t cache_bytes);
void lod_stream_finish(struct lod_stream *stream);

/* Every read tells what it asks for, before it looks. */
void lod_stream_note(struct lod_stream *stream, const struct lod_item *item,
                     const struct lod_wanted *wanted, unsigned count);

/*
 * Those of `wanted` without a chunk are missing. True: a prefix was read, by this thread or another
 * one it waited for: look again. False: fetch them one by one, as while another's load stalls.
 * `read`: this thread has read one for them before, and does not again.
 */
LOD_MUST_CHECK bool lod_stream_try(struct lod_stream *stream, const struct lod_item *item,
                                   const struct lod_wanted *wanted, unsigned count, bool *read);

/* Bytes of cache that would serve what is read; 0: this one does. UINT64_MAX: none would. */
uint64_t lod_stream_advice(const struct lod_stream *stream);

#endif

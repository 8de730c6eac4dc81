/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decision, with its reasons:
 * - a store at the speed of memory is read frame by frame: there is no latency to save;
 * - a prefix has to fit the cache beside the others that are in use, or it is evicted before it is
 *   used up;
 * - somebody has to want the rest of it: either the prefixes of the whole store fit, so that any
 *   order comes back to them, or this record, or those before it, are being read through;
 * - it must be over before anybody notices, where all of them fit, or at least not take longer than
 *   WORTH times what was asked for of the record, fetched one by one.
 * One prefix is read at a time: a disk that goes to and fro between two is slower than for either.
 */
#include "stream.h"

#include <inttypes.h>

#include "log.h"
#include "prefix.h"

#define WORTH        4u
#define ASKED_ENOUGH 3u /* items of this record in the window */
#define MEAN_ENOUGH  4u /* items a record, of those before it */
#define LONGEST_NS   (5ull * 1000 * 1000 * 1000)
#define AT_ONCE_NS   (250ull * 1000 * 1000) /* once a record, nobody minds */
#define ADVISE_AFTER 256u
#define NEAR_MAX     2u /* records at a time: that is their order */
#define AHEAD        2u /* records: what is read, and the next */
#define MIB          (1u << 20)

static unsigned last_group(const struct lod_wanted *wanted, unsigned count)
{
    unsigned last = 0;

    for (unsigned i = 0; i < count; i++) {
        last = wanted[i].group > last ? wanted[i].group : last;
    }
    return last;
}

/*
 * What a store gives at the speed of memory is hardly kept, but for a record that is read through:
 * it may be wanted at another fidelity, and "once for all fidelities" is what its order is for.
 */
static void size_cheap(struct lod_stream *stream, const struct lod_recd *recd)
{
    uint64_t bytes = LOD_CHEAP_BYTES, half = stream->budget / 2;
    struct lod_local local;

    lod_locality_sum(&stream->locality, recd->number, &local);
    if (local.near <= NEAR_MAX) {
        bytes = NEAR_MAX * lod_recd_prefix_bytes(recd, LOD_GROUPS_MAX);
        bytes = bytes < half ? bytes : half;
    }
    lod_chunks_set_cheap(stream->fetch->chunks,
                         bytes > LOD_CHEAP_BYTES ? (size_t)bytes : LOD_CHEAP_BYTES);
}

/* Whoever goes from a record to the next one will want that behind it. */
static void note_order(struct lod_stream *stream, const struct lod_item *item, unsigned last)
{
    uint64_t record = item->recd.number;
    uint64_t before = atomic_load_explicit(&stream->record, memory_order_relaxed);

    if (before != record) {
        atomic_store_explicit(&stream->record, record, memory_order_relaxed);
    }
    if (before + 1 == record && !lod_pace_is_memory(&stream->fetch->pace)) {
        lod_next_tell(&stream->next, item->number, last);
    }
}

void lod_stream_note(struct lod_stream *stream, const struct lod_item *item,
                     const struct lod_wanted *wanted, unsigned count)
{
    uint64_t reads =
        lod_locality_read(&stream->locality, item->recd.number, item->number,
                          lod_recd_prefix_bytes(&item->recd, last_group(wanted, count)));

    if (reads % LOD_NEAR_WINDOW == 0) {
        size_cheap(stream, &item->recd);
    }
    note_order(stream, item, last_group(wanted, count));
}

/* What a reader misses. */
struct need {
    const struct lod_item *item;
    unsigned first, last; /* groups */
    uint64_t requests, bytes;
};

static struct need need_of(const struct lod_item *item, const struct lod_wanted *wanted,
                           unsigned count)
{
    struct need need = {.item = item, .first = LOD_GROUPS_MAX};

    for (unsigned i = 0; i < count; i++) {
        if (!wanted[i].chunk) {
            need.first = wanted[i].group < need.first ? wanted[i].group : need.first;
            need.last = wanted[i].group > need.last ? wanted[i].group : need.last;
            need.requests++;
        }
    }
    need.bytes = (lod_recd_prefix_bytes(&item->recd, need.last) -
                  lod_recd_prefix_bytes(&item->recd, need.first - 1)) /
                 item->recd.items;
    return need;
}

/* Bytes of the first `last` groups of all records; summed once, up to what matters. */
static uint64_t total_of(struct lod_stream *stream, unsigned last)
{
    uint64_t total = atomic_load_explicit(&stream->totals[last], memory_order_relaxed);

    if (!total) {
        total = lod_dataset_groups_bytes(stream->fetch->dataset, last);
        atomic_store_explicit(&stream->totals[last], total ? total : 1, memory_order_relaxed);
    }
    return total;
}

/* Do the prefixes of the whole store? Then any order comes back to them. */
static bool all_fit(struct lod_stream *stream, unsigned last)
{
    return total_of(stream, last) <= stream->budget;
}

static bool is_wanted(struct lod_stream *stream, const struct need *need,
                      const struct lod_local *local)
{
    return local->asked >= ASKED_ENOUGH || local->asked_mean >= MEAN_ENOUGH ||
           all_fit(stream, need->last);
}

static bool is_worth_it(struct lod_stream *stream, const struct need *need, uint64_t bytes,
                        const struct lod_local *local)
{
    const struct lod_pace *pace = &stream->fetch->pace;
    uint64_t prefix_ns = lod_pace_ns(pace, 1, bytes);
    uint64_t alone_ns = lod_pace_ns(pace, need->requests, need->bytes);
    unsigned asked = local->asked ? local->asked : 1;

    return (prefix_ns <= AT_ONCE_NS && all_fit(stream, need->last)) ||
           (prefix_ns <= LONGEST_NS && prefix_ns / WORTH <= alone_ns * asked);
}

/* ------------------------------------------------------------------------------ advice */

uint64_t lod_stream_advice(const struct lod_stream *stream)
{
    return atomic_load_explicit(&stream->advised, memory_order_relaxed);
}

/* A miss in an order for which the cache is too small: after enough of them, one line. */
static void advise(struct lod_stream *stream, const struct need *need)
{
    if (atomic_fetch_add_explicit(&stream->unserved, 1, memory_order_relaxed) != ADVISE_AFTER) {
        return;
    }
    uint64_t total = total_of(stream, need->last);
    uint64_t bytes = total == UINT64_MAX ? total : (total / 3 * 4 / MIB + 1) * MIB;

    atomic_store_explicit(&stream->advised, bytes, memory_order_relaxed);
    if (bytes == UINT64_MAX) {
        lod_log(LOD_LOG_WARNING, "reads go to and fro between more records than the cache holds:"
                                 " read in the order of the records");
    } else {
        lod_log(LOD_LOG_WARNING,
                "reads go to and fro between more records than the cache holds: mount with"
                " -o cache_size=%" PRIu64 "M, or read in the order of the records",
                bytes / MIB);
    }
}

/* ------------------------------------------------------------------------------ reading */

static bool decide(struct lod_stream *stream, const struct need *need)
{
    const struct lod_recd *recd = &need->item->recd;
    uint64_t bytes =
        lod_recd_prefix_bytes(recd, need->last) - lod_recd_prefix_bytes(recd, need->first - 1);
    struct lod_local local;

    if (lod_pace_is_memory(&stream->fetch->pace)) {
        return false;
    }
    lod_locality_sum(&stream->locality, recd->number, &local);
    if (local.bytes > stream->budget || bytes > stream->budget) {
        advise(stream, need);
        return false;
    }
    return is_wanted(stream, need, &local) && is_worth_it(stream, need, bytes, &local);
}

/* Room for it, time for it, and an order that will come to it. */
static bool is_ahead_worth_it(struct lod_stream *stream, const struct need *need)
{
    const struct lod_recd *recd = &need->item->recd;
    uint64_t bytes = lod_recd_prefix_bytes(recd, need->last);
    struct lod_local local;

    lod_locality_sum(&stream->locality, recd->number, &local);
    uint64_t more = local.asked ? 0 : bytes; /* than what is in use */
    return !lod_pace_is_memory(&stream->fetch->pace) && local.bytes + more <= stream->budget &&
           (local.in_turn || all_fit(stream, need->last)) &&
           lod_pace_ns(&stream->fetch->pace, 1, bytes) <= LONGEST_NS;
}

static bool step(void *ctx)
{
    struct lod_stream *stream = ctx;

    return lod_turn_step(&stream->turn);
}

/* The first load tells what all of it would take. */
static bool step_once(void *ctx)
{
    return step(ctx) && false;
}

static void fetch(struct lod_stream *stream, const struct need *need)
{
    lod_prefix_fetch(stream->fetch, &stream->stage, need->item, need->first, need->last,
                     lod_pace_has_bandwidth(&stream->fetch->pace) ? step : step_once, stream);
    lod_turn_end(&stream->turn);
}

/* The record of `item` and the one of its kind behind it, where nobody has them yet. */
static void read_ahead(void *ctx, uint32_t number, unsigned last)
{
    struct lod_stream *stream = ctx;
    const struct lod_codec *codec = NULL;
    struct lod_item item;

    for (unsigned i = 0; i < AHEAD; i++, codec = item.codec) {
        if (lod_dataset_item(stream->fetch->dataset, number, &item) || (i && item.codec != codec)) {
            return;
        }
        struct need need = {.item = &item, .first = 1, .last = last};
        if (!is_ahead_worth_it(stream, &need) || !lod_turn_await(&stream->turn)) {
            return;
        }
        fetch(stream, &need);
        number = item.recd.first_item + item.recd.items;
    }
}

bool lod_stream_try(struct lod_stream *stream, const struct lod_item *item,
                    const struct lod_wanted *wanted, unsigned count, bool *read)
{
    const struct lod_pace *pace = &stream->fetch->pace;
    const bool known = lod_pace_has_bandwidth(pace);
    struct need need = need_of(item, wanted, count);

    if (*read || !decide(stream, &need)) {
        return false;
    }
    const enum lod_turn_begun begun = lod_turn_begin(&stream->turn);
    if (begun == LOD_TURN_MINE) {
        fetch(stream, &need);
        *read = known || !lod_pace_has_bandwidth(pace);
        lod_next_tell(&stream->next, item->number, need.last);
    }
    return begun != LOD_TURN_STUCK;
}

void lod_stream_init(struct lod_stream *stream, struct lod_fetch *fetch, uint64_t cache_bytes)
{
    stream->fetch = fetch;
    stream->budget = cache_bytes / 4 * 3;
    lod_turn_init(&stream->turn);
    lod_next_init(&stream->next, read_ahead, stream);
}

void lod_stream_finish(struct lod_stream *stream)
{
    lod_turn_over(&stream->turn);
    lod_next_finish(&stream->next);
    lod_turn_finish(&stream->turn);
    lod_stage_finish(&stream->stage);
}

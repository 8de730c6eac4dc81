/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules, with their reasons:
 * 1. A record that an announced order names is loaded as far as that order wants it. The job will
 *    read all of that, and a store may answer at the speed of memory for a moment only.
 * 2. A store at the speed of memory is read frame by frame: there is no latency to save.
 * 3. Readers that go through records in turn need the records in use to fit, and a second sign that
 *    this record, too, is being read through.
 * 4. In any other order a prefix pays only while it stays until the readers come back to it. So the
 *    groups 1 .. fitting of every record are loaded. Above them there is room for some records: the
 *    first ones asked for get all groups and keep them. A cache that replaced them would find the
 *    wrong ones, because each epoch asks for every record once. A prefix also stays if a local
 *    copy of the store has room for it.
 * 5. A load must be over at once, or cost at most WORTH times what the readers' requests to this
 *    record cost so far. So reading little of a record costs at most that factor.
 */
#include "frames/prefetch_policy.h"

#include "backend/io_estimate.h"

#define WORTH        4u
#define COPY_LEAST   (256u << 10) /* with less room a copy is full */
#define ASKED_ENOUGH 3u           /* items of this record */
#define MEAN_ENOUGH  4u           /* items of each record before it */
#define AT_ONCE_NS   (250ull * 1000 * 1000)
#define LONGEST_NS   (5ull * 1000 * 1000 * 1000)
#define NEIGHBOURS   4u          /* requests of one reader that are on their way together */
#define WHOLE_BYTES  (64u << 10) /* a first request of this size begins a whole file */
#define AHEAD_FILES  4u          /* with more, bytes are evicted before they are used */

static uint64_t cost_ns(const struct lod_prefetch_cost *cost, uint64_t requests, uint64_t bytes)
{
    return lod_io_cost_ns(requests, cost->ranges, cost->latency_ns, bytes, cost->bandwidth);
}

/* Returns the bytes of the groups that readers want of this record, up to `last`. */
static uint64_t bytes_to(const struct lod_prefetch_miss *miss, unsigned last)
{
    return miss->prefix[last] - miss->prefix[miss->from ? miss->from - 1 : 0];
}

/* Rule 5, for groups miss->first .. last. `keeps`: the loaded bytes stay until they are used. */
static bool is_worth_it(const struct lod_prefetch_miss *miss, unsigned last, bool keeps,
                        const struct lod_prefetch_cost *cost,
                        const struct lod_prefetch_order *order)
{
    uint64_t load_ns = cost_ns(cost, 1, miss->prefix[last] - miss->prefix[miss->first - 1]);
    uint64_t alone_ns = cost_ns(cost, miss->requests, miss->bytes);
    unsigned asked = order->asked ? order->asked : 1;

    if (order->in_turn && order->asked_mean > asked) {
        asked = order->asked_mean; /* assume as many as in the records before */
    }
    return (keeps && load_ns <= AT_ONCE_NS) ||
           (load_ns <= LONGEST_NS && load_ns / WORTH <= alone_ns * asked);
}

/* Rule 3. */
static bool is_read_through(const struct lod_prefetch_miss *miss,
                            const struct lod_prefetch_room *room,
                            const struct lod_prefetch_order *order)
{
    return order->in_turn && order->bytes <= room->bytes &&
           bytes_to(miss, miss->last) <= room->bytes &&
           (order->asked >= ASKED_ENOUGH || order->asked_mean >= MEAN_ENOUGH);
}

/* Rule 4: returns the last group that would stay in memory if it were loaded. */
static unsigned last_kept(const struct lod_prefetch_miss *miss,
                          const struct lod_prefetch_room *room)
{
    unsigned fitting = miss->last < room->fitting ? miss->last : room->fitting;

    const uint64_t wanted = bytes_to(miss, miss->last);
    if (room->copy_bytes >= (wanted < COPY_LEAST ? wanted : COPY_LEAST)) {
        return miss->last;
    }
    while (fitting >= miss->first && bytes_to(miss, fitting) > room->bytes) {
        fitting--; /* the index and the record disagree */
    }
    if (fitting == miss->last) {
        return fitting;
    }
    uint64_t more =
        bytes_to(miss, miss->last) - (fitting >= miss->first ? bytes_to(miss, fitting) : 0);

    return room->kept_bytes + room->reserve_bytes + more <= room->bytes ? miss->last : fitting;
}

struct lod_prefetch_choice lod_prefetch_decide(const struct lod_prefetch_miss *miss,
                                               const struct lod_prefetch_cost *cost,
                                               const struct lod_prefetch_room *room,
                                               const struct lod_prefetch_order *order)
{
    struct lod_prefetch_choice choice = {.first = miss->first, .from = miss->from ? miss->from : 1};
    unsigned kept = last_kept(miss, room);

    if (miss->announced >= miss->first) {
        choice.last = miss->announced;
        return choice;
    }
    if (cost->memory) {
        return choice;
    }
    if (is_read_through(miss, room, order) &&
        is_worth_it(miss, miss->last, kept == miss->last, cost, order)) {
        choice.last = miss->last;
    } else if (kept >= miss->first && is_worth_it(miss, kept, true, cost, order)) {
        choice.last = kept;
    }
    choice.short_of_room = choice.last < miss->last && kept < miss->last &&
                           (!order->in_turn || order->bytes > room->bytes);
    return choice;
}

bool lod_prefetch_decide_ahead(uint64_t bytes, unsigned last, const struct lod_prefetch_cost *cost,
                               const struct lod_prefetch_room *room,
                               const struct lod_prefetch_order *order)
{
    uint64_t more = order->asked ? 0 : bytes; /* bytes more than those in use */

    return !cost->memory && order->bytes + more <= room->bytes &&
           (last <= room->fitting || (order->in_turn && order->asked_mean >= MEAN_ENOUGH)) &&
           cost_ns(cost, 1, bytes) <= LONGEST_NS;
}

uint64_t lod_prefetch_decide_run(uint64_t offset, uint64_t bytes, uint64_t end, unsigned files)
{
    /* Requests of one reader arrive at several threads, so they pass each other. */
    const uint64_t apart = end > offset ? end - offset : offset - end;
    const bool in_turn = apart <= NEIGHBOURS * bytes && (end || bytes >= WHOLE_BYTES);

    return !in_turn ? 0 : files <= AHEAD_FILES ? LOD_AHEAD_BYTES : 0;
}

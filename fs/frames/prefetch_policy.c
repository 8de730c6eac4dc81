/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules, with their reasons:
 * 1. A record that an announced order names is loaded as far as that order wants it, if there is
 *    room for that. The job will read all of it, and a store may answer at the speed of memory for
 *    a moment only. Without room the other rules hold: its frames would be evicted before they are
 *    read.
 * 2. A store at the speed of memory is read frame by frame: there is no latency to save.
 * 3. Readers that go through records in turn need the records in use to fit, and a second sign that
 *    this record, too, is being read through.
 * 4. In any other order a prefix pays only while it stays until the readers come back to it. So a
 *    base of every record is loaded: the neighbouring groups that save most requests. Above it
 *    there is room for some records: the first ones asked for get all groups and keep them. A
 *    cache that replaced them would find the wrong ones, because each epoch asks for every record
 *    once. A prefix also stays if a local copy of the store has room for it.
 * 5. A load is worth it if its bytes stay and it ends within SHORT_LOAD_NS, or if it costs at most
 *    COST_FACTOR_MAX times what the readers' requests to this record cost so far. So reading little
 *    of a record costs at most that factor.
 */
#include "frames/prefetch_policy.h"

#include "backend/io_estimate.h"

#define COST_FACTOR_MAX 4u
#define EARLIER_PART    4u /* a base that is no prefix must save a fifth of the requests */
#define COPY_LEAST      (256u << 10) /* with less room a copy is full */
#define ASKED_MIN       3u           /* items of this record */
#define ASKED_MEAN_MIN  4u           /* items of each record before it */
#define SHORT_LOAD_NS   (250ull * 1000 * 1000)
#define LOAD_NS_MAX     (5ull * 1000 * 1000 * 1000)
#define NEIGHBOURS      4u /* requests that one reader may have in flight at the same time */
#define WHOLE_BYTES     (64u << 10) /* a first request of this size begins a whole file */
#define AHEAD_FILES     4u          /* with more, bytes are evicted before they are used */

static uint64_t cost_ns(const struct lod_prefetch_cost *cost, uint64_t requests, uint64_t bytes)
{
    return lod_io_cost_ns(requests, cost->ranges, cost->latency_ns, bytes, cost->bandwidth);
}

static uint64_t bytes_of(const struct lod_prefetch_miss *miss, struct lod_groups groups)
{
    return groups.last ? miss->prefix[groups.last] - miss->prefix[groups.first - 1] : 0;
}

/* Returns the groups that readers want of this record. */
static struct lod_groups wanted_of(const struct lod_prefetch_miss *miss)
{
    return miss->wanted.last ? miss->wanted : (struct lod_groups){1, miss->last};
}

/* Rule 5. `keeps`: the loaded bytes stay until they are used. */
static bool is_worth_it(const struct lod_prefetch_miss *miss, struct lod_groups groups, bool keeps,
                        const struct lod_prefetch_cost *cost,
                        const struct lod_prefetch_order *order)
{
    uint64_t load_ns = cost_ns(cost, 1, bytes_of(miss, groups));
    uint64_t alone_ns = cost_ns(cost, miss->requests, miss->bytes);
    unsigned asked = order->asked ? order->asked : 1;

    if (order->in_turn && order->asked_mean > asked) {
        asked = order->asked_mean; /* assume as many as in the records before */
    }
    return (keeps && load_ns <= SHORT_LOAD_NS) ||
           (load_ns <= LOAD_NS_MAX && load_ns / COST_FACTOR_MAX <= alone_ns * asked);
}

/* Rule 3. */
static bool is_read_through(const struct lod_prefetch_miss *miss,
                            const struct lod_prefetch_budget *budget,
                            const struct lod_prefetch_order *order)
{
    return order->in_turn && order->bytes <= budget->bytes &&
           bytes_of(miss, wanted_of(miss)) <= budget->bytes &&
           (order->asked >= ASKED_MIN || order->asked_mean >= ASKED_MEAN_MIN);
}

/* Returns the requests that remain for `groups` groups, in 1,024ths of the requests for all items.
 * `rest` is the size of these groups of all records, of which `spare` bytes fit in memory. */
static uint64_t requests_left(unsigned groups, uint64_t spare, uint64_t rest)
{
    return groups * ((rest - spare) / (rest / 1024 + 1));
}

/* Small groups save as many requests as large ones. Of two equal runs the earlier one is better:
 * readers of other fidelities share it. */
struct lod_groups lod_prefetch_base(const uint64_t totals[LOD_GROUPS_MAX + 1], unsigned from,
                                    unsigned last, uint64_t budget)
{
    const uint64_t all = totals[last] == UINT64_MAX ? UINT64_MAX : totals[last] - totals[from - 1];
    uint64_t least = all > budget ? requests_left(last - from + 1, budget, all) : 0;
    struct lod_groups base = {from, all > budget ? 0 : last};

    for (unsigned a = from; least && a <= last; a++) {
        for (unsigned b = a; b <= last && totals[b] != UINT64_MAX; b++) {
            const uint64_t bytes = totals[b] - totals[a - 1];
            if (bytes > budget) {
                break;
            }
            uint64_t left = requests_left(last - from - (b - a), budget - bytes, all - bytes);
            left += a > from ? left / EARLIER_PART : 0;
            if (left < least) {
                least = left;
                base = (struct lod_groups){a, b};
            }
        }
    }
    return base;
}

/* Returns the groups that are in both. */
static struct lod_groups both(struct lod_groups one, unsigned first, unsigned last)
{
    const struct lod_groups groups = {one.first > first ? one.first : first,
                                      one.last < last ? one.last : last};

    return groups.first <= groups.last ? groups : (struct lod_groups){0};
}

/* Rule 4: returns the missing groups that would stay in memory if they were loaded. */
static struct lod_groups kept_of(const struct lod_prefetch_miss *miss,
                                 const struct lod_prefetch_budget *budget)
{
    const struct lod_groups missing = {miss->first, miss->last}, wanted = wanted_of(miss);
    const uint64_t bytes = bytes_of(miss, wanted);
    struct lod_groups base = both(budget->base, wanted.first, wanted.last);

    if (budget->copy_bytes >= (bytes < COPY_LEAST ? bytes : COPY_LEAST)) {
        return missing;
    }
    if (bytes_of(miss, base) > budget->bytes) { /* the index and the record disagree */
        base = (struct lod_groups){0};
    }
    const uint64_t more = bytes - bytes_of(miss, base);
    return lod_groups_hold(base, missing) ||
                   budget->kept_bytes + budget->reserve_bytes + more <= budget->bytes
               ? missing
               : both(base, miss->first, miss->last);
}

struct lod_prefetch_choice lod_prefetch_decide(const struct lod_prefetch_miss *miss,
                                               const struct lod_prefetch_cost *cost,
                                               const struct lod_prefetch_budget *budget,
                                               const struct lod_prefetch_order *order)
{
    struct lod_prefetch_choice choice = {.first = miss->first, .from = wanted_of(miss).first};
    const struct lod_groups kept = kept_of(miss, budget), missing = {miss->first, miss->last};
    const bool all = lod_groups_hold(kept, missing);

    if (miss->announced >= miss->first) {
        choice.last = miss->announced;
        return choice;
    }
    if (cost->memory) {
        return choice;
    }
    if (is_read_through(miss, budget, order) && is_worth_it(miss, missing, all, cost, order)) {
        choice.last = miss->last;
    } else if (kept.last && is_worth_it(miss, kept, true, cost, order)) {
        choice.first = kept.first;
        choice.last = kept.last;
        choice.from = all ? choice.from : budget->base.first;
    }
    choice.short_of_memory =
        !all && !lod_groups_hold((struct lod_groups){choice.first, choice.last}, missing) &&
        (!order->in_turn || order->bytes > budget->bytes);
    return choice;
}

bool lod_prefetch_decide_ahead(uint64_t bytes, struct lod_groups wanted,
                               const struct lod_prefetch_cost *cost,
                               const struct lod_prefetch_budget *budget,
                               const struct lod_prefetch_order *order)
{
    uint64_t more = order->asked ? 0 : bytes; /* bytes more than those in use */

    return !cost->memory && order->bytes + more <= budget->bytes &&
           (lod_groups_hold(budget->base, wanted) ||
            (order->in_turn && order->asked_mean >= ASKED_MEAN_MIN)) &&
           cost_ns(cost, 1, bytes) <= LOAD_NS_MAX;
}

uint64_t lod_prefetch_decide_run(uint64_t offset, uint64_t bytes, uint64_t end, unsigned files)
{
    /* Several threads handle the requests of one reader, so they can arrive out of order. */
    const uint64_t apart = end > offset ? end - offset : offset - end;
    const bool in_turn = apart <= NEIGHBOURS * bytes && (end || bytes >= WHOLE_BYTES);

    return !in_turn ? 0 : files <= AHEAD_FILES ? LOD_AHEAD_BYTES : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Simulates the decision: two passes over a store of invented sizes, on four kinds of device, with
 * three amounts of memory, in two orders. Each cell is compared with the best of three fixed
 * policies:
 *
 * - frames alone
 * - whole prefixes, with the least recently used one evicted
 * - prefixes of the groups that fit together
 *
 * A policy that reads over 1.1 times the bytes it serves does not count ("inf"). The test fails if
 * a rule of prefetch_policy.c is inverted or its limits are wrong.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frames/access_history.h"
#include "frames/prefetch_policy.h"

#define RECORDS 60u
#define ITEMS   200u
#define GROUPS  10u
#define WANTED  4u /* q4 */
#define PASSES  2u
#define MS      1000000ull

/* The bytes of an item in each group: a photograph of 110 KB. With --full=source groups 3 and 4 are
 * small, as measured. */
enum kind { SCANS, SOURCE, KINDS };
static const char *const kinds[] = {"scans", "source"};
static const uint64_t all_sizes[KINDS][GROUPS] = {
    {6500, 5500, 6500, 8500, 11000, 14000, 16000, 14000, 14000, 14000},
    {8000, 10700, 1900, 2500, 9600},
};
static const uint64_t *sizes = all_sizes[SCANS];

static const struct device {
    const char *name;
    struct lod_prefetch_cost cost;
} devices[] = {
    {"hard disk", {.latency_ns = 10 * MS, .bandwidth = 150000000}},
    {"network disk", {.latency_ns = MS / 2, .bandwidth = 50000000}},
    {"NVMe", {.latency_ns = MS / 12, .bandwidth = 2000000000}},
    {"object store", {.latency_ns = 20 * MS, .bandwidth = 100000000}},
};
static const struct {
    const char *name;
    double of_prefixes; /* memory, as a part of all prefixes at the wanted fidelity */
} memories[] = {{"fits", 1.3}, {"fits almost", .8}, {"does not", .3}};
enum order { SHUFFLED, STORED, ORDERS };
enum policy { DECIDED, FRAMES, WHOLE, FITTING, POLICIES };

struct simulation {
    const struct lod_prefetch_cost *cost;
    enum policy policy;
    struct lod_prefetch_budget budget;
    unsigned fitting; /* groups 1 .. fitting of all records fit */
    struct lod_access_history history;
    struct lod_groups loaded[RECORDS]; /* last 0: none */
    uint64_t used[RECORDS], now;       /* the last read that used it */
    uint64_t total_ns, total_bytes;
};

static uint64_t prefix_bytes(unsigned groups)
{
    uint64_t bytes = 0;

    for (unsigned k = 0; k < groups && k < GROUPS; k++) {
        bytes += sizes[k];
    }
    return bytes * ITEMS;
}

static uint64_t groups_bytes(struct lod_groups groups)
{
    return groups.last ? prefix_bytes(groups.last) - prefix_bytes(groups.first - 1) : 0;
}

static void spend(struct simulation *s, uint64_t requests, uint64_t bytes)
{
    s->total_bytes += bytes;
    s->total_ns += requests * s->cost->latency_ns + bytes * 1000000000 / s->cost->bandwidth;
}

static uint64_t kept_bytes(const struct simulation *s)
{
    uint64_t bytes = 0;

    for (unsigned r = 0; r < RECORDS; r++) {
        bytes += groups_bytes(s->loaded[r]);
    }
    return bytes;
}

static void evict(struct simulation *s, unsigned except)
{
    while (kept_bytes(s) > s->budget.bytes) {
        unsigned oldest = RECORDS;
        for (unsigned r = 0; r < RECORDS; r++) {
            if (r != except && s->loaded[r].last &&
                (oldest == RECORDS || s->used[r] < s->used[oldest])) {
                oldest = r;
            }
        }
        s->loaded[oldest] = (struct lod_groups){0};
        lod_access_history_set_loaded(&s->history, oldest, (struct lod_groups){0}, 0);
    }
}

static bool is_missing(const struct simulation *s, unsigned record, unsigned group)
{
    return group < s->loaded[record].first || group > s->loaded[record].last;
}

/* Returns the first and the last wanted group that a record lacks, and counts those. */
static struct lod_groups missing_of(const struct simulation *s, unsigned record,
                                    unsigned *ret_count)
{
    struct lod_groups missing = {0};

    *ret_count = 0;
    for (unsigned k = 1; k <= WANTED; k++) {
        if (is_missing(s, record, k)) {
            missing.first = missing.last ? missing.first : k;
            missing.last = k;
            ++*ret_count;
        }
    }
    return missing;
}

static struct lod_groups choose(struct simulation *s, unsigned record)
{
    unsigned count = 0;
    const struct lod_groups missing = missing_of(s, record, &count);
    struct lod_prefetch_miss miss = {
        .first = missing.first, .last = missing.last, .wanted = {1, WANTED}, .requests = count};
    struct lod_access_summary summary;

    switch (s->policy) {
    case FRAMES:
        return (struct lod_groups){0};
    case WHOLE:
        return missing;
    case FITTING:
        return (struct lod_groups){missing.first, s->fitting < WANTED ? s->fitting : WANTED};
    default:
        break;
    }
    for (unsigned k = 1; k <= LOD_GROUPS_MAX; k++) {
        miss.prefix[k] = prefix_bytes(k);
    }
    miss.bytes = groups_bytes(missing) / ITEMS;
    lod_access_history_sum(&s->history, record, &summary);
    struct lod_prefetch_budget budget = s->budget;
    budget.kept_bytes = summary.loaded_bytes;
    budget.reserve_bytes = groups_bytes(budget.base) * (RECORDS - summary.loaded_records);
    const struct lod_prefetch_choice choice =
        lod_prefetch_decide(&miss, s->cost, &budget, &summary.order);
    return (struct lod_groups){choice.first, choice.last};
}

static void load(struct simulation *s, unsigned record, struct lod_groups groups)
{
    struct lod_groups *loaded = &s->loaded[record];

    spend(s, 1, groups_bytes(groups));
    loaded->first = loaded->last && loaded->first < groups.first ? loaded->first : groups.first;
    loaded->last = loaded->last > groups.last ? loaded->last : groups.last;
    lod_access_history_set_loaded(&s->history, record, *loaded, groups_bytes(*loaded));
    evict(s, record);
}

static void read_item(struct simulation *s, unsigned item)
{
    const unsigned record = item / ITEMS;

    s->now++;
    s->used[record] = s->now;
    lod_access_history_read(&s->history, record, item, prefix_bytes(WANTED));
    unsigned missing = 0;
    (void)missing_of(s, record, &missing);
    const struct lod_groups chosen = missing ? choose(s, record) : (struct lod_groups){0};
    if (chosen.last && chosen.last >= chosen.first) {
        load(s, record, chosen);
    }
    for (unsigned k = 1; k <= WANTED; k++) {
        if (is_missing(s, record, k)) {
            spend(s, 1, sizes[k - 1]);
        }
    }
}

/* Returns the time; UINT64_MAX for a policy that reads over 1.1 times the bytes that it serves. */
static uint64_t run(const struct device *device, double memory, enum order order,
                    enum policy policy)
{
    static unsigned items[RECORDS * ITEMS];
    struct simulation s = {.cost = &device->cost, .policy = policy};

    s.budget.bytes = (uint64_t)((double)prefix_bytes(WANTED) * RECORDS * memory);
    uint64_t totals[LOD_GROUPS_MAX + 1];
    for (unsigned k = 0; k <= LOD_GROUPS_MAX; k++) {
        totals[k] = prefix_bytes(k) * RECORDS;
        s.fitting = totals[k] <= s.budget.bytes ? k : s.fitting;
    }
    s.budget.base = lod_prefetch_base(totals, 1, WANTED, s.budget.bytes);
    cr_assert_eq(lod_access_history_init(&s.history, RECORDS), 0);
    srand(1);
    for (unsigned pass = 0; pass < PASSES; pass++) {
        for (unsigned i = 0; i < RECORDS * ITEMS; i++) {
            unsigned at = order == SHUFFLED ? (unsigned)rand() % (i + 1) : i;
            items[i] = items[at];
            items[at] = i;
        }
        for (unsigned i = 0; i < RECORDS * ITEMS; i++) {
            read_item(&s, items[i]);
        }
    }
    lod_access_history_finish(&s.history);
    return s.total_bytes <= prefix_bytes(WANTED) * RECORDS * PASSES * 11 / 10 ? s.total_ns
                                                                              : UINT64_MAX;
}

static double seconds(uint64_t ns)
{
    return ns == UINT64_MAX ? INFINITY : (double)ns / 1e9;
}

/* Returns the time of a folder of files of that size, which each need a request. */
static uint64_t plain_ns(const struct device *device)
{
    const uint64_t bytes = prefix_bytes(GROUPS) / ITEMS;

    return PASSES * RECORDS * ITEMS *
           (device->cost.latency_ns + bytes * 1000000000 / device->cost.bandwidth);
}

static void check_cell(const struct device *device, unsigned memory, enum order order)
{
    static const char *const orders[] = {"shuffled", "stored"};
    uint64_t ns[POLICIES], best = UINT64_MAX;

    for (unsigned policy = 0; policy < POLICIES; policy++) {
        ns[policy] = run(device, memories[memory].of_prefixes, order, policy);
        best = policy != DECIDED && ns[policy] < best ? ns[policy] : best;
    }
    printf("%-13s %-11s %-9s %8.2f %8.2f %8.2f %8.2f %8.2f\n", device->name, memories[memory].name,
           orders[order], seconds(ns[DECIDED]), seconds(ns[FRAMES]), seconds(ns[WHOLE]),
           seconds(ns[FITTING]), seconds(plain_ns(device)));
    cr_expect(ns[DECIDED] <= best * 105 / 100, "%s, %s, %s: %.2f s, the best is %.2f", device->name,
              memories[memory].name, orders[order], seconds(ns[DECIDED]), seconds(best));
    cr_expect(memories[memory].of_prefixes < .5 || ns[DECIDED] <= plain_ns(device) * 105 / 100,
              "%s, %s: %.2f s, a plain folder takes %.2f", device->name, memories[memory].name,
              seconds(ns[DECIDED]), seconds(plain_ns(device)));
}

Test(prefetch_decide, no_cell_is_slower_than_the_best_fixed_policy)
{
    for (unsigned kind = 0; kind < KINDS; kind++) {
        sizes = all_sizes[kind];
        printf("%-13s %-11s %-9s %8s %8s %8s %8s %8s\n", kinds[kind], "memory", "order", "decided",
               "frames", "whole", "fitting", "plain");
        for (unsigned d = 0; d < sizeof(devices) / sizeof(devices[0]); d++) {
            for (unsigned m = 0; m < sizeof(memories) / sizeof(memories[0]); m++) {
                check_cell(&devices[d], m, SHUFFLED);
                check_cell(&devices[d], m, STORED);
            }
        }
    }
}

/* Rows of lod_prefetch_base for readers of q4: bytes of each group, room. */
static const struct {
    const char *name;
    uint64_t sizes[WANTED], budget;
    struct lod_groups base;
} bases[] = {
    {"all fit", {8, 10, 2, 3}, 23, {1, 4}},
    {"small groups save as many requests as large ones", {8, 10, 2, 3}, 14, {3, 4}},
    {"all but the last", {8, 2, 2, 20}, 14, {1, 3}},
    {"the first where it is the smallest", {5, 6, 6, 6}, 7, {1, 1}},
    {"less than the smallest", {8, 10, 2, 3}, 1, {1, 0}},
};

Test(prefetch_decide, the_base_is_the_groups_that_save_most_requests)
{
    for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
        uint64_t totals[LOD_GROUPS_MAX + 1] = {0};
        for (unsigned k = 1; k <= LOD_GROUPS_MAX; k++) {
            totals[k] = totals[k - 1] + (k <= WANTED ? bases[i].sizes[k - 1] * 1000000 : 0);
        }
        const struct lod_groups base =
            lod_prefetch_base(totals, 1, WANTED, bases[i].budget * 1000000);
        cr_expect(base.last == bases[i].base.last &&
                      (!base.last || base.first == bases[i].base.first),
                  "%s: %u .. %u", bases[i].name, base.first, base.last);
        totals[LOD_GROUPS_MAX] = totals[WANTED] = UINT64_MAX;
        cr_expect_eq(lod_prefetch_base(totals, 1, WANTED, UINT64_MAX - 1).last < WANTED, true,
                     "unknown sums do not fit");
    }
}

static struct lod_prefetch_miss one_miss(void)
{
    struct lod_prefetch_miss miss = {.first = 1, .last = WANTED, .requests = 4, .bytes = 27000};

    for (unsigned k = 1; k <= LOD_GROUPS_MAX; k++) {
        miss.prefix[k] = prefix_bytes(k);
    }
    return miss;
}

Test(prefetch_decide, a_store_in_memory_needs_no_prefix_and_an_announced_record_is_always_loaded)
{
    struct lod_prefetch_cost cost = devices[0].cost;
    struct lod_prefetch_miss miss = one_miss();
    struct lod_prefetch_budget budget = {0};
    struct lod_prefetch_order order = {0};

    cr_assert_eq(lod_prefetch_decide(&miss, &cost, &budget, &order).last, 0, "no room");
    miss.announced = WANTED + 1;
    cr_assert_eq(lod_prefetch_decide(&miss, &cost, &budget, &order).last, WANTED + 1);
    cost.memory = true;
    cr_assert_eq(lod_prefetch_decide(&miss, &cost, &budget, &order).last, WANTED + 1);
    miss.announced = 0;
    cr_assert_eq(lod_prefetch_decide(&miss, &cost, &budget, &order).last, 0);
}

/* One reader of four frames: 4 x 20 ms one by one, or a load of 54 ms; in parallel only 20. */
Test(prefetch_decide, frames_that_go_side_by_side_cost_one_latency)
{
    struct lod_prefetch_cost cost = devices[3].cost;
    struct lod_prefetch_miss miss = one_miss();
    const struct lod_prefetch_budget budget = {.bytes = 1ull << 40, .base = {1, LOD_GROUPS_MAX}};
    const struct lod_prefetch_order order = {.asked = 1};

    for (unsigned k = 1; k <= LOD_GROUPS_MAX; k++) {
        miss.prefix[k] *= 5; /* 270 ms, so that it is not over at once */
    }
    cr_assert_eq(lod_prefetch_decide(&miss, &cost, &budget, &order).last, WANTED);
    cost.ranges = 4;
    cr_assert_eq(lod_prefetch_decide(&miss, &cost, &budget, &order).last, 0);
}

/* 5 GB for a record: a reader of one item must not wait for minutes. */
Test(prefetch_decide, a_long_load_needs_more_readers)
{
    struct lod_prefetch_cost cost = devices[0].cost;
    struct lod_prefetch_miss miss = one_miss();
    struct lod_prefetch_budget budget = {.bytes = 1ull << 40, .base = {1, LOD_GROUPS_MAX}};
    struct lod_prefetch_order order = {.asked = 1};

    cr_assert_eq(lod_prefetch_decide(&miss, &cost, &budget, &order).last, WANTED);
    for (unsigned k = 1; k <= LOD_GROUPS_MAX; k++) {
        miss.prefix[k] *= 12;
    }
    cr_assert_eq(lod_prefetch_decide(&miss, &cost, &budget, &order).last, 0);
    order.asked = 20;
    cr_assert_eq(lod_prefetch_decide(&miss, &cost, &budget, &order).last, WANTED);
    for (unsigned k = 1; k <= LOD_GROUPS_MAX; k++) {
        miss.prefix[k] *= 100;
    }
    order.asked = 20000;
    cr_assert_eq(lod_prefetch_decide(&miss, &cost, &budget, &order).last, 0, "never minutes");
}

/* A row of lod_prefetch_decide_run, sizes in KiB. */
static const struct {
    const char *name;
    uint64_t offset, bytes, end;
    unsigned files;
    uint64_t ahead;
} runs[] = {
    {"the next request of a file", 1000, 128, 1000, 1, 256},
    {"a request that passed the one before", 1128, 128, 1000, 1, 256},
    {"a request that was passed", 1000, 128, 1256, 1, 256},
    {"a jump forward", 9000, 128, 1000, 1, 0},
    {"a jump back", 1000, 128, 9000, 1, 0},
    {"a large first request at the start", 0, 128, 0, 1, 256},
    {"a look at the header", 0, 4, 0, 1, 0},
    {"a first request in the middle", 5000, 128, 0, 1, 0},
    {"small requests in turn", 40, 4, 40, 1, 256},
    {"four files at once", 1000, 128, 1000, 4, 256},
    {"many files at once", 1000, 128, 1000, 5, 0},
};

Test(prefetch_decide, framed_files_are_read_ahead_where_they_are_read_in_turn)
{
    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
        const uint64_t got = lod_prefetch_decide_run(runs[i].offset << 10, runs[i].bytes << 10,
                                                     runs[i].end << 10, runs[i].files);
        cr_expect_eq(got, runs[i].ahead << 10, "%s", runs[i].name);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the lists with the records in memory; see prefetch_ahead.h. */
#include "frames/prefetch_ahead.h"

#include <errno.h>
#include <stdlib.h>

#include "bytes.h"
#include "clock.h"
#include "order/shown_groups.h"

/* Prefixes take three quarters of the cache. The entries of frames may take a part of the last
 * quarter, and so may frames that were read before and find no memory to move to. */
#define PINNED_PART 6u

#define CHECK_NS (5 * LOD_SECOND_NS) /* between two checks of the page cache, or of a copy */
#define AGAIN_NS LOD_SECOND_NS       /* until a full copy is checked again */

/* ------------------------------------------------------------------------------ records */

/* Drops the records that fit in the share of no list any more. The lock is held. */
static void sweep(struct lod_prefetch *prefetch, uint64_t budget)
{
    lod_ahead_lists_place(&prefetch->lists, budget, prefetch->copy_budget);
    for (unsigned i = 0; i < prefetch->lists.count; i++) {
        const struct lod_ahead_job *job = &prefetch->lists.jobs[i];
        for (size_t k = job->done; k < job->count && job->at[k].place; k++) {
            struct lod_ahead_record *record =
                lod_ahead_held_find(&prefetch->held, job->at[k].record);
            if (record && (job->at[k].place == LOD_AHEAD_MEMORY || !record->pins.count)) {
                record->marked = true;
            }
        }
    }
    lod_ahead_held_sweep(&prefetch->held);
    lod_ahead_lists_rewind(&prefetch->lists);
    atomic_store_explicit(&prefetch->list_count, prefetch->lists.count, memory_order_relaxed);
}

/*
 * Adds the listed records for which the copy has room, or those for which it has none. Returns
 * their number.
 */
static size_t add_listed(const struct lod_ahead_lists *lists, bool in_copy,
                         struct lod_listed *records)
{
    struct lod_ahead_turns turns = {.lists = lists};
    size_t count = 0;

    for (const struct lod_ahead_entry *at; (at = lod_ahead_turns_next(&turns));) {
        if (at->in_copy == in_copy) {
            records[count++] = (struct lod_listed){.key = at->key, .bytes = at->copy_bytes};
        }
    }
    return count;
}

/* Announces the records of all lists to a local copy of the store; the jobs take turns.
 * Records beyond the shares of the jobs come last: the copy may have room for them too. The
 * lock is held. */
static void announce_to_copy(struct lod_prefetch *prefetch)
{
    struct lod_listed *records =
        prefetch->fetch->copies ? calloc(prefetch->lists.records + 1, sizeof(*records)) : NULL;

    if (records) {
        const size_t count = add_listed(&prefetch->lists, true, records);
        lod_dataset_listed(prefetch->fetch->dataset, records,
                           count + add_listed(&prefetch->lists, false, records + count));
    }
    free(records);
}

/* The lock is not held. */
static uint64_t read_copy_budget(const struct lod_prefetch *prefetch)
{
    return prefetch->fetch->copies ? lod_dataset_lists_bytes(prefetch->fetch->dataset) : 0;
}

static bool is_ready(const struct lod_prefetch *prefetch, const struct lod_ahead_entry *entry)
{
    return lod_ahead_held_ready(&prefetch->held, entry->record, entry->first, entry->last);
}

/* ------------------------------------------------------------------------------ requests */

/* Returns the size, in whole blocks, of a local copy of the record up to the end of this group. */
static uint64_t copy_bytes_of(const struct lod_record_desc *recd, unsigned last)
{
    return lod_round_up(lod_record_desc_end(recd, last), LOD_LOAD_ALIGN);
}

/* Finds the groups of each announced record that the job reads. */
static int entries_of(struct lod_prefetch *prefetch, const struct lod_ahead_request *request,
                      struct lod_ahead_entry *entries)
{
    struct lod_record_desc recd;
    unsigned first, last;

    for (uint32_t i = 0; i < request->count; i++) {
        int error = lod_dataset_record_desc(prefetch->fetch->dataset, request->records[i], &recd);
        if (error) {
            return error;
        }
        lod_shown_groups(&recd, (enum lod_fidelity)request->fidelity, &first, &last);
        entries[i] = (struct lod_ahead_entry){.record = request->records[i],
                                              .first = (uint8_t)first,
                                              .last = (uint8_t)last,
                                              .bytes = lod_record_desc_bytes(&recd, first, last),
                                              .copy_bytes = copy_bytes_of(&recd, last),
                                              .key = recd.header_hash};
    }
    return 0;
}

/* Returns the job's share of the copy, without the heads of its records. The lock is held. */
static uint64_t copy_share(const struct lod_prefetch *prefetch, const struct lod_ahead_job *job)
{
    double bytes = 0, takes = 0;

    for (size_t i = job ? job->done : 0; job && i < job->count; i++) {
        bytes += (double)job->at[i].bytes;
        takes += (double)job->at[i].copy_bytes;
    }
    return (uint64_t)((double)lod_ahead_lists_share(&prefetch->lists, prefetch->copy_budget) *
                      (takes > 0 ? bytes / takes : 1));
}

/* Fills the answer to a request. `job` NULL: the job has ended. The lock is held. */
static void answer(const struct lod_prefetch *prefetch, const struct lod_ahead_job *job,
                   uint64_t budget, struct lod_ahead_answer *ret_answer)
{
    const uint64_t memory = lod_ahead_lists_share(&prefetch->lists, budget),
                   copy = copy_share(prefetch, job);
    bool leading = true;

    *ret_answer = (struct lod_ahead_answer){
        .total = job ? (uint32_t)job->count : 0,
        .bytes_room = copy > memory ? copy : memory,
        .bytes_per_second = lod_load_rate_now(&prefetch->rate),
    };
    for (size_t i = job ? job->done : 0; job && i < job->count; i++) {
        const bool ready = is_ready(prefetch, &job->at[i]);
        leading = leading && ready;
        ret_answer->ready += leading;
        ret_answer->bytes_missing += ready ? 0 : job->at[i].bytes;
    }
}

/*
 * Records that failed are tried again. Records of a shared store or in a copy are checked again
 * from time to time, since the page cache or the copy may have dropped them. The lock is held.
 */
static void begin_again(struct lod_prefetch *prefetch, uint64_t now)
{
    lod_ahead_held_again(&prefetch->held, LOD_AHEAD_FAILED);
    lod_ahead_held_again(&prefetch->held, LOD_AHEAD_SHORT);
    if (now >= prefetch->check_ns) {
        if (prefetch->fetch->shared) {
            lod_ahead_held_again(&prefetch->held, LOD_AHEAD_READY);
        }
        lod_ahead_held_recheck(&prefetch->held);
        prefetch->check_ns = now + CHECK_NS;
    }
    lod_ahead_lists_rewind(&prefetch->lists);
    prefetch->has_hint = prefetch->has_hint && !prefetch->lists.count;
}

int lod_prefetch_announce(struct lod_prefetch *prefetch, const struct lod_ahead_request *request,
                          struct lod_ahead_answer *ret_answer)
{
    const struct lod_ahead_job *job = NULL;
    struct lod_ahead_entry *entries = calloc(request->count + 1, sizeof(*entries));
    const uint64_t budget = lod_prefetch_budget(prefetch), copy_budget = read_copy_budget(prefetch);

    if (!entries) {
        return -ENOMEM;
    }
    int error = entries_of(prefetch, request, entries);
    pthread_mutex_lock(&prefetch->lock);
    const uint64_t now = lod_clock_ns();
    prefetch->copy_budget = copy_budget;
    (void)lod_ahead_lists_expire(&prefetch->lists, now);
    error = error
                ? error
                : lod_ahead_held_reserve(&prefetch->held, prefetch->lists.records + request->count);
    error = error ? error : lod_ahead_lists_update(&prefetch->lists, now, request, entries, &job);
    sweep(prefetch, budget);
    if (!error) {
        announce_to_copy(prefetch);
        answer(prefetch, job, budget, ret_answer);
        begin_again(prefetch, now);
    }
    pthread_mutex_unlock(&prefetch->lock);
    free(entries);
    return error;
}

void lod_prefetch_trim(struct lod_prefetch *prefetch)
{
    const uint64_t budget = lod_prefetch_budget(prefetch), copy_budget = read_copy_budget(prefetch);

    pthread_mutex_lock(&prefetch->lock);
    prefetch->copy_budget = copy_budget;
    sweep(prefetch, budget);
    pthread_mutex_unlock(&prefetch->lock);
}

/* ------------------------------------------------------------------------------ loads */

bool lod_prefetch_has_lists(const struct lod_prefetch *prefetch)
{
    return atomic_load_explicit(&prefetch->list_count, memory_order_relaxed);
}

/* lod_prefetch_listed, with the lock held. */
static struct lod_groups find(struct lod_prefetch *prefetch, uint32_t record, uint64_t budget,
                              enum lod_ahead_place *ret_place)
{
    lod_ahead_lists_place(&prefetch->lists, budget, prefetch->copy_budget);
    const struct lod_ahead_want want = lod_ahead_lists_want(&prefetch->lists, record);
    *ret_place = (enum lod_ahead_place)want.place;
    return (struct lod_groups){.first = want.first, .last = want.last};
}

struct lod_groups lod_prefetch_listed(struct lod_prefetch *prefetch, uint32_t record,
                                      enum lod_ahead_place *ret_place)
{
    if (!lod_prefetch_has_lists(prefetch)) {
        *ret_place = LOD_AHEAD_NOWHERE;
        return (struct lod_groups){0};
    }
    const uint64_t budget = lod_prefetch_budget(prefetch);
    pthread_mutex_lock(&prefetch->lock);
    const struct lod_groups groups = find(prefetch, record, budget, ret_place);
    pthread_mutex_unlock(&prefetch->lock);
    return groups;
}

/* Returns whether a record is loaded, or cannot be loaded now. The lock is held. */
static bool is_settled(const struct lod_prefetch *prefetch, const struct lod_ahead_entry *at,
                       const struct lod_ahead_record *held)
{
    return held && (held->state == LOD_AHEAD_FAILED || held->state == LOD_AHEAD_SHORT ||
                    (held->state == LOD_AHEAD_READY && is_ready(prefetch, at)));
}

/*
 * Returns the first record of a job that can be loaded now. Entries at its head that need no load
 * are skipped for good, so that walking a list takes as many steps as it has entries. The lock is
 * held.
 */
static bool next_of(struct lod_prefetch *prefetch, struct lod_ahead_job *job, uint64_t budget,
                    struct lod_ahead_entry *ret_entry)
{
    const uint64_t pinned = atomic_load_explicit(&prefetch->fetch->pinned, memory_order_relaxed) +
                            lod_load_slots_expected(&prefetch->slots);

    for (size_t i = job->next; i < job->count && job->at[i].place; i++) {
        const struct lod_ahead_entry *at = &job->at[i];
        const struct lod_ahead_record *held = lod_ahead_held_find(&prefetch->held, at->record);
        const bool settled = is_settled(prefetch, at, held);
        job->next += settled && job->next == i;
        if (settled || lod_load_slots_find(&prefetch->slots, at->record)) {
            continue;
        }
        *ret_entry = *at;
        return prefetch->fetch->shared || at->place == LOD_AHEAD_COPY ||
               (held && held->pins.count) || pinned + at->bytes <= budget + budget / PINNED_PART;
    }
    return false;
}

void lod_prefetch_ahead_pass(struct lod_prefetch *prefetch, uint64_t budget)
{
    const uint64_t now = lod_clock_ns();

    if (lod_ahead_lists_expire(&prefetch->lists, now)) {
        sweep(prefetch, budget);
        announce_to_copy(prefetch);
    }
    if (prefetch->again_ns && now >= prefetch->again_ns) {
        lod_ahead_held_again(&prefetch->held, LOD_AHEAD_SHORT);
        lod_ahead_lists_rewind(&prefetch->lists);
        prefetch->again_ns = 0;
    }
}

bool lod_prefetch_ahead_next(struct lod_prefetch *prefetch, uint64_t budget,
                             struct lod_ahead_entry *ret_entry)
{
    const unsigned count = prefetch->lists.count;

    lod_ahead_lists_place(&prefetch->lists, budget, prefetch->copy_budget);
    for (unsigned i = 0; i < count; i++) {
        const unsigned turn = (prefetch->turn + i) % count;
        if (next_of(prefetch, &prefetch->lists.jobs[turn], budget, ret_entry)) {
            prefetch->turn = turn + 1;
            return true;
        }
    }
    return false;
}

static enum lod_ahead_state state_of(int error, bool is_all)
{
    return error == -ENOSPC            ? LOD_AHEAD_SHORT
           : error && error != -EAGAIN ? LOD_AHEAD_FAILED
           : error || !is_all          ? LOD_AHEAD_PART
                                       : LOD_AHEAD_READY;
}

/*
 * Sets the state of a record. If it needed no load before and needs one now, walks start at the
 * heads of the lists again. The lock is held.
 */
static void put(struct lod_prefetch *prefetch, uint32_t record, struct lod_groups groups,
                enum lod_ahead_state state, struct lod_frame_pins *pins)
{
    const struct lod_ahead_record *before = lod_ahead_held_find(&prefetch->held, record);

    if (before && before->state != LOD_AHEAD_PART && state == LOD_AHEAD_PART) {
        lod_ahead_lists_rewind(&prefetch->lists);
    }
    lod_ahead_held_put(&prefetch->held, record, groups.first, groups.last, state, pins);
}

void lod_prefetch_hold(struct lod_prefetch *prefetch, uint32_t record, struct lod_groups groups,
                       int error, struct lod_frame_pins *pins)
{
    const uint64_t budget = lod_prefetch_budget(prefetch);
    enum lod_ahead_place place;

    pthread_mutex_lock(&prefetch->lock);
    const struct lod_groups listed = find(prefetch, record, budget, &place);
    const enum lod_ahead_state state = state_of(error, lod_groups_hold(groups, listed));
    if (place) {
        put(prefetch, record, groups, state, pins);
    }
    if (place && state == LOD_AHEAD_SHORT && !prefetch->again_ns) {
        prefetch->again_ns = lod_clock_ns() + AGAIN_NS;
    }
    pthread_mutex_unlock(&prefetch->lock);
    lod_frame_pins_finish(pins);
}

bool lod_prefetch_settle_copy(struct lod_prefetch *prefetch, const struct lod_record_desc *recd,
                              struct lod_groups groups)
{
    struct lod_frame_pins none = {.bytes = &prefetch->fetch->pinned};
    struct lod_dataset *dataset = prefetch->fetch->dataset;
    const bool is_there = lod_dataset_groups_copied(dataset, recd, groups.first, groups.last);
    uint64_t budget = 0;

    if (!is_there && lod_dataset_copies(dataset, recd->header_hash, &budget) &&
        budget >= copy_bytes_of(recd, groups.last)) {
        return false;
    }
    lod_prefetch_hold(prefetch, recd->number, groups, is_there ? 0 : -ENOSPC, &none);
    return true;
}

struct lod_ahead_stats lod_prefetch_ahead_stats(struct lod_prefetch *prefetch)
{
    struct lod_ahead_stats stats = {0};

    pthread_mutex_lock(&prefetch->lock);
    stats.jobs = prefetch->lists.count;
    stats.records = prefetch->lists.records;
    stats.loads = prefetch->slots.count;
    stats.window_bytes = prefetch->slots.window.limit * (uint64_t)LOD_IO_BUFFER_BYTES;
    stats.waits = prefetch->waits;
    for (size_t i = 0; i < prefetch->held.count; i++) {
        stats.ready += lod_ahead_is_loaded(&prefetch->held.at[i]);
    }
    pthread_mutex_unlock(&prefetch->lock);
    stats.outside = atomic_load_explicit(&prefetch->outside, memory_order_relaxed);
    stats.pinned_bytes = atomic_load_explicit(&prefetch->fetch->pinned, memory_order_relaxed);
    return stats;
}

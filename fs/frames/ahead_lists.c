/* SPDX-License-Identifier: Apache-2.0 */
/* An array of jobs, each with an array of entries, and a hash table of their records; see
 * ahead_lists.h. */
#include "frames/ahead_lists.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "clock.h"
#include "codec.h"

#define WANT_SLOTS (2 * LOD_AHEAD_RECORDS) /* slots, at least half of which stay free */

static struct lod_ahead_job *find(struct lod_ahead_lists *lists, uint64_t job)
{
    for (unsigned i = 0; i < lists->count; i++) {
        if (lists->jobs[i].job == job) {
            return &lists->jobs[i];
        }
    }
    return NULL;
}

static void drop(struct lod_ahead_lists *lists, struct lod_ahead_job *job)
{
    struct lod_ahead_job *last = &lists->jobs[--lists->count];

    lists->records -= (uint32_t)job->count;
    lists->placed = false;
    free(job->at);
    memmove(job, job + 1, (size_t)(last - job) * sizeof(*job));
    *last = (struct lod_ahead_job){0};
    if (!lists->count) {
        free(lists->wants);
        lists->wants = NULL;
    }
}

/* Checks a request against the list that it changes. `job` NULL: the list is new. */
static int check(const struct lod_ahead_lists *lists, const struct lod_ahead_job *job,
                 const struct lod_ahead_request *request)
{
    const size_t before = job ? job->count : 0;

    if (request->fidelity < LOD_Q1 || request->fidelity > LOD_ORIGINAL ||
        request->keep_s > LOD_AHEAD_KEEP_S_MAX) {
        return -EINVAL;
    }
    if (request->at > before) {
        return -ESTALE;
    }
    if (request->count > LOD_AHEAD_RECORDS ||
        lists->records - (before - request->at) + request->count > LOD_AHEAD_RECORDS ||
        (!job && lists->count == LOD_AHEAD_JOBS)) {
        return -E2BIG;
    }
    return request->done > request->at + request->count ? -EINVAL : 0;
}

/* Replaces the list from place request->at on. */
static int replace(struct lod_ahead_lists *lists, struct lod_ahead_job *job,
                   const struct lod_ahead_request *request, const struct lod_ahead_entry *entries)
{
    const size_t count = (size_t)request->at + request->count;
    struct lod_ahead_entry *at = job->at;

    if (count > job->room) {
        at = realloc(at, count * sizeof(*at));
        if (!at) {
            return -ENOMEM;
        }
        job->at = at;
        job->room = count;
    }
    if (request->count) {
        memcpy(at + request->at, entries, request->count * sizeof(*at));
    }
    lists->records += (uint32_t)(count - job->count);
    job->count = count;
    return 0;
}

/* Adds a job without a list. Returns NULL if memory is exhausted. */
static struct lod_ahead_job *add(struct lod_ahead_lists *lists, uint64_t number)
{
    lists->wants = lists->wants ? lists->wants : calloc(WANT_SLOTS, sizeof(*lists->wants));
    if (!lists->wants) {
        return NULL;
    }
    struct lod_ahead_job *job = &lists->jobs[lists->count++];

    *job = (struct lod_ahead_job){.job = number};
    return job;
}

int lod_ahead_lists_update(struct lod_ahead_lists *lists, uint64_t now_ns,
                           const struct lod_ahead_request *request,
                           const struct lod_ahead_entry *entries,
                           const struct lod_ahead_job **ret_job)
{
    struct lod_ahead_job *job = find(lists, request->job);
    const bool is_new = !job, ends = request->at == 0 && request->count == 0;
    int error = check(lists, job, request);

    if (error) {
        return error;
    }
    if (ends) {
        if (job) {
            drop(lists, job);
        }
        *ret_job = NULL;
        return 0;
    }
    job = job ? job : add(lists, request->job);
    error = job ? replace(lists, job, request, entries) : -ENOMEM;
    if (error) {
        if (job && is_new) {
            drop(lists, job);
        }
        return error;
    }
    job->done = request->done;
    lists->placed = false;
    job->until_ns = now_ns + (request->keep_s ? request->keep_s : LOD_AHEAD_KEEP_S) * LOD_SECOND_NS;
    *ret_job = job;
    return 0;
}

unsigned lod_ahead_lists_expire(struct lod_ahead_lists *lists, uint64_t now_ns)
{
    unsigned dropped = 0;

    for (unsigned i = lists->count; i-- > 0;) {
        if (lists->jobs[i].until_ns <= now_ns) {
            drop(lists, &lists->jobs[i]);
            dropped++;
        }
    }
    return dropped;
}

uint64_t lod_ahead_lists_until(const struct lod_ahead_lists *lists)
{
    uint64_t until = UINT64_MAX;

    for (unsigned i = 0; i < lists->count; i++) {
        until = lists->jobs[i].until_ns < until ? lists->jobs[i].until_ns : until;
    }
    return until;
}

uint64_t lod_ahead_lists_share(const struct lod_ahead_lists *lists, uint64_t budget)
{
    return budget / (lists->count ? lists->count : 1);
}

/* Places the entries of one job within its shares. */
static void place(struct lod_ahead_job *job, uint64_t left, uint64_t copy_left)
{
    bool fits = true;

    for (size_t i = job->done; i < job->count; i++) {
        struct lod_ahead_entry *at = &job->at[i];
        const bool in_memory = fits && at->bytes <= left;
        at->in_copy = fits && at->copy_bytes <= copy_left;
        at->place = in_memory ? LOD_AHEAD_MEMORY : at->in_copy ? LOD_AHEAD_COPY : LOD_AHEAD_NOWHERE;
        fits = at->place;
        left = in_memory ? left - at->bytes : 0;
        copy_left -= lod_least(at->copy_bytes, copy_left);
    }
}

/* Returns the slot of a record, or the free one where it belongs. */
static struct lod_ahead_want *slot_of(const struct lod_ahead_lists *lists, uint32_t record)
{
    const uint32_t mask = (UINT32_C(1) << lists->wants_bits) - 1;
    uint32_t slot = record * UINT32_C(0x9e3779b1) >> (32 - lists->wants_bits);

    while (lists->wants[slot].listed && lists->wants[slot].record != record) {
        slot = (slot + 1) & mask;
    }
    return &lists->wants[slot];
}

/* Extends the groups that jobs want of a record by those that one more job wants. */
static void merge(struct lod_ahead_want *want, const struct lod_ahead_entry *at)
{
    *want = (struct lod_ahead_want){
        .record = at->record,
        .listed = true,
        .first = want->listed && want->first < at->first ? want->first : at->first,
        .last = want->last > at->last ? want->last : at->last,
        .place = want->place > at->place ? want->place : at->place,
    };
}

/* Fills the hash table. There is a job. */
static void gather(struct lod_ahead_lists *lists)
{
    for (lists->wants_bits = 1; 1u << lists->wants_bits < 2 * lists->records; lists->wants_bits++) {
    }
    memset(lists->wants, 0, sizeof(*lists->wants) << lists->wants_bits);
    for (unsigned i = 0; i < lists->count; i++) {
        const struct lod_ahead_job *job = &lists->jobs[i];
        for (size_t k = job->done; k < job->count; k++) {
            merge(slot_of(lists, job->at[k].record), &job->at[k]);
        }
    }
}

struct lod_ahead_want lod_ahead_lists_want(const struct lod_ahead_lists *lists, uint32_t record)
{
    return lists->count ? *slot_of(lists, record) : (struct lod_ahead_want){0};
}

void lod_ahead_lists_rewind(struct lod_ahead_lists *lists)
{
    for (unsigned i = 0; i < lists->count; i++) {
        lists->jobs[i].next = lists->jobs[i].done;
    }
}

void lod_ahead_lists_place(struct lod_ahead_lists *lists, uint64_t budget, uint64_t copy_budget)
{
    if (lists->placed && lists->budget == budget && lists->copy_budget == copy_budget) {
        return;
    }
    for (unsigned i = 0; i < lists->count; i++) {
        place(&lists->jobs[i], lod_ahead_lists_share(lists, budget),
              lod_ahead_lists_share(lists, copy_budget));
    }
    if (lists->count) {
        gather(lists);
    }
    lod_ahead_lists_rewind(lists);
    lists->placed = true;
    lists->budget = budget;
    lists->copy_budget = copy_budget;
}

const struct lod_ahead_entry *lod_ahead_turns_next(struct lod_ahead_turns *turns)
{
    const unsigned count = turns->lists->count;

    for (unsigned ended = 0; ended < count; ended++) {
        turns->turn += turns->job == count;
        turns->job = turns->job == count ? 0 : turns->job;
        const struct lod_ahead_job *job = &turns->lists->jobs[turns->job++];
        if (turns->turn < job->count - job->done) {
            return &job->at[job->done + turns->turn];
        }
    }
    return NULL;
}

void lod_ahead_lists_finish(struct lod_ahead_lists *lists)
{
    while (lists->count) {
        drop(lists, &lists->jobs[lists->count - 1]);
    }
}

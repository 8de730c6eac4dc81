/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of jobs, with every kind of request that a job may send. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>

#include "clock.h"
#include "codec.h"
#include "frames/ahead_lists.h"

#define ENTRIES_MAX 100000u /* longer lists are refused before their entries are read */

static struct lod_ahead_lists lists;
static const struct lod_ahead_job *job;

static void teardown(void)
{
    lod_ahead_lists_finish(&lists);
    cr_assert_eq(lists.records, 0);
}

TestSuite(ahead_lists, .fini = teardown);

/* Sends a list in which `count` records, from `first` on, begin at place `at`. */
static int update(uint64_t number, uint32_t at, uint32_t count, uint32_t done, uint32_t first)
{
    const struct lod_ahead_request request = {
        .job = number, .fidelity = LOD_Q1 + 3, .at = at, .count = count, .done = done};
    struct lod_ahead_entry *entries = calloc(ENTRIES_MAX, sizeof(*entries));

    for (uint32_t i = 0; i < count && i < ENTRIES_MAX; i++) {
        entries[i].record = first + i;
    }
    int error = lod_ahead_lists_update(&lists, 1, &request, entries, &job);
    free(entries);
    return error;
}

Test(ahead_lists, a_list_is_extended_replaced_cut_and_ended)
{
    cr_assert_eq(update(7, 0, 3, 0, 10), 0);
    cr_assert_eq(update(7, 3, 2, 1, 20), 0);
    cr_assert_eq(job->count, 5);
    cr_assert_eq(job->done, 1);
    cr_assert_eq(job->at[2].record, 12);
    cr_assert_eq(job->at[4].record, 21);
    cr_assert_eq(update(7, 2, 1, 2, 30), 0, "place 2 and behind it");
    cr_assert_eq(job->count, 3);
    cr_assert_eq(job->at[2].record, 30);
    cr_assert_eq(update(7, 1, 0, 0, 0), 0);
    cr_assert_eq(job->count, 1);
    cr_assert_eq(lists.records, 1);
    cr_assert_eq(update(7, 1, 0, 1, 0), 0, "only touched");
    cr_assert_eq(job->count, 1);
    cr_assert_eq(update(7, 0, 0, 0, 0), 0);
    cr_assert_null(job);
    cr_assert_eq(lists.count, 0);
    cr_assert_eq(update(7, 0, 0, 0, 0), 0, "ended twice");
    cr_assert_eq(update(7, 1, 0, 0, 0), -ESTALE, "a dropped list begins at 0 again");
}

Test(ahead_lists, two_jobs_with_one_number_have_one_list)
{
    cr_assert_eq(update(7, 0, 3, 0, 10), 0);
    cr_assert_eq(update(7, 0, 2, 0, 50), 0);
    cr_assert_eq(lists.count, 1);
    cr_assert_eq(job->at[0].record, 50);
    cr_assert_eq(lists.records, 2);
}

Test(ahead_lists, errors_change_nothing)
{
    struct lod_ahead_request request = {.job = 1, .fidelity = LOD_Q1};

    cr_assert_eq(update(1, 0, 3, 1, 10), 0);
    cr_assert_eq(update(1, 4, 1, 0, 20), -ESTALE, "a gap");
    cr_assert_eq(update(1, 3, 1, 5, 20), -EINVAL, "done is longer than the list");
    cr_assert_eq(update(1, UINT32_MAX, UINT32_MAX - 3, 0, 0), -ESTALE);
    request.at = 3;
    for (request.fidelity = 0; request.fidelity < 20; request.fidelity++) {
        const bool known = request.fidelity >= LOD_Q1 && request.fidelity <= LOD_ORIGINAL;
        cr_assert_eq(lod_ahead_lists_update(&lists, 1, &request, NULL, &job), known ? 0 : -EINVAL);
    }
    request.fidelity = LOD_FULL;
    request.keep_s = LOD_AHEAD_KEEP_S_MAX + 1;
    cr_assert_eq(lod_ahead_lists_update(&lists, 1, &request, NULL, &job), -EINVAL);
    request.keep_s = UINT32_MAX;
    cr_assert_eq(lod_ahead_lists_update(&lists, 1, &request, NULL, &job), -EINVAL);
    request.keep_s = LOD_AHEAD_KEEP_S_MAX;
    cr_assert_eq(lod_ahead_lists_update(&lists, 1, &request, NULL, &job), 0);
    cr_assert_eq(job->count, 3);
    cr_assert_eq(job->at[2].record, 12);
}

Test(ahead_lists, jobs_and_records_have_limits)
{
    for (unsigned i = 0; i < 1000; i++) {
        cr_assert_eq(update(i, 0, 1, 0, i), i < LOD_AHEAD_JOBS ? 0 : -E2BIG);
    }
    cr_assert_eq(lists.count, LOD_AHEAD_JOBS);
    cr_assert_eq(update(3, 0, 0, 0, 0), 0);
    cr_assert_eq(update(1000, 0, 1, 0, 5), 0, "room after one has ended");
    cr_assert_eq(update(5, 0, 100000, 0, 0), -E2BIG);
    cr_assert_eq(update(5, 0, LOD_AHEAD_RECORDS - LOD_AHEAD_JOBS + 1, 0, 0), 0);
    cr_assert_eq(update(6, 1, 1, 0, 0), -E2BIG);
    cr_assert_eq(update(5, 1, 7, 0, 0), 0, "a shorter list gives its room back");
    cr_assert_eq(update(6, 1, 1, 0, 0), 0);
}

Test(ahead_lists, an_untouched_list_is_dropped)
{
    const uint64_t second = LOD_SECOND_NS;
    struct lod_ahead_request request = {.job = 1, .fidelity = LOD_Q1, .count = 1, .keep_s = 5};
    const struct lod_ahead_entry entry = {.record = 3};

    cr_assert_eq(lod_ahead_lists_until(&lists), UINT64_MAX);
    cr_assert_eq(lod_ahead_lists_update(&lists, 100 * second, &request, &entry, &job), 0);
    request.job = 2;
    request.keep_s = 0;
    cr_assert_eq(lod_ahead_lists_update(&lists, 101 * second, &request, &entry, &job), 0);
    cr_assert_eq(lod_ahead_lists_until(&lists), 105 * second);
    cr_assert_eq(lod_ahead_lists_expire(&lists, 105 * second - 1), 0);
    cr_assert_eq(lod_ahead_lists_expire(&lists, 105 * second), 1);
    cr_assert_eq(lists.jobs[0].job, 2);
    cr_assert_eq(lod_ahead_lists_until(&lists), (101 + LOD_AHEAD_KEEP_S) * second);
    request.at = 1;
    request.count = 0;
    cr_assert_eq(lod_ahead_lists_update(&lists, 200 * second, &request, NULL, &job), 0, "touched");
    cr_assert_eq(lod_ahead_lists_until(&lists), (200 + LOD_AHEAD_KEEP_S) * second);
    cr_assert_eq(lod_ahead_lists_expire(&lists, UINT64_MAX), 1);
    cr_assert_eq(lists.count, 0);
}

/* Returns the groups of a record that jobs want, found by a walk over all their entries. */
static struct lod_ahead_want walked(uint32_t record)
{
    struct lod_ahead_want want = {0};

    for (unsigned i = 0; i < lists.count; i++) {
        for (size_t k = lists.jobs[i].done; k < lists.jobs[i].count; k++) {
            const struct lod_ahead_entry *at = &lists.jobs[i].at[k];
            if (at->record == record) {
                want.first = !want.listed || at->first < want.first ? at->first : want.first;
                want.last = at->last > want.last ? at->last : want.last;
                want.place = at->place > want.place ? at->place : want.place;
                want.listed = true;
            }
        }
    }
    return want;
}

static void check_wants(uint32_t records)
{
    for (uint32_t record = 0; record < records; record++) {
        const struct lod_ahead_want want = lod_ahead_lists_want(&lists, record),
                                    is = walked(record);
        cr_assert_eq(want.listed, is.listed);
        cr_assert_eq(want.first, is.first);
        cr_assert_eq(want.last, is.last);
        cr_assert_eq(want.place, is.place);
    }
}

/* Changes the list of one of three jobs at random: its end, all of it, or how much is done. */
static void change(uint32_t records)
{
    struct lod_ahead_entry entries[40];
    struct lod_ahead_request request = {.job = (unsigned)rand() % 3, .fidelity = LOD_Q1};

    for (unsigned i = 0; i < 40; i++) {
        const uint8_t first = (uint8_t)(1 + rand() % 5);
        entries[i] = (struct lod_ahead_entry){.record = (uint32_t)rand() % records,
                                              .first = first,
                                              .last = (uint8_t)(first + rand() % 5),
                                              .bytes = (uint64_t)rand() % 9,
                                              .copy_bytes = (uint64_t)rand() % 9};
    }
    request.at = (uint32_t)rand() % 40;
    request.count = (uint32_t)rand() % 40;
    request.done = request.count ? (uint32_t)rand() % (request.at + request.count) : 0;
    (void)!lod_ahead_lists_update(&lists, 1, &request, entries, &job);
}

Test(ahead_lists, what_jobs_want_of_a_record_is_found_as_by_a_walk)
{
    enum { RECORDS = 60 };

    srand(1);
    lod_ahead_lists_place(&lists, 0, 0);
    check_wants(RECORDS);
    for (unsigned i = 0; i < 2000; i++) {
        change(RECORDS);
        lod_ahead_lists_place(&lists, (uint64_t)rand() % 200, (uint64_t)rand() % 200);
        check_wants(RECORDS);
    }
    for (unsigned i = 0; i < 3; i++) {
        cr_assert_eq(update(i, 0, 0, 0, 0), 0);
    }
    check_wants(RECORDS);
}

Test(ahead_lists, the_longest_list_is_found)
{
    cr_assert_eq(update(1, 0, LOD_AHEAD_RECORDS, 0, 7), 0);
    lod_ahead_lists_place(&lists, 1, 1);
    for (uint32_t i = 0; i < LOD_AHEAD_RECORDS; i++) {
        cr_assert_eq(lod_ahead_lists_want(&lists, 7 + i).record, 7 + i);
    }
    cr_assert_not(lod_ahead_lists_want(&lists, 6).listed);
    cr_assert_not(lod_ahead_lists_want(&lists, 7 + LOD_AHEAD_RECORDS).listed);
}

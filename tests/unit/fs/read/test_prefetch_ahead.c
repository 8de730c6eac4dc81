/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of records that jobs announce: the order of loads, room, failures. */
#include "ahead_fixture.h"

TestSuite(prefetch_ahead, .fini = end);

Test(prefetch_ahead, a_list_costs_as_many_steps_as_it_has_entries)
{
    enum { COUNT = 20000, LOADED = 11 };
    static uint32_t list[COUNT];
    size_t steps = 0;

    for (uint32_t i = 0; i < COUNT; i++) {
        list[i] = i < COUNT / 2 ? i % LOADED : LOADED; /* the last record comes late */
    }
    begin(4 * COUNT);
    cr_assert_eq(announce(1, 2, 0, COUNT, 0, list), 0);
    const struct lod_ahead_job *job = &prefetch.lists.jobs[0];
    for (uint32_t i = 0; i <= LOADED; i++) {
        const size_t from = job->next;
        cr_assert_eq(load(2), i);
        steps += job->next - from + 1;
    }
    cr_assert_leq(steps, COUNT);
    for (unsigned i = 0; i < COUNT / 2; i++) {
        job->at[i].record = NONE; /* a walk that looked at these would load them */
    }
    cr_assert_eq(next(), NONE);
    cr_assert_eq(next(), NONE);
    cr_assert_eq(job->next, COUNT);
}

Test(prefetch_ahead, a_record_of_which_a_reader_leaves_less_is_loaded_again)
{
    const uint32_t list[] = {4, 5, 6};

    begin(100);
    cr_assert_eq(announce(1, 2, 0, 3, 0, list), 0);
    cr_assert_eq(load(2), 4);
    cr_assert_eq(load(2), 5);
    cr_assert_eq(next(), 6);
    cr_assert_eq(prefetch.lists.jobs[0].next, 2);
    end_load(4, 1, 0);
    cr_assert_eq(load(2), 4);
    cr_assert_eq(load(2), 6);
    cr_assert_eq(load(2), NONE);
}

Test(prefetch_ahead, records_are_loaded_in_the_order_of_the_list)
{
    const uint32_t list[] = {7, 3, 7, 9, 3};

    begin(100);
    cr_assert_eq(announce(1, 2, 0, 5, 0, list), 0);
    cr_assert_eq(answer.total, 5);
    cr_assert_eq(answer.ready, 0);
    cr_assert_eq(answer.bytes_missing, 10 * GROUP);
    cr_assert_eq(answer.bytes_room, budget);
    cr_assert_eq(load(2), 7);
    cr_assert_eq(load(2), 3);
    cr_assert_eq(announce(1, 2, 5, 0, 0, NULL), 0);
    cr_assert_eq(answer.ready, 3, "7, 3 and 7 again");
    cr_assert_eq(load(2), 9);
    cr_assert_eq(load(2), NONE);
    cr_assert_eq(announce(1, 2, 5, 0, 1, NULL), 0);
    cr_assert_eq(answer.ready, 4);
    cr_assert_eq(answer.bytes_missing, 0);
}

Test(prefetch_ahead, jobs_take_turns)
{
    const uint32_t one[] = {0, 1, 2}, two[] = {5, 6, 7};

    begin(100);
    cr_assert_eq(announce(1, 2, 0, 3, 0, one), 0);
    cr_assert_eq(announce(2, 2, 0, 3, 0, two), 0);
    cr_assert_eq(answer.bytes_room, budget / 2);
    const uint32_t first = load(2), second = load(2), third = load(2), fourth = load(2);
    cr_assert_eq(first + second, 0 + 5, "one of each");
    cr_assert_eq(third + fourth, 1 + 6);
    cr_assert_eq(load(2) + load(2), 2 + 7);
    cr_assert_eq(load(2), NONE);
}

Test(prefetch_ahead, a_list_is_loaded_as_far_as_its_room_goes)
{
    const uint32_t list[] = {0, 1, 2, 3, 4}, other[] = {9};

    begin(5); /* two records of two groups */
    cr_assert_eq(announce(1, 2, 0, 5, 0, list), 0);
    cr_assert_eq(load(2), 0);
    cr_assert_eq(load(2), 1);
    cr_assert_eq(load(2), NONE);
    cr_assert_eq(announce(1, 2, 5, 0, 1, NULL), 0);
    cr_assert_eq(answer.ready, 1);
    cr_assert_eq(load(2), 2);
    cr_assert_eq(load(2), NONE);
    cr_assert_eq(prefetch.held.count, 2, "the one that is done has left");
    cr_assert_eq(announce(2, 2, 0, 1, 0, other), 0);
    cr_assert_eq(prefetch.held.count, 1, "half of the room");
    cr_assert_eq(announce(2, 2, 0, 0, 0, NULL), 0);
    cr_assert_eq(load(2), 2, "and all of it again");
}

Test(prefetch_ahead, less_room_lets_go_of_the_end_of_a_list)
{
    const uint32_t list[] = {0, 1, 2};

    begin(6);
    cr_assert_eq(announce(1, 2, 0, 3, 0, list), 0);
    while (load(2) != NONE) {
    }
    cr_assert_eq(prefetch.held.count, 3);
    budget = 4 * GROUP;
    atomic_store(&prefetch.budget_bytes, budget);
    lod_prefetch_trim(&prefetch);
    cr_assert_eq(prefetch.held.count, 2);
    cr_assert_eq(announce(1, 2, 3, 0, 0, NULL), 0);
    cr_assert_eq(answer.ready, 2);
    cr_assert_eq(answer.bytes_room, 4 * GROUP);
    cr_assert_eq(answer.bytes_missing, 2 * GROUP);
}

Test(prefetch_ahead, a_failed_record_waits_for_the_next_request)
{
    const uint32_t list[] = {4, 5};

    begin(100);
    cr_assert_eq(announce(1, 2, 0, 2, 0, list), 0);
    cr_assert_eq(next(), 4);
    end_load(4, 2, -EIO);
    cr_assert_eq(load(2), 5);
    cr_assert_eq(load(2), NONE);
    cr_assert_eq(announce(1, 2, 2, 0, 0, NULL), 0);
    cr_assert_eq(answer.ready, 0);
    cr_assert_eq(answer.bytes_missing, 2 * GROUP);
    cr_assert_eq(load(2), 4);
    cr_assert_eq(announce(1, 2, 2, 0, 0, NULL), 0);
    cr_assert_eq(answer.ready, 2);
}

Test(prefetch_ahead, a_load_that_made_way_goes_on)
{
    const uint32_t list[] = {4, 5};

    begin(100);
    cr_assert_eq(announce(1, 2, 0, 2, 0, list), 0);
    cr_assert_eq(next(), 4);
    end_load(4, 2, -EAGAIN);
    cr_assert_eq(load(2), 4);
    cr_assert_eq(load(2), 5);
}

Test(prefetch_ahead, a_record_is_loaded_as_far_as_all_jobs_want_it)
{
    const uint32_t list[] = {4};
    enum lod_ahead_place place;

    begin(100);
    cr_assert_eq(announce(1, 2, 0, 1, 0, list), 0);
    cr_assert_eq(announce(2, 3, 0, 1, 0, list), 0);
    struct lod_groups groups = lod_prefetch_listed(&prefetch, 4, &place);
    cr_assert_eq(groups.first, 1);
    cr_assert_eq(groups.last, 3);
    cr_assert_eq(place, LOD_AHEAD_MEMORY);
    cr_assert_eq(lod_prefetch_listed(&prefetch, 5, &place).last, 0);
    cr_assert_eq(place, LOD_AHEAD_NOWHERE);
    end_load(4, 2, 0); /* by a reader of two groups */
    cr_assert_eq(load(3), 4);
    cr_assert_eq(load(3), NONE);
    for (uint64_t job = 1; job <= 2; job++) {
        cr_assert_eq(announce(job, 2, 1, 0, 0, NULL), 0);
        cr_assert_eq(answer.ready, 1);
    }
}

Test(prefetch_ahead, a_shared_store_is_looked_at_again_now_and_then)
{
    const uint32_t list[] = {4};

    begin(100);
    fetch.shared = true;
    cr_assert_eq(announce(1, 2, 0, 1, 0, list), 0);
    cr_assert_eq(load(2), 4);
    cr_assert_eq(load(2), NONE);
    cr_assert_eq(announce(1, 2, 1, 0, 0, NULL), 0);
    cr_assert_eq(answer.ready, 1);
    cr_assert_eq(load(2), NONE, "it was looked at just now");
    prefetch.check_ns = 0;
    cr_assert_eq(announce(1, 2, 1, 0, 0, NULL), 0);
    cr_assert_eq(load(2), 4);
    cr_assert_eq(load(2), NONE);
}

Test(prefetch_ahead, a_list_whose_time_is_over_is_dropped_with_its_records)
{
    const uint32_t list[] = {4, 5};

    begin(100);
    cr_assert_eq(announce(1, 2, 0, 2, 0, list), 0);
    cr_assert(lod_prefetch_has_lists(&prefetch));
    cr_assert_eq(load(2), 4);
    prefetch.lists.jobs[0].until_ns = 0;
    cr_assert_eq(load(2), NONE);
    cr_assert_not(lod_prefetch_has_lists(&prefetch));
    cr_assert_eq(prefetch.held.count, 0);
    cr_assert_eq(announce(1, 2, 2, 0, 0, NULL), -ESTALE);
    cr_assert_eq(announce(1, 2, 0, 1, 0, (const uint32_t[]){RECORDS}), -ENOENT);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of records that jobs announce: the order of loads, limits of memory, failures. No thread
 * loads here: the test asks for the next record, and says that it was loaded. */
#include "frames/prefetch.h"
#include "frames/prefetch_ahead.h"
#include "reader_fixture.h"

#define RECORDS 12u
#define ITEMS   20u
#define GROUP   (ITEMS * (uint64_t)FRAME_BYTES)
#define NONE    UINT32_MAX

static struct lod_fetch fetch;
static struct lod_prefetch prefetch;
static struct lod_ahead_answer answer;
static uint64_t room;

/* Records of ITEMS items of 3 groups of one size. */
static struct lod_item item_of(uint32_t number)
{
    struct lod_item of = item_in_record(number, ITEMS, 3);

    for (unsigned g = 0; g < LOD_GROUPS_MAX; g++) {
        of.recd.group_bytes[g] = g < 10 ? GROUP : 0;
    }
    of.recd.header_hash = 1000 + of.recd.number;
    return of;
}

/* Begins with room for so many groups of a record. */
static void begin(unsigned groups)
{
    items_of = item_of;
    items_end = RECORDS * ITEMS;
    room = groups * GROUP;
    fetch = (struct lod_fetch){.shared = false};
    cr_assert_eq(
        lod_prefetch_init(&prefetch, &fetch, &(struct lod_prefetch_options){.room_bytes = room}),
        0);
}

static void end(void)
{
    lod_prefetch_finish(&prefetch);
    cr_assert_eq(atomic_load(&fetch.pinned), 0);
}

TestSuite(prefetch_ahead, .fini = end);

static int announce(uint64_t job, unsigned fidelity, uint32_t at, uint32_t count, uint32_t done,
                    const uint32_t *records)
{
    const struct lod_ahead_request request = {.job = job,
                                              .fidelity = fidelity,
                                              .at = at,
                                              .count = count,
                                              .done = done,
                                              .records = records};

    return lod_prefetch_announce(&prefetch, &request, &answer);
}

/* Returns the record that would be loaded next. */
static uint32_t next(void)
{
    struct lod_ahead_entry entry;

    pthread_mutex_lock(&prefetch.lock);
    lod_prefetch_ahead_pass(&prefetch, room);
    const bool any = lod_prefetch_ahead_next(&prefetch, room, &entry);
    pthread_mutex_unlock(&prefetch.lock);
    return any ? entry.record : NONE;
}

static void end_load(uint32_t record, unsigned last, int error)
{
    struct lod_frame_pins pins = {.bytes = &fetch.pinned};

    lod_prefetch_hold(&prefetch, record, (struct lod_groups){1, last}, error, &pins);
}

/* Loads the next record, up to this group, and returns it. */
static uint32_t load(unsigned last)
{
    const uint32_t record = next();

    if (record != NONE) {
        end_load(record, last, 0);
    }
    return record;
}

/* Returns what the local copy needs for two groups of a record. */
static uint64_t copy_of_two(void)
{
    const struct lod_item of = item_of(0);

    return lod_load_whole(LOD_RECORD_HEADER + (uint64_t)of.recd.metadata_bytes + 2 * GROUP);
}

Test(prefetch_ahead, a_copy_of_the_store_gets_the_records_of_all_lists)
{
    const uint32_t list[] = {7, 3, 9};

    begin(100);
    listed_keys = 99;
    cr_assert_eq(announce(1, 2, 0, 3, 0, list), 0);
    cr_assert_eq(listed_keys, 99, "there is no copy");
    fetch.copies = true;
    cr_assert_eq(announce(2, 2, 0, 2, 0, list), 0);
    cr_assert_eq(listed_keys, 5);
    cr_assert_eq(listed_sum, 5029);
    cr_assert_eq(listed_bytes, 5 * copy_of_two());
    cr_assert_eq(listed_at[1], 1007, "jobs take turns");
    cr_assert_eq(announce(1, 2, 3, 0, 1, NULL), 0);
    cr_assert_eq(listed_sum, 4022, "7 is done, and the other job lists it");
    cr_assert_eq(announce(2, 2, 0, 0, 0, NULL), 0);
    cr_assert_eq(listed_sum, 2012);
    cr_assert_eq(announce(1, 2, 0, 0, 0, NULL), 0);
    cr_assert_eq(listed_keys, 0);
}

Test(prefetch_ahead, a_copy_gets_first_what_the_shares_of_jobs_have_room_for)
{
    const uint32_t small[] = {0, 1, 2}, large[] = {5, 6, 7};

    begin(1);
    fetch.copies = true;
    lists_room = 7 * copy_of_two(); /* a half has room for three of two groups, or one of six */
    cr_assert_eq(announce(1, 2, 0, 3, 0, small), 0);
    cr_assert_eq(announce(2, 6, 0, 3, 0, large), 0);
    cr_assert_eq(listed_at[0] + listed_at[1], 1000 + 1005);
    cr_assert_eq(listed_at[2], 1001);
    cr_assert_eq(listed_at[3], 1002, "before the second large one");
    cr_assert_eq(listed_keys, 6);
}

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
    cr_assert_eq(answer.bytes_room, room);
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
    cr_assert_eq(answer.bytes_room, room / 2);
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
    room = 4 * GROUP;
    atomic_store(&prefetch.room_bytes, room);
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
    prefetch.look_ns = 0;
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

/* Begins with room for two records in memory, and for so many in a local copy. */
static void begin_with_copy(unsigned records)
{
    begin(4);
    fetch.copies = true;
    copy_kept = true;
    copied_records = 0;
    copy_room = lists_room = records * copy_of_two();
}

/* Looks at the local copy for the next record, and loads it if that is necessary. */
static bool settle_next(void)
{
    const uint32_t record = next();
    enum lod_ahead_place place;
    const struct lod_groups groups = lod_prefetch_listed(&prefetch, record, &place);
    const struct lod_item of = item_of(record * ITEMS);

    if (record == NONE) {
        return false;
    }
    cr_assert_eq(place, LOD_AHEAD_COPY);
    if (!lod_prefetch_settle_copy(&prefetch, &of.recd, groups)) {
        copied_records |= 1u << record;
        end_load(record, 2, 0);
    }
    return true;
}

Test(prefetch_ahead, what_memory_has_no_room_for_goes_into_a_larger_copy)
{
    const uint32_t list[] = {0, 1, 2, 3, 4};

    begin_with_copy(4);
    cr_assert_eq(announce(1, 2, 0, 5, 0, list), 0);
    cr_assert_geq(answer.bytes_room, 7 * GROUP, "the copy's, without the heads of records");
    cr_assert_leq(answer.bytes_room, 8 * GROUP);
    cr_assert_eq(load(2), 0);
    cr_assert_eq(load(2), 1);
    cr_assert(settle_next());
    cr_assert(settle_next());
    cr_assert_not(settle_next(), "the copy has no room for 4");
    cr_assert_eq(announce(1, 2, 5, 0, 0, NULL), 0);
    cr_assert_eq(answer.ready, 4);
    cr_assert_eq(answer.bytes_missing, 2 * GROUP);
    lists_room = 0; /* its disk is gone */
    cr_assert_eq(announce(1, 2, 5, 0, 0, NULL), 0);
    cr_assert_eq(answer.ready, 2);
    cr_assert_eq(answer.bytes_room, room);
}

Test(prefetch_ahead, a_record_that_the_copy_has_lost_is_loaded_again)
{
    const uint32_t list[] = {0, 1, 2};

    begin_with_copy(4);
    copied_records = 4; /* an earlier mount left it */
    cr_assert_eq(announce(1, 2, 0, 3, 0, list), 0);
    while (prefetch.held.count < 2) {
        load(2);
    }
    cr_assert(settle_next());
    cr_assert_not(settle_next());
    copied_records = 0;
    prefetch.look_ns = 0;
    cr_assert_eq(announce(1, 2, 3, 0, 0, NULL), 0);
    cr_assert_eq(answer.ready, 3, "nobody has looked yet");
    cr_assert_eq(lod_prefetch_ahead_stats(&prefetch).ready, 3);
    while (next() < 2) {
        load(2); /* no pins are in this test: those in memory are looked at too */
    }
    copy_room = 0;
    cr_assert(settle_next());
    cr_assert_eq(announce(1, 2, 3, 0, 0, NULL), 0);
    cr_assert_eq(answer.ready, 2);
    copy_room = copy_of_two();
    cr_assert(settle_next());
    cr_assert_eq(announce(1, 2, 3, 0, 0, NULL), 0);
    cr_assert_eq(answer.ready, 3);
}

Test(prefetch_ahead, a_copy_without_room_is_looked_at_again_soon)
{
    const uint32_t list[] = {0, 1, 2};

    begin_with_copy(4);
    copy_room = 0;
    cr_assert_eq(announce(1, 2, 0, 3, 0, list), 0);
    while (prefetch.held.count < 2) {
        load(2);
    }
    cr_assert(settle_next());
    cr_assert_not(settle_next());
    cr_assert_neq(prefetch.again_ns, 0);
    prefetch.again_ns = 1;
    copy_room = copy_of_two();
    cr_assert(settle_next());
    cr_assert_eq(prefetch.again_ns, 0);
    cr_assert_eq(announce(1, 2, 3, 0, 0, NULL), 0);
    cr_assert_eq(answer.ready, 3);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The table of loads in flight: which loads may begin, and which give up their slot. */
#include <criterion/criterion.h>

#include "frames/load_rate.h"
#include "frames/load_slots.h"

#define AHEAD  true
#define READER false
#define MS     1000000ull

static struct lod_load_slots slots;

static void begin(unsigned limit, unsigned most)
{
    slots = (struct lod_load_slots){.window = {.limit = limit, .most = most}};
}

Test(load_slots, a_disk_has_one_load_which_makes_way_for_a_reader)
{
    begin(1, 1);
    cr_assert(lod_load_slots_may(&slots, AHEAD));
    struct lod_load *load = lod_load_slots_begin(&slots, 7, AHEAD);
    cr_assert_eq(lod_load_slots_find(&slots, 7), load);
    cr_assert_null(lod_load_slots_find(&slots, 8));
    cr_assert_not(lod_load_slots_may(&slots, AHEAD));
    cr_assert_not(lod_load_slots_may(&slots, READER));
    lod_load_slots_join(&slots, load);
    cr_assert(load->ahead, "another reader may still take its slot");
    cr_assert(lod_load_slots_step(&slots, load, 0));
    slots.waiting = 1;
    cr_assert_not(lod_load_slots_step(&slots, load, 0));
    lod_load_slots_end(&slots, load);
    cr_assert_not(lod_load_slots_may(&slots, AHEAD), "the reader comes first");
    cr_assert(lod_load_slots_may(&slots, READER));
    cr_assert_eq(load->steps, 3);
}

Test(load_slots, readers_have_one_slot_more_than_loads_ahead)
{
    begin(4, 12);
    for (uint32_t i = 0; i < 4; i++) {
        cr_assert(lod_load_slots_may(&slots, AHEAD));
        lod_load_slots_begin(&slots, i, AHEAD);
    }
    cr_assert_not(lod_load_slots_may(&slots, AHEAD));
    cr_assert(lod_load_slots_may(&slots, READER));
    lod_load_slots_begin(&slots, 9, READER);
    cr_assert_not(lod_load_slots_may(&slots, READER));
    cr_assert_eq(slots.ahead, 4);
    lod_load_slots_end(&slots, lod_load_slots_find(&slots, 2));
    cr_assert_null(lod_load_slots_find(&slots, 2));
    cr_assert(lod_load_slots_may(&slots, READER));
    cr_assert_not(lod_load_slots_may(&slots, AHEAD));
}

Test(load_slots, parts_of_a_load_fill_the_window_that_others_leave)
{
    begin(4, 12);
    lod_load_slots_begin(&slots, 0, READER);
    cr_assert_eq(lod_load_slots_parts(&slots), 4);
    lod_load_slots_begin(&slots, 1, AHEAD);
    cr_assert_eq(lod_load_slots_parts(&slots), 3);
    slots.window.limit = 1; /* the store has asked for fewer requests */
    cr_assert_eq(lod_load_slots_parts(&slots), 1);
    begin(1, 1);
    lod_load_slots_begin(&slots, 0, READER);
    cr_assert_eq(lod_load_slots_parts(&slots), 1, "a disk");
}

/* Begins as many loads ahead of this size as may be in flight. */
static unsigned fill(uint64_t bytes)
{
    unsigned count = 0;

    for (; lod_load_slots_may(&slots, AHEAD); count++) {
        lod_load_slots_begin(&slots, count, AHEAD)->expected = bytes;
    }
    return count;
}

Test(load_slots, small_loads_fill_the_window_by_their_bytes)
{
    begin(4, 12);
    cr_assert_eq(fill(300 << 10), 12);
    cr_assert(lod_load_slots_may(&slots, READER), "readers still have one more");
    begin(4, 12);
    cr_assert_eq(fill(2 << 20), 10, "of 2 MiB, until there are 20");
    begin(4, 12);
    cr_assert_eq(fill(64 << 20), 4, "a request has 5 MiB at most");
    begin(4, 12);
    cr_assert_eq(fill(0), 4, "their size is not known");
    begin(2, 12);
    slots.window.first = 4;
    cr_assert_eq(fill(1000), 2, "the store has asked for fewer requests");
    begin(1, 1);
    cr_assert_eq(fill(1000), 1, "a disk");
}

Test(load_slots, as_many_loads_make_way_as_readers_wait)
{
    struct lod_load *loads[4];

    begin(4, 4);
    for (uint32_t i = 0; i < 4; i++) {
        loads[i] = lod_load_slots_begin(&slots, i, AHEAD);
    }
    lod_load_slots_begin(&slots, 9, READER);
    slots.waiting = 2;
    unsigned go_on = 0;
    for (unsigned i = 0; i < 4; i++) {
        go_on += lod_load_slots_step(&slots, loads[i], 0);
    }
    cr_assert_eq(go_on, 2);
    cr_assert_not(lod_load_slots_step(&slots, loads[0], 0), "it has been told once");
    lod_load_slots_end(&slots, loads[0]);
    cr_assert_eq(slots.yields, 1);
    lod_load_slots_join(&slots, loads[3]);
    slots.waiting = 4;
    cr_assert(lod_load_slots_step(&slots, loads[3], 0), "a reader waits for it");
}

Test(load_slots, beside_a_reader_outside_the_lists_few_loads_go_on)
{
    struct lod_load *loads[4];

    begin(5, 5);
    for (uint32_t i = 0; i < 4; i++) {
        loads[i] = lod_load_slots_begin(&slots, i, AHEAD);
    }
    struct lod_load *unlisted = lod_load_slots_begin(&slots, 9, READER);
    lod_load_slots_set_unlisted(&slots, unlisted);
    cr_assert_eq(slots.unlisted, 1);
    slots.ahead_most = 3;
    cr_assert_not(lod_load_slots_may(&slots, AHEAD));
    unsigned go_on = 0;
    for (unsigned i = 0; i < 4; i++) {
        go_on += lod_load_slots_step(&slots, loads[i], 0);
    }
    cr_assert_eq(go_on, 3);
    lod_load_slots_end(&slots, loads[0]);
    cr_assert_eq(slots.ahead, 3);
    cr_assert(lod_load_slots_step(&slots, loads[1], 0));
    cr_assert_not(lod_load_slots_may(&slots, AHEAD));
    lod_load_slots_end(&slots, unlisted);
    cr_assert_eq(slots.unlisted, 0);
    slots.ahead_most = 0;
    cr_assert(lod_load_slots_may(&slots, AHEAD));
}

Test(load_slots, bytes_that_are_still_to_come_are_counted)
{
    begin(2, 2);
    struct lod_load *one = lod_load_slots_begin(&slots, 1, AHEAD),
                    *two = lod_load_slots_begin(&slots, 2, AHEAD);
    one->expected = 1000;
    two->expected = 500;
    cr_assert(lod_load_slots_step(&slots, one, 300));
    cr_assert_eq(lod_load_slots_expected(&slots), 1200);
    cr_assert(lod_load_slots_step(&slots, two, 900), "gaps were read, too");
    cr_assert_eq(lod_load_slots_expected(&slots), 700);
    lod_load_slots_end(&slots, one);
    cr_assert_eq(lod_load_slots_expected(&slots), 0);
}

/* Two parallel loads of 10 MB, in .2 s, after a pause. */
Test(load_rate, loads_side_by_side_count_their_time_once)
{
    struct lod_load_rate rate = {0};

    cr_assert_eq(lod_load_rate_now(&rate), 0);
    lod_load_rate_pass(&rate, 5000 * MS, false);
    lod_load_rate_pass(&rate, 5010 * MS, true);
    lod_load_rate_pass(&rate, 5150 * MS, true);
    rate.bytes += 10000000;
    lod_load_rate_pass(&rate, 5200 * MS, true);
    rate.bytes += 10000000;
    cr_assert_eq(lod_load_rate_now(&rate), 100000000);
    lod_load_rate_pass(&rate, 9200 * MS, false);
    cr_assert_eq(lod_load_rate_now(&rate), 100000000);
    for (unsigned i = 1; i < 100; i++) {
        lod_load_rate_pass(&rate, (9200 + 100 * i) * MS, true);
        rate.bytes += 1000000;
    }
    cr_assert_lt(lod_load_rate_now(&rate), 12000000, "old loads weigh less and less");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "warmup/warm_turns.h"

#include <criterion/criterion.h>
#include <errno.h>

#include "backend/store.h"
#include "clock.h"

#define MOST  8u
#define LOADS 400u
#define MS_NS 1000000ull

/* Ends loads as a store would that is faster with more of them, up to `useful` at a time. Returns
 * the loads in flight at the end. */
static unsigned run(struct lod_warm_turns *turns, unsigned useful)
{
    const uint64_t load_ns = 40 * MS_NS;
    uint64_t begun[MOST], now = load_ns, bytes = 0;
    unsigned in_flight = 0;

    for (unsigned i = 0; i < LOADS; i++) {
        while (in_flight < turns->window.limit) {
            cr_assert_eq(lod_warm_turns_take(turns, NULL, &bytes), 0);
            begun[in_flight++] = now;
        }
        cr_assert_eq(bytes, LOD_SLICE_BYTES);
        now += load_ns / (in_flight < useful ? in_flight : useful);
        lod_warm_turns_end(turns, &(struct lod_load_ended){
                                      .begun_ns = begun[0], .ended_ns = now, .bytes = 5u << 20});
        in_flight--;
        for (unsigned n = 0; n < in_flight; n++) {
            begun[n] = begun[n + 1];
        }
        cr_assert_leq(turns->loads, MOST);
    }
    return turns->loads + 1;
}

Test(warm_turns, as_many_loads_as_make_all_of_them_faster)
{
    for (unsigned useful = 1; useful <= MOST; useful++) {
        struct lod_warm_turns turns;
        lod_warm_turns_init(&turns, MOST, false, NULL);
        cr_assert_eq(turns.window.limit, 1);
        const unsigned loads = run(&turns, useful);
        cr_expect(loads >= useful && loads <= useful + 1, "%u of %u", loads, useful);
        lod_warm_turns_finish(&turns);
    }
}

Test(warm_turns, a_number_that_the_user_gave_stays)
{
    struct lod_warm_turns turns;

    lod_warm_turns_init(&turns, 3, true, NULL);
    cr_assert_eq(run(&turns, 1), 3);
    lod_warm_turns_finish(&turns);
}

Test(warm_turns, a_wait_for_a_turn_ends_with_the_command)
{
    struct lod_warm_turns turns;
    struct lod_cancel stop = {.watched = true, .seen = 2};
    uint64_t bytes = 0;

    lod_warm_turns_init(&turns, MOST, false, NULL);
    cr_assert_eq(lod_warm_turns_take(&turns, NULL, &bytes), 0);
    cr_assert_eq(lod_warm_turns_take(&turns, &stop, &bytes), -EINTR);
    cr_assert_eq(turns.loads, 1);
    lod_warm_turns_finish(&turns);
}

Test(warm_turns, readers_keep_four_fifths_of_the_time)
{
    const uint64_t began = lod_clock_ns(), load_ns = 10 * MS_NS;
    struct lod_warm_turns turns;
    uint64_t bytes = 0;

    lod_warm_turns_init(&turns, MOST, false, NULL);
    turns.window.limit = MOST;
    turns.readers.reading = true;
    for (unsigned i = 0; i < 4; i++) {
        cr_assert_eq(lod_warm_turns_take(&turns, NULL, &bytes), 0);
        cr_assert_eq(bytes, 1u << 20);
        const uint64_t now = lod_clock_ns();
        cr_assert_geq(now - began, i * 4 * load_ns, "load %u", i);
        lod_warm_turns_end(&turns, &(struct lod_load_ended){
                                       .begun_ns = now - load_ns, .ended_ns = now, .bytes = bytes});
    }
    cr_assert_eq(turns.window.loads, 0); /* small loads do not measure the line */
    lod_warm_turns_finish(&turns);
}

Test(warm_turns, beside_readers_one_load_is_in_flight)
{
    struct lod_cancel stop = {.watched = true, .seen = 2};
    struct lod_warm_turns turns;
    uint64_t bytes = 0;

    lod_warm_turns_init(&turns, MOST, false, NULL);
    turns.window.limit = MOST;
    turns.readers.reading = true;
    cr_assert_eq(lod_warm_turns_take(&turns, NULL, &bytes), 0);
    cr_assert_eq(lod_warm_turns_take(&turns, &stop, &bytes), -EINTR);
    turns.readers.reading = false;
    cr_assert_eq(lod_warm_turns_take(&turns, NULL, &bytes), 0);
    cr_assert_eq(bytes, LOD_SLICE_BYTES);
    lod_warm_turns_finish(&turns);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The windows of mini-epochs, over lists of bytes. */
#include <criterion/criterion.h>
#include <math.h>

#include "met_rules.h"
#include "order/met_window.h"

#define CHAIN 4000

static uint64_t bytes[CHAIN];

/*
 * Moves a window `moves` times over extents of 7 to 13 bytes. Counts how often each was dealt, and
 * checks that the window keeps within its bytes. `rate` extents are loaded during a repeat, as far
 * as they fit.
 */
static uint32_t walk(const struct lod_met_rules *rules, uint64_t room, uint32_t rate,
                     unsigned moves, uint32_t *dealt)
{
    struct lod_met_window window;
    struct lod_met_scores scores = {.count = 0};
    struct lod_met_moment now = {.room = room};
    uint32_t first = 0, loaded = 0;

    for (uint32_t i = 0; i < CHAIN; i++) {
        bytes[i] = 7 + i * 5 % 7;
    }
    struct lod_met_chain chain = {.bytes = bytes, .count = CHAIN};
    lod_met_window_cut(&window, rules, &chain, &now);
    for (unsigned m = 0; m < moves; m++) {
        const uint32_t extents = lod_met_window_extents(&window);
        struct lod_met_left left;
        uint64_t sum = 0, held = 0;

        for (uint32_t i = 0; i < extents; i++) {
            dealt[first + i]++;
            sum += bytes[first + i];
        }
        cr_assert(extents == 1 || sum <= lod_met_window_bytes(rules, &now, UINT32_MAX));
        loaded = (loaded > first + extents ? loaded : first + extents) + extents * rate / 100;
        for (now.loaded = 0; first + now.loaded < loaded && held <= room; now.loaded++) {
            held += bytes[first + now.loaded];
        }
        chain = (struct lod_met_chain){.bytes = bytes + first, .count = CHAIN - first};
        lod_met_window_move(&window, rules, &scores, &chain, &now, &left);
        first += left.extents;
    }
    return first;
}

Test(met_windows, each_extent_is_dealt_exactly_as_often_as_a_fixed_number_says)
{
    for (uint32_t rf = 1; rf <= 48; rf += rf < 8 ? 1 : 13) {
        for (int block = 0; block < 2; block++) {
            uint32_t dealt[CHAIN] = {0};
            struct lod_met_rules rules = fixed(rf);
            rules.shape = block ? LOD_MET_BLOCK : LOD_MET_SLIDE;
            const uint32_t first = walk(&rules, 1500, 0, 100, dealt);
            uint32_t window = 0;
            while (dealt[window] && !block && window < 112) {
                window++;
            }
            cr_assert_gt(first, 0);
            for (uint32_t i = 0; i < first; i++) {
                const bool begun = !block && i < window && dealt[i] <= rf;
                cr_assert(dealt[i] == rf || begun, "rf %u: extent %u %u times", rf, i, dealt[i]);
            }
        }
    }
}

Test(met_windows, a_part_of_a_sliding_window_changes_after_each_repeat)
{
    const struct lod_met_rules rules = fixed(4);
    uint32_t dealt[CHAIN] = {0};
    const uint32_t first = walk(&rules, 4000, 0, 1, dealt);

    cr_assert(first > 60 && first < 90, "%u of 300 left", first);
}

Test(met_windows, auto_repeats_as_often_as_loading_takes)
{
    const struct lod_met_rules rules = rules_of(LOD_MET_AUTO);

    /* 25 of 100 extents are loaded while 100 are dealt, so each is dealt 4 times. */
    for (uint32_t rate = 100; rate >= 13; rate /= 2) {
        uint32_t dealt[CHAIN] = {0};
        const uint32_t first = walk(&rules, 2000, rate, 30, dealt);
        uint64_t sum = 0;
        for (uint32_t i = 0; i < first; i++) {
            cr_assert(dealt[i] >= 1 && dealt[i] <= 8);
            sum += dealt[i];
        }
        const double mean = (double)sum / first;
        cr_assert(fabs(mean - 100.0 / rate) < 1, "%u a repeat: %f", rate, mean);
    }
}

static struct lod_met_chain chain_of_tens(void)
{
    static uint64_t tens[CHAIN];

    for (uint32_t i = 0; i < CHAIN; i++) {
        tens[i] = 10;
    }
    return (struct lod_met_chain){.bytes = tens, .count = CHAIN};
}

/* Repeats a window of extents of 10 bytes, of which `loaded` of a hundred are loaded meanwhile. */
static uint32_t repeated(struct lod_met_window *window, uint64_t room, uint32_t loaded,
                         unsigned times)
{
    const struct lod_met_rules rules = rules_of(LOD_MET_AUTO);
    const struct lod_met_chain chain = chain_of_tens();
    struct lod_met_scores scores = {.count = 0};
    struct lod_met_left left;

    for (unsigned i = 0; i < times; i++) {
        const uint32_t extents = lod_met_window_extents(window);
        const uint32_t ready = extents + extents * loaded / 100;
        const struct lod_met_moment now = {
            .room = room, .loaded = ready < room / 10 ? ready : (uint32_t)(room / 10)};
        if (!extents) {
            lod_met_window_cut(window, &rules, &chain, &now);
        } else {
            lod_met_window_move(window, &rules, &scores, &chain, &now, &left);
        }
    }
    return lod_met_window_extents(window);
}

Test(met_windows, auto_has_a_larger_window_where_the_next_part_is_small)
{
    struct lod_met_window window = {.count = 0};

    cr_assert_eq(repeated(&window, 4000, 0, 1), 200);
    cr_assert_eq(repeated(&window, 4000, 25, 20), 300, "a quarter is loaded in a repeat");
    cr_assert_eq(repeated(&window, 4000, 100, 20), 200, "all that has room is");
    cr_assert_eq(repeated(&window, 4000, 20, 20), 300, "a fifth is");
    cr_assert_eq(repeated(&window, 400, 20, 1), 27, "30 have room, and an eighth of them leaves");
}

Test(met_windows, auto_deals_no_extent_more_than_rf_max_times_and_at_least_rf_min_times)
{
    struct lod_met_rules rules = rules_of(LOD_MET_AUTO);
    uint32_t none[CHAIN] = {0}, many[CHAIN] = {0};
    uint32_t first = walk(&rules, 2000, 0, 60, none);

    cr_assert_gt(first, 600);
    for (uint32_t i = 0; i < first; i++) {
        cr_assert_leq(none[i], 8);
        cr_assert(i < 300 || none[i] == 8, "extent %u: %u", i, none[i]);
    }
    rules.rf_min = 3;
    first = walk(&rules, 2000, 500, 30, many);
    cr_assert_gt(first, 300);
    for (uint32_t i = 0; i < first; i++) {
        cr_assert_eq(many[i], 3);
    }
}

/* With few or none loaded, all would reach their limit at once, and be replaced as a whole. */
Test(met_windows, auto_replaces_a_part_of_its_window_where_the_store_is_too_slow_for_rf_max)
{
    for (uint32_t loaded = 0; loaded < 10; loaded += 2) {
        struct lod_met_window window = {.count = 0};
        for (unsigned times = 1; times < 60; times++) {
            const uint32_t extents = repeated(&window, 4000, loaded, 1);
            const struct lod_met_group *newest = &window.groups[window.count - 1];
            cr_assert_geq(extents, 200, "%u loaded, %u repeats: %u", loaded, times, extents);
            cr_assert(times < 20 || newest->repeats || newest->extents <= 300 / 8 + 1,
                      "%u loaded, %u repeats: %u are new", loaded, times, newest->extents);
        }
    }
}

/* A window that was made small grows again. So what enters is no reason for older extents to leave,
 * which only extents that are not loaded could replace. */
Test(met_windows, auto_adds_no_extent_that_is_not_loaded_while_its_window_grows)
{
    const struct lod_met_rules rules = rules_of(LOD_MET_AUTO);
    const struct lod_met_chain chain = chain_of_tens();
    const struct lod_met_moment now = {.room = 260, .loaded = 16};
    struct lod_met_window window = {.count = 2, .groups = {{6, 1}, {7, 0}}};
    struct lod_met_scores scores = {.count = 0};
    struct lod_met_left left;

    cr_assert_eq(lod_met_window_move(&window, &rules, &scores, &chain, &now, &left), REPEAT);
    cr_assert_eq(lod_met_window_extents(&window), 16);
    cr_assert_eq(left.extents, 0);
}

Test(met_windows, a_window_shrinks_with_its_room_to_one_extent_at_least)
{
    static const uint64_t ten[] = {10, 10, 10, 10, 10, 10, 10, 10, 10, 10};
    const struct lod_met_chain chain = {.bytes = ten, .count = 10};
    struct lod_met_moment now = {.room = 80};
    struct lod_met_scores scores = {.count = 0};
    struct lod_met_window window;
    struct lod_met_left left;
    const struct lod_met_rules rules = fixed(4);

    lod_met_window_cut(&window, &rules, &chain, &now);
    cr_assert_eq(lod_met_window_extents(&window), 6);
    now.room = 3;
    cr_assert_eq(lod_met_window_move(&window, &rules, &scores, &chain, &now, &left), ADVANCE);
    cr_assert_eq(lod_met_window_extents(&window), 1);
    cr_assert_eq(left.extents, 5);
}

Test(met_windows, a_window_that_waits_stays_until_it_is_tired)
{
    static const uint64_t ten[] = {10, 10, 10, 10, 10, 10, 10, 10, 10, 10};
    const struct lod_met_chain chain = {.bytes = ten, .count = 10};
    struct lod_met_moment now = {.room = 80, .loaded = 6};
    struct lod_met_scores scores = {.count = 0};
    struct lod_met_window window, before;
    struct lod_met_left left;
    struct lod_met_rules rules = fixed(2);

    rules.wait = true;
    lod_met_window_cut(&window, &rules, &chain, &now);
    before = window;
    now.loaded = lod_met_window_extents(&window);
    cr_assert_eq(lod_met_window_move(&window, &rules, &scores, &chain, &now, &left), WAIT);
    cr_assert_arr_eq(&window, &before, sizeof(window));
    now.tired = true;
    cr_assert_eq(lod_met_window_move(&window, &rules, &scores, &chain, &now, &left), ADVANCE);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Mini-epochs: verdicts by a table, and windows over lists of bytes.
 * test_met_jobs.c has the rest. */
#include <criterion/criterion.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "met_rules.h"
#include "order/met_state.h"

/* -------------------------------------------------------------------------------- verdicts */

static const struct verdict {
    enum lod_met_policy policy;
    uint32_t rf; /* of fixed */
    uint32_t rf_min, rf_max, patience;
    bool wait, not_loaded;
    uint32_t done;
    double scores[8]; /* up to the first 0 */
    enum lod_met_verdict verdict;
    double epochs;
} verdicts[] = {
    {LOD_MET_SCORE, 0, 1, 8, 1, 0, 0, 1, {.50}, REPEAT, 0},
    {LOD_MET_SCORE, 0, 1, 8, 1, 0, 0, 2, {.50, .55}, REPEAT, 0},
    {LOD_MET_SCORE, 0, 1, 8, 1, 0, 0, 3, {.50, .55, .55}, ADVANCE, 0},
    {LOD_MET_SCORE, 0, 1, 8, 1, 0, 1, 3, {.50, .55, .55}, REPEAT, 0},
    {LOD_MET_SCORE, 0, 1, 8, 1, 1, 1, 3, {.50, .55, .55}, WAIT, 0},
    {LOD_MET_SCORE, 0, 1, 8, 2, 0, 0, 3, {.50, .55, .54}, REPEAT, 0},
    {LOD_MET_SCORE, 0, 1, 8, 2, 0, 0, 4, {.50, .55, .54, .55}, ADVANCE, 0},
    {LOD_MET_SCORE, 0, 1, 8, 1, 0, 0, 2, {.50, NAN}, ADVANCE, 0},
    {LOD_MET_SCORE, 0, 1, 8, 1, 0, 0, 2, {.50, INFINITY}, ADVANCE, 0},
    {LOD_MET_SCORE, 0, 1, 8, 1, 0, 0, 3, {.50, -INFINITY, .51}, REPEAT, 0},
    {LOD_MET_SCORE, 0, 4, 8, 1, 0, 0, 3, {.50, .40, .30}, REPEAT, 0},
    {LOD_MET_SCORE, 0, 1, 2, 1, 0, 0, 2, {.50, .60}, ADVANCE, 0},
    {LOD_MET_SCORE, 0, 1, 2, 1, 0, 1, 2, {.50, .60}, ADVANCE, 0},
    {LOD_MET_SCORE, 0, 1, 2, 1, 1, 1, 2, {.50, .60}, WAIT, 0},
    {LOD_MET_BOLLINGER, 0, 1, 8, 1, 0, 0, 1, {.5, .5, .6, .6, .46}, REPEAT, 0},
    {LOD_MET_BOLLINGER, 0, 1, 8, 1, 0, 0, 1, {.5, .5, .6, .6, .44}, ADVANCE, 0},
    {LOD_MET_BOLLINGER, 0, 1, 8, 1, 0, 1, 1, {.5, .5, .6, .6, .44}, REPEAT, 0},
    {LOD_MET_BOLLINGER, 0, 1, 8, 1, 0, 0, 1, {.5, .5, .6, .6, NAN}, ADVANCE, 0},
    {LOD_MET_BOLLINGER, 0, 1, 8, 1, 0, 0, 1, {.5, .5, .6, .6, NAN, .46}, REPEAT, 0},
    {LOD_MET_BOLLINGER, 0, 1, 8, 1, 0, 0, 1, {.5, .5, .6, .1}, REPEAT, 0},
    {LOD_MET_BOLLINGER, 0, 1, 8, 1, 0, 0, 1, {.5, .5, .6, NAN}, REPEAT, 0},
    {LOD_MET_BOLLINGER, 0, 1, 8, 1, 0, 0, 1, {.7, .7, .7, .7, .7, .7}, REPEAT, 0},
    {LOD_MET_FIXED, 4, 1, 8, 1, 0, 0, 3, {0}, REPEAT, 0},
    {LOD_MET_FIXED, 4, 1, 8, 1, 0, 0, 4, {0}, ADVANCE, 0},
    {LOD_MET_FIXED, 4, 1, 8, 1, 0, 1, 4, {0}, ADVANCE, 0},
    {LOD_MET_FIXED, 4, 1, 8, 1, 1, 1, 4, {0}, WAIT, 0},
    {LOD_MET_FIXED, 9, 1, 8, 1, 0, 0, 8, {0}, REPEAT, 16},
    {LOD_MET_AUTO, 0, 1, 8, 1, 0, 0, 1, {0}, ADVANCE, 0},
    {LOD_MET_AUTO, 0, 1, 8, 1, 0, 1, 1, {0}, REPEAT, 0},
    {LOD_MET_AUTO, 0, 1, 8, 1, 0, 0, 8, {0}, ADVANCE, 0},
    {LOD_MET_AUTO, 0, 1, 8, 1, 0, 1, 8, {0}, ADVANCE, 0},
    {LOD_MET_AUTO, 0, 1, 8, 1, 1, 1, 8, {0}, WAIT, 0},
    {LOD_MET_AUTO, 0, 2, 8, 1, 0, 0, 1, {0}, REPEAT, 0},
    {LOD_MET_AUTO, 0, 1, 8, 1, 0, 1, 4, {0}, ADVANCE, 32},
    {LOD_MET_AUTO, 0, 1, 8, 1, 0, 1, 3, {0}, REPEAT, 32},
    {LOD_MET_AUTO, 0, 1, 8, 1, 0, 1, 1, {0}, ADVANCE, 3},
};

Test(met, verdicts_are_those_of_the_table)
{
    for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
        const struct verdict *v = &verdicts[i];
        struct lod_met_rules rules = v->rf ? fixed(v->rf) : rules_of(v->policy);
        struct lod_met_scores scores = {.count = 0};

        rules.rf_min = v->rf_min;
        rules.rf_max = v->rf_max;
        rules.patience = v->patience;
        rules.wait = v->wait;
        rules.epochs = v->epochs;
        for (unsigned s = 0; s < 8 && v->scores[s] != 0; s++) {
            lod_met_scores_add(&scores, &rules, v->scores[s]);
        }
        cr_assert_eq(lod_met_decide(&rules, &scores, v->done, 0, !v->not_loaded), v->verdict,
                     "row %zu", i);
    }
}

Test(met, only_the_newest_twenty_scores_are_remembered)
{
    const struct lod_met_rules rules = rules_of(LOD_MET_BOLLINGER);
    struct lod_met_scores scores = {.count = 0};

    for (unsigned i = 0; i < 100; i++) {
        lod_met_scores_add(&scores, &rules, i < 80 ? .1 : .5 + (i % 2) * .1);
    }
    cr_assert_eq(scores.count, LOD_MET_SCORES_MAX);
    lod_met_scores_add(&scores, &rules, .44);
    cr_assert(scores.below);
}

Test(met, equal_scores_are_never_below_their_band)
{
    const struct lod_met_rules rules = rules_of(LOD_MET_BOLLINGER);

    for (unsigned k = 1; k < 97; k++) {
        struct lod_met_scores scores = {.count = 0};
        for (unsigned i = 0; i < 25; i++) {
            lod_met_scores_add(&scores, &rules, k / 97.0);
            cr_assert(!scores.below, "%u / 97, score %u", k, i);
        }
    }
}

Test(met, a_list_of_repeats_holds_from_its_epochs_on)
{
    struct lod_met_rules rules = fixed(1);
    const char *why = NULL;

    rules.steps_count = 2;
    rules.steps[1] = (struct lod_met_step){.epoch = 5, .rf = 4};
    cr_assert_eq(lod_met_rules_check(&rules, &why), 0);
    cr_assert_eq(lod_met_rules_rf_max(&rules, 4.99), 1);
    cr_assert_eq(lod_met_rules_rf_max(&rules, 5), 4);
}

#define WRONG(policy_, change)                                                                     \
    do {                                                                                           \
        struct lod_met_rules r = lod_met_rules_of(policy_);                                        \
        const char *why = NULL;                                                                    \
        r.steps_count = 1;                                                                         \
        r.steps[0].rf = 4;                                                                         \
        change;                                                                                    \
        cr_assert_eq(lod_met_rules_check(&r, &why), -EINVAL, #change);                             \
        cr_assert_not_null(why);                                                                   \
    } while (0)

Test(met, rules_that_contradict_themselves_are_refused)
{
    WRONG(LOD_MET_FIXED, r.steps[0].rf = 0);
    WRONG(LOD_MET_FIXED, r.steps[0].rf = 1000000000);
    WRONG(LOD_MET_FIXED, r.steps[0].epoch = 1);
    WRONG(LOD_MET_FIXED, r.steps_count = 0);
    WRONG(LOD_MET_FIXED, r.steps_count = LOD_MET_STEPS_MAX + 1);
    WRONG(LOD_MET_FIXED, r.steps_count = 2);
    WRONG(LOD_MET_FIXED, (r.shape = LOD_MET_SLIDE, r.steps[0].rf = 64));
    WRONG(LOD_MET_AUTO, r.rf_min = 0);
    WRONG(LOD_MET_AUTO, r.rf_max = 0);
    WRONG(LOD_MET_AUTO, r.rf_min = 9);
    WRONG(LOD_MET_SCORE, r.patience = 0);
    WRONG(LOD_MET_SCORE, r.shape = LOD_MET_SLIDE);
    WRONG(LOD_MET_BOLLINGER, r.band_width = 0);
    WRONG(LOD_MET_BOLLINGER, r.band_width = NAN);
    WRONG(LOD_MET_BOLLINGER, r.band_scores = 3);
    WRONG(LOD_MET_BOLLINGER, r.band_scores = 21);
    WRONG(LOD_MET_AUTO, r.epochs = -1);
    WRONG(LOD_MET_AUTO, r.epochs = NAN);
    WRONG(LOD_MET_POLICIES, (void)r);
    cr_assert_eq(fixed(48).shape, LOD_MET_SLIDE);
    cr_assert_eq(fixed(64).shape, LOD_MET_BLOCK);
}

/* --------------------------------------------------------------------------------- windows */

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

Test(met, each_extent_is_dealt_exactly_as_often_as_a_fixed_number_says)
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

Test(met, a_part_of_a_sliding_window_changes_after_each_repeat)
{
    const struct lod_met_rules rules = fixed(4);
    uint32_t dealt[CHAIN] = {0};
    const uint32_t first = walk(&rules, 4000, 0, 1, dealt);

    cr_assert(first > 60 && first < 90, "%u of 300 left", first);
}

Test(met, auto_repeats_as_often_as_loading_takes)
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

/* Repeats a window of extents of 10 bytes, of which `loaded` of a hundred are loaded meanwhile. */
static uint32_t repeat(struct lod_met_window *window, uint64_t room, uint32_t loaded,
                       unsigned times)
{
    static uint64_t tens[CHAIN];
    const struct lod_met_rules rules = rules_of(LOD_MET_AUTO);
    const struct lod_met_chain chain = {.bytes = tens, .count = CHAIN};
    struct lod_met_scores scores = {.count = 0};
    struct lod_met_left left;

    for (uint32_t i = 0; i < CHAIN; i++) {
        tens[i] = 10;
    }
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

Test(met, auto_has_a_larger_window_where_the_next_part_is_small)
{
    struct lod_met_window window = {.count = 0};

    cr_assert_eq(repeat(&window, 4000, 0, 1), 200);
    cr_assert_eq(repeat(&window, 4000, 25, 20), 300, "a quarter is loaded in a repeat");
    cr_assert_eq(repeat(&window, 4000, 100, 20), 200, "all that has room is");
    cr_assert_eq(repeat(&window, 4000, 20, 20), 300, "a fifth is");
    cr_assert_eq(repeat(&window, 400, 20, 1), 27, "30 have room, and an eighth of them leaves");
}

Test(met, auto_deals_no_extent_more_than_rf_max_times_and_at_least_rf_min_times)
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
Test(met, auto_replaces_a_part_of_its_window_where_the_store_is_too_slow_for_rf_max)
{
    for (uint32_t loaded = 0; loaded < 10; loaded += 2) {
        struct lod_met_window window = {.count = 0};
        for (unsigned times = 1; times < 60; times++) {
            const uint32_t extents = repeat(&window, 4000, loaded, 1);
            const struct lod_met_group *newest = &window.groups[window.count - 1];
            cr_assert_geq(extents, 200, "%u loaded, %u repeats: %u", loaded, times, extents);
            cr_assert(times < 20 || newest->repeats || newest->extents <= 300 / 8 + 1,
                      "%u loaded, %u repeats: %u are new", loaded, times, newest->extents);
        }
    }
}

Test(met, a_window_shrinks_with_its_room_to_one_extent_at_least)
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

Test(met, a_window_that_waits_stays_until_it_is_tired)
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

Test(met, the_largest_state_fits_its_bytes)
{
    struct lod_met_state state = {.nodes = 65536,
                                  .node = 65535,
                                  .items = UINT32_MAX,
                                  .seed = UINT64_MAX,
                                  .room = 1ull << 50,
                                  .before = 1ull << 50,
                                  .dealt = UINT32_MAX,
                                  .pass = 99999,
                                  .cursor = 999999,
                                  .repeat = 9999999,
                                  .fidelity = 11,
                                  .rules = lod_met_rules_of(LOD_MET_BOLLINGER)};
    char text[LOD_MET_STATE_BYTES];

    state.rules.epochs = 1234.5;
    state.rules.steps_count = LOD_MET_STEPS_MAX;
    for (unsigned i = 0; i < LOD_MET_STEPS_MAX; i++) {
        state.rules.steps[i] = (struct lod_met_step){.epoch = 100 + i, .rf = 10000};
    }
    state.window.count = LOD_MET_GROUPS_MAX;
    for (unsigned i = 0; i < LOD_MET_GROUPS_MAX; i++) {
        state.window.groups[i] =
            (struct lod_met_group){.extents = 99999, .repeats = LOD_MET_GROUPS_MAX - i};
    }
    for (unsigned i = 0; i < 2 * LOD_MET_HISTORY_MAX; i++) {
        lod_met_history_add(&state.history, 1000.5 + i, 10000 - i);
    }
    for (unsigned i = 0; i < 30; i++) {
        lod_met_scores_add(&state.scores, &state.rules, -.7123456789e-7 - i * 1e-9);
    }
    const int length = lod_met_state_write(&state, text);
    cr_assert_gt(length, 1500);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Mini-epochs: verdicts by a table, rules and the state. test_met_windows.c and
 * test_met_jobs.c have the rest. */
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

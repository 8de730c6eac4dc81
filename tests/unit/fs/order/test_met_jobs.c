/* SPDX-License-Identifier: Apache-2.0 */
/* Mini-epochs of a made order: items, records, repeats,
 * and states of jobs that stop and continue. */
#include <criterion/criterion.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "met_rules.h"
#include "order/met.h"

#define Q4 ((enum lod_fidelity)4)

/* ------------------------------------------------------------------------------------ jobs */

#define EXTENTS 40
#define EACH    5 /* items of an extent */

static struct lod_read_order order;
static uint8_t selected[EXTENTS * EACH / 8 + 1];
static uint32_t counts[EXTENTS];
static struct lod_met met;

static void make(void)
{
    struct lod_record_desc recd = {.items = EACH, .codec = LOD_CODEC_PCR};

    for (unsigned g = 0; g < LOD_GROUPS_MAX; g++) {
        recd.group_bytes[g] = 10;
    }
    memset(selected, 0xff, sizeof(selected));
    for (uint32_t e = 0; e < EXTENTS; e++) {
        recd.number = e + 1;
        recd.first_item = e * EACH;
        counts[e] = EACH;
        cr_assert_eq(lod_extents_add(&order.extents, &recd, true), 0);
    }
    order.selected = selected;
    order.counts = counts;
    order.items = EXTENTS * EACH;
    order.store = (struct lod_id){.low = 0x0706050403020100, .high = 0x0f0e0d0c0b0a0908};
}

static void unmake(void)
{
    lod_met_finish(&met);
    lod_extents_finish(&order.extents);
}

TestSuite(met_jobs, .init = make, .fini = unmake);

static void begin(const struct lod_met_rules *rules, uint64_t room)
{
    uint64_t largest = 0;

    cr_assert_eq(lod_met_begin(&met, &order, 0, 1, rules, Q4, room, &largest), 0);
}

static enum lod_met_verdict next(uint64_t room, uint32_t loaded)
{
    const struct lod_met_now now = {.fidelity = Q4, .room = room, .loaded_records = loaded};
    enum lod_met_verdict verdict = WAIT;

    cr_assert_eq(lod_met_next(&met, &now, &verdict), 0);
    return verdict;
}

/* tests/spec/met_spec.py computes the same. */
Test(met_jobs, items_are_those_of_the_vectors)
{
    static const uint32_t expected[3][8] = {{53, 131, 56, 124, 121, 76, 86, 122},
                                            {56, 7, 58, 132, 183, 87, 59, 8},
                                            {108, 107, 0, 181, 4, 183, 9, 1}};
    const struct lod_met_rules rules = fixed(2);
    uint32_t items[EXTENTS * EACH];
    size_t count;

    begin(&rules, 400);
    for (unsigned repeat = 0; repeat < 3; repeat++) {
        cr_assert_eq(lod_met_items(&met, items, EXTENTS * EACH, &count), 0);
        cr_assert_eq(count, 30);
        cr_assert_arr_eq(items, expected[repeat], sizeof(expected[repeat]));
        next(400, 0);
    }
}

Test(met_jobs, stretches_of_96_mib_follow_each_other_until_something_is_loaded)
{
    const struct lod_met_rules rules = fixed(2);
    const uint64_t mib = (uint64_t)1 << 20;
    uint32_t items[EXTENTS * EACH];
    unsigned late = 0;
    size_t count;

    for (uint32_t e = 0; e < EXTENTS; e++) {
        order.extents.at[e].bytes[Q4 - 1] = 40 * mib;
    }
    begin(&rules, 600 * mib);
    for (unsigned repeat = 0; repeat < 2; repeat++, next(600 * mib, 0)) {
        cr_assert_eq(lod_met_items(&met, items, EXTENTS * EACH, &count), 0);
        cr_assert_eq(count, 10 * EACH);
        for (unsigned i = 0; i < 2 * EACH; i++) { /* two extents are a stretch */
            late += items[i] / EACH != met.passes[0].extents[met.state.cursor] &&
                    items[i] / EACH != met.passes[0].extents[met.state.cursor + 1];
        }
        cr_assert(repeat ? late > 2 : late == 0, "%u of other stretches in repeat %u", late,
                  repeat);
    }
}

Test(met_jobs, all_items_of_the_chain_are_dealt_equally_often)
{
    const struct lod_met_rules rules = fixed(3);
    uint32_t items[EXTENTS * EACH], dealt[EXTENTS * EACH] = {0}, least = UINT32_MAX, most = 0;
    size_t count;

    begin(&rules, 480);
    while (lod_met_epoch(&met, 0) < 30) {
        cr_assert_eq(lod_met_items(&met, items, EXTENTS * EACH, &count), 0);
        cr_assert_eq(count, lod_met_values(&met));
        for (size_t i = 0; i < count; i++) {
            dealt[items[i]]++;
        }
        next(480, 0);
    }
    for (unsigned i = 0; i < EXTENTS * EACH; i++) {
        least = dealt[i] < least ? dealt[i] : least;
        most = dealt[i] > most ? dealt[i] : most;
    }
    cr_assert(least >= 24 && most <= 36, "%u .. %u times in 30 epochs", least, most);
}

Test(met_jobs, a_store_that_fits_the_room_is_shuffled_as_a_whole_and_read_once)
{
    const struct lod_met_rules rules = fixed(4);
    uint32_t items[EXTENTS * EACH], records[EXTENTS + 1];
    uint8_t seen[EXTENTS * EACH];
    size_t count, window;

    begin(&rules, 40 * EXTENTS);
    for (unsigned pass = 0; pass < 5; pass++) {
        memset(seen, 0, sizeof(seen));
        cr_assert(met.state.whole);
        cr_assert_eq(lod_met_items(&met, items, EXTENTS * EACH, &count), 0);
        cr_assert_eq(count, EXTENTS * EACH);
        for (size_t i = 0; i < count; i++) {
            cr_assert_eq(seen[items[i]]++, 0);
        }
        lod_met_records(&met, records, EXTENTS + 1, &count, &window);
        cr_assert(count == EXTENTS && window == EXTENTS);
        cr_assert_eq(next(40 * EXTENTS, 0), ADVANCE);
    }
    next(400, 0);
    cr_assert(!met.state.whole);
    next(40 * EXTENTS, 0);
    cr_assert(met.state.whole && met.state.cursor == 0);
}

Test(met_jobs, records_are_the_window_and_what_follows_up_to_the_room)
{
    const struct lod_met_rules rules = fixed(2);
    uint32_t records[EXTENTS];
    size_t count, window;

    begin(&rules, 400);
    lod_met_records(&met, records, EXTENTS, &count, &window);
    cr_assert_eq(count, 10);
    cr_assert_eq(window, 6);
    for (unsigned i = 0; i < count; i++) {
        cr_assert_eq(records[i], met.passes[0].extents[i] + 1);
    }
    lod_met_records(&met, records, 0, &count, &window);
    cr_assert_eq(count, 10);
}

Test(met_jobs, an_extent_above_half_of_the_room_is_refused_with_its_size)
{
    const struct lod_met_rules rules = fixed(2);
    uint64_t largest = 0;

    cr_assert_eq(lod_met_begin(&met, &order, 0, 1, &rules, Q4, 79, &largest), -EFBIG);
    cr_assert_eq(largest, 40);
    cr_assert_eq(lod_met_begin(&met, &order, 3, 100, &rules, Q4, 10, &largest), -EFBIG);
    cr_assert_eq(lod_met_begin(&met, &order, 99, 100, &rules, Q4, 400, &largest), -ENODATA);
}

Test(met_jobs, nodes_have_different_extents)
{
    const struct lod_met_rules rules = fixed(2);
    uint8_t seen[EXTENTS + 1] = {0};
    uint64_t largest;
    uint32_t records[EXTENTS];
    size_t count, window;

    for (uint32_t node = 0; node < 4; node++) {
        cr_assert_eq(lod_met_begin(&met, &order, node, 4, &rules, Q4, 200, &largest), 0);
        lod_met_records(&met, records, EXTENTS, &count, &window);
        cr_assert_gt(count, 3);
        for (size_t i = 0; i < count; i++) {
            cr_assert_eq(seen[records[i]]++, 0);
        }
        lod_met_finish(&met);
    }
}

Test(met_jobs, a_score_is_reported_once_a_repeat)
{
    const struct lod_met_rules rules = rules_of(LOD_MET_SCORE);
    const struct lod_met_now now = {.fidelity = Q4, .room = 400, .loaded_records = 10};
    enum lod_met_verdict verdict;

    begin(&rules, 400);
    cr_assert_eq(lod_met_next(&met, &now, &verdict), -ENODATA);
    cr_assert_eq(lod_met_report(&met, .5), 0);
    cr_assert_eq(lod_met_report(&met, .5), -EALREADY);
    cr_assert_eq(next(400, 10), REPEAT);
    cr_assert_eq(lod_met_report(&met, .5), 0);
    cr_assert_eq(next(400, 10), ADVANCE);
    cr_assert_eq(met.state.history.count, 1);
    cr_assert_eq(met.state.history.at[0].rf, 2);
    cr_assert_eq(lod_met_report(&met, .1), 0);
    cr_assert_eq(next(400, 10), REPEAT, "the best score was of the last window");
}

/* ---------------------------------------------------------------------------------- states */

Test(met_jobs, a_job_goes_on_from_its_state_as_if_it_had_not_stopped)
{
    static const enum lod_met_policy policies[] = {LOD_MET_AUTO, LOD_MET_FIXED, LOD_MET_SCORE,
                                                   LOD_MET_BOLLINGER};
    char text[LOD_MET_STATE_BYTES], other[LOD_MET_STATE_BYTES];
    const char *why = NULL;

    for (unsigned p = 0; p < 4; p++) {
        const struct lod_met_rules rules =
            policies[p] == LOD_MET_FIXED ? fixed(3) : rules_of(policies[p]);
        struct lod_met copy;
        struct lod_met_state state;

        begin(&rules, 450);
        for (unsigned i = 0; i < 200; i++) {
            int length = lod_met_state_write(&met.state, text);
            cr_assert_gt(length, 0);
            cr_assert_eq(lod_met_state_read(text, (size_t)length, &state, &why), 0, "%s", why);
            cr_assert_eq(lod_met_resume(&copy, &order, &state, &why), 0, "%s", why);
            lod_met_finish(&met);
            met = copy;
            cr_assert_gt(lod_met_state_write(&met.state, other), 0);
            cr_assert_str_eq(text, other);
            if (p > 1) {
                cr_assert_eq(lod_met_report(&met, sin(i) / 3), 0);
            }
            next(450, 6 + i % 5);
        }
        lod_met_finish(&met);
    }
}

Test(met_jobs, a_state_that_was_edited_or_cut_is_refused)
{
    static const char *const edits[][2] = {
        {"\"version\": 1", "\"version\": 2"},
        {"\"version\": 1", "\"version\": \"1\""},
        {"\"nodes\": 1", "\"nodes\": 0"},
        {"\"nodes\": 1", "\"nodes\": -1"},
        {"\"room\": 450", "\"room\": -450"},
        {"\"cursor\": 0", "\"cursor\": 40"},
        {"\"cursor\": 0", "\"cursor\": 0.5"},
        {"\"cursor\": 0", "\"cursor\": 1e99"},
        {"\"dealt\": 0", "\"dealt\": 4000"},
        {"\"dealt\": 0", "\"dealt\": null"},
        {"\"window\": [[", "\"window\": [[0, 1], ["},
        {"\"window\": [[", "\"window\": [[-5, 9], ["},
        {"\"window\": [[", "\"window\": [[5e9, 9], ["},
        {"\"window\": [[", "\"window\": [[500, 9], ["},
        {"\"window\": [[", "\"window\": [[1, 0], ["},
        {"\"window\": [[", "\"window\": [[[[[["},
        {"\"window\": ", "\"windows\": "},
        {"\"policy\": \"fixed\"", "\"policy\": \"all\""},
        {"\"steps\": [[0, 3]]", "\"steps\": [[0, 0]]"},
        {"\"steps\": [[0, 3]]", "\"steps\": []"},
        {"\"scores\": []", "\"scores\": [\"x\"]"},
        {"\"seed\": \"0\"", "\"seed\": \"-1\""},
        {"\"store\": \"0f", "\"store\": \"xf"},
        {"\"seed\": \"0\"", "\"seed\": \"1\""},
        {"\"store\": \"0f", "\"store\": \"1f"},
        {"\"items\": 200", "\"items\": 199"},
    };
    const struct lod_met_rules rules = fixed(3);
    char text[LOD_MET_STATE_BYTES], edited[2 * LOD_MET_STATE_BYTES];
    struct lod_met_state state;
    const char *why;

    begin(&rules, 450);
    const int length = lod_met_state_write(&met.state, text);
    lod_met_finish(&met);
    for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
        const char *at = strstr(text, edits[i][0]);
        cr_assert_not_null(at, "%s", edits[i][0]);
        snprintf(edited, sizeof(edited), "%.*s%s%s", (int)(at - text), text, edits[i][1],
                 at + strlen(edits[i][0]));
        why = NULL;
        int error = lod_met_state_read(edited, strlen(edited), &state, &why);
        error = error ? error : lod_met_resume(&met, &order, &state, &why);
        cr_assert_lt(error, 0, "%s is taken", edits[i][1]);
        cr_assert_not_null(why);
    }
    for (int cut = 0; cut < length - 2; cut++) {
        cr_assert_lt(lod_met_state_read(text, (size_t)cut, &state, &why), 0, "cut at %d", cut);
    }
    memset(edited, ' ', sizeof(edited));
    cr_assert_eq(lod_met_state_read(edited, sizeof(edited), &state, &why), -E2BIG);
}

/* Changes a few bytes; digits become digits, so that many texts are still states. */
static void change(char *text, size_t bytes, uint32_t *random)
{
    static const char others[] = "0123456789-.,:[]{}\"etrue ";

    for (unsigned left = 1 + *random % 3; left; left--) {
        *random = *random * 1664525 + 1013904223;
        char *at = text + (*random >> 8) % bytes;
        *random = *random * 1664525 + 1013904223;
        *at = *at >= '0' && *at <= '9' && *random >> 30
                  ? (char)('0' + (*random >> 8) % 10)
                  : others[(*random >> 8) % (sizeof(others) - 1)];
    }
}

Test(met_jobs, a_state_with_random_changes_is_refused_or_works)
{
    const struct lod_met_rules rules = rules_of(LOD_MET_BOLLINGER);
    const struct lod_met_now now = {.fidelity = Q4, .room = 450, .loaded_records = 7};
    char text[LOD_MET_STATE_BYTES], edited[LOD_MET_STATE_BYTES];
    uint32_t items[4 * EXTENTS * EACH], random = 7;
    const char *why = NULL;
    unsigned taken = 0;

    begin(&rules, 450);
    for (unsigned i = 0; i < 50; i++) {
        cr_assert_eq(lod_met_report(&met, sin(i)), 0);
        next(450, 11);
    }
    const int length = lod_met_state_write(&met.state, text);
    lod_met_finish(&met);
    for (unsigned i = 0; i < 20000; i++) {
        struct lod_met_state state;
        enum lod_met_verdict verdict;
        size_t count;
        memcpy(edited, text, sizeof(text));
        change(edited, (size_t)length, &random);
        if (lod_met_state_read(edited, (size_t)length, &state, &why) ||
            lod_met_resume(&met, &order, &state, &why)) {
            continue;
        }
        taken++;
        cr_assert_eq(lod_met_items(&met, items, 4 * EXTENTS * EACH, &count), 0);
        cr_assert_leq(lod_met_window_extents(&met.state.window), 2 * EXTENTS);
        int error = lod_met_report(&met, .5);
        error = lod_met_next(&met, &now, &verdict);
        cr_assert(error == 0 || error == -EOVERFLOW, "%d: %s", error, edited);
        lod_met_finish(&met);
    }
    cr_assert_gt(taken, 1000);
}

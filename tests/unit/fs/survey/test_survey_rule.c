/* SPDX-License-Identifier: Apache-2.0 */
/* The sample of a survey and its rule, as tables of numbers. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "survey/survey_rule.h"

#define PHOTOS 40

Test(survey_rule, a_sample_lies_evenly)
{
    static const uint64_t all[] = {1, 2, 7, 128, 1000, 12345, 4294967295u};
    static const uint64_t sizes[] = {1, 2, 5, 128, 1000, 1024};

    for (unsigned a = 0; a < sizeof(all) / sizeof(all[0]); a++) {
        for (unsigned s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
            if (sizes[s] > all[a]) {
                continue;
            }
            const uint64_t gap = all[a] / sizes[s];
            for (uint64_t i = 0; i < sizes[s]; i++) {
                const uint64_t rank = lod_survey_rank(i, sizes[s], all[a]);
                const uint64_t next =
                    i + 1 < sizes[s] ? lod_survey_rank(i + 1, sizes[s], all[a]) : all[a];
                cr_assert(next - rank == gap || next - rank == gap + 1, "%lu of %lu: %lu, %lu",
                          (unsigned long)sizes[s], (unsigned long)all[a], (unsigned long)rank,
                          (unsigned long)next);
            }
        }
    }
}

Test(survey_rule, a_doubled_sample_has_all_of_the_smaller_one)
{
    for (uint64_t i = 0; i < 128; i++) {
        cr_assert_eq(lod_survey_rank(2 * i, 256, 100003), lod_survey_rank(i, 128, 100003));
    }
}

Test(survey_rule, a_sample_doubles_up_to_all_or_1024)
{
    static const struct {
        uint32_t size;
        uint64_t all;
        uint32_t next;
    } cases[] = {{128, 1u << 30, 256}, {512, 1u << 30, 1024}, {1024, 1u << 30, 1024},
                 {600, 1u << 30, 600}, {128, 200, 200},       {200, 200, 200},
                 {600, 900, 900},      {2000, 9999, 2000},    {2, 3, 3}};

    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cr_expect_eq(lod_survey_grow(cases[i].size, cases[i].all), cases[i].next, "case %u", i);
    }
}

/* Half of the photographs at mean - spread, half at mean + spread, for each of q1 .. q10. */
static void paint(struct lod_survey_photo photos[PHOTOS], const double means[3], double spread)
{
    memset(photos, 0, PHOTOS * sizeof(photos[0]));
    for (unsigned i = 0; i < PHOTOS; i++) {
        for (unsigned f = LOD_Q1; f <= LOD_FULL; f++) {
            const double mean = f <= LOD_Q1 + 2 ? means[f - LOD_Q1] : 1;
            photos[i].mssim[f] = mean < 1 ? mean + (i % 2 ? spread : -spread) : 1;
        }
    }
}

/* q1, q2 and q3 are separate levels; q4 .. full are one. */
static const uint64_t bytes[LOD_FULL + 1] = {0,   100, 200, 400, 800, 800,
                                             800, 800, 800, 800, 800, 800};

/* Two standard errors of 40 out of a million at spread .02:
 * 2 * .02 * sqrt(40 / 39 / 40) = .0064. */
Test(survey_rule, takes_the_lowest_level_that_surely_reaches_the_target)
{
    static const struct {
        double means[3], target;
        unsigned chosen;
        enum lod_fidelity fidelity;
        bool decided;
    } cases[] = {
        {{.97, .98, .99}, .95, 0, LOD_Q1, true},
        {{.957, .98, .99}, .95, 0, LOD_Q1, true}, /* .957 - .0064 is above */
        {{.956, .98, .99}, .95, 1, 2, false}, /* .956 - .0064 is not, but the true mean may be */
        {{.94, .98, .99}, .95, 1, 2, true},   /* .94 + .0064 is below */
        {{.944, .98, .99}, .95, 1, 2, false}, /* .944 + .0064 is not */
        {{.90, .952, .954}, .95, 3, LOD_FULL, false},
        {{.50, .60, .70}, .95, 3, LOD_FULL, true},
        {{.97, .98, .99}, 1, 3, LOD_FULL, true},
        {{.97, .90, .99}, .95, 0, LOD_Q1, true}, /* higher levels are not considered */
    };
    struct lod_survey_photo photos[PHOTOS];

    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lod_survey survey = {.photographs = 1000000};
        paint(photos, cases[i].means, .02);
        cr_assert_eq(lod_survey_judge(photos, PHOTOS, bytes, cases[i].target, &survey), 0);
        cr_expect_eq(survey.chosen, cases[i].chosen, "case %u: %u", i, survey.chosen);
        cr_expect_eq(lod_survey_fidelity(&survey), cases[i].fidelity, "case %u", i);
        cr_expect_eq(survey.decided, cases[i].decided, "case %u", i);
        cr_expect_eq(survey.verdict, LOD_SURVEY_CHOSEN);
    }
}

Test(survey_rule, fidelities_of_equal_bytes_are_one_level)
{
    struct lod_survey survey = {.photographs = 100};
    struct lod_survey_photo photos[PHOTOS];

    paint(photos, (const double[3]){.9, .93, .96}, .02);
    cr_assert_eq(lod_survey_judge(photos, PHOTOS, bytes, .95, &survey), 0);
    cr_assert_eq(survey.count, 4);
    cr_expect(survey.levels[0].first == LOD_Q1 && survey.levels[0].last == LOD_Q1);
    cr_expect(survey.levels[3].first == 4 && survey.levels[3].last == LOD_FULL);
    cr_expect_float_eq(survey.levels[1].bytes, 2, 1e-9);
    cr_expect_float_eq(survey.levels[3].mssim, 1, 1e-9);
}

Test(survey_rule, mean_error_and_worst_tenth)
{
    struct lod_survey survey = {.photographs = 160};
    struct lod_survey_photo photos[PHOTOS];

    paint(photos, (const double[3]){.9, .93, .96}, 0);
    for (unsigned i = 0; i < PHOTOS; i++) {
        photos[i].mssim[LOD_Q1] = (i * 7 % PHOTOS) / 100.; /* 0 .. .39, mixed */
    }
    cr_assert_eq(lod_survey_judge(photos, PHOTOS, bytes, .95, &survey), 0);
    cr_expect_float_eq(survey.levels[0].mssim, .195, 1e-9);
    /* The variance of 0 .. 39 is 40 * 41 / 12; three quarters of the store were not measured. */
    cr_expect_float_eq(survey.levels[0].error, 2 * sqrt(40 * 41 / 12. / 1e4 / 40 * .75), 1e-9);
    cr_expect_float_eq(survey.levels[0].worst_tenth, .03, 1e-9);
    cr_expect_float_eq(survey.levels[1].error, 0, 1e-9);
}

Test(survey_rule, a_store_that_was_measured_as_a_whole_has_no_error)
{
    struct lod_survey survey = {.photographs = PHOTOS};
    struct lod_survey_photo photos[PHOTOS];

    paint(photos, (const double[3]){.949, .951, .97}, .02);
    cr_assert_eq(lod_survey_judge(photos, PHOTOS, bytes, .95, &survey), 0);
    cr_expect_eq(survey.levels[0].error, 0);
    cr_expect_eq(survey.chosen, 1);
    cr_expect(survey.decided);
}

Test(survey_rule, one_in_twenty_may_be_left_out)
{
    static const struct {
        unsigned unreadable, small;
        enum lod_survey_verdict verdict;
    } cases[] = {{0, 0, LOD_SURVEY_CHOSEN},  {2, 0, LOD_SURVEY_CHOSEN},
                 {1, 1, LOD_SURVEY_CHOSEN},  {3, 0, LOD_SURVEY_TOO_FEW},
                 {2, 1, LOD_SURVEY_TOO_FEW}, {PHOTOS, 0, LOD_SURVEY_TOO_FEW}};
    struct lod_survey_photo photos[PHOTOS];
    char why[LOD_SURVEY_WHY_BYTES];

    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lod_survey survey = {.photographs = 1000};
        paint(photos, (const double[3]){.97, .98, .99}, .01);
        for (unsigned k = 0; k < cases[i].unreadable + cases[i].small; k++) {
            photos[7 * k % PHOTOS].outcome =
                k < cases[i].unreadable ? LOD_SURVEY_UNREADABLE : LOD_SURVEY_SMALL;
            photos[7 * k % PHOTOS].mssim[LOD_Q1] = 0; /* does not count */
        }
        cr_assert_eq(lod_survey_judge(photos, PHOTOS, bytes, .95, &survey), 0);
        cr_expect_eq(survey.verdict, cases[i].verdict, "case %u", i);
        cr_expect_eq(survey.unreadable, cases[i].unreadable);
        cr_expect_eq(survey.small, cases[i].small);
        cr_expect(survey.verdict != LOD_SURVEY_CHOSEN || survey.chosen == 0);
        cr_expect(survey.verdict == LOD_SURVEY_CHOSEN ||
                  strstr(lod_survey_why(&survey, why), "too few photographs"));
    }
}

Test(survey_rule, half_of_a_store_may_be_too_large_to_decode)
{
    static const struct {
        uint64_t large;
        enum lod_survey_verdict verdict;
    } cases[] = {
        {0, LOD_SURVEY_CHOSEN}, {PHOTOS, LOD_SURVEY_CHOSEN}, {PHOTOS + 1, LOD_SURVEY_TOO_FEW}};
    struct lod_survey_photo photos[PHOTOS];
    char why[LOD_SURVEY_WHY_BYTES];

    paint(photos, (const double[3]){.97, .98, .99}, .01);
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lod_survey survey = {.photographs = 2ull * PHOTOS, .large = cases[i].large};
        const uint32_t count = (uint32_t)(survey.photographs - survey.large);
        cr_assert_eq(lod_survey_judge(photos, count < PHOTOS ? count : PHOTOS, bytes, .95, &survey),
                     0);
        cr_expect_eq(survey.verdict, cases[i].verdict, "case %u", i);
        cr_expect(survey.verdict == LOD_SURVEY_CHOSEN ||
                  strstr(lod_survey_why(&survey, why), "of 80, 41 too large to decode"));
    }
}

Test(survey_rule, a_store_without_lower_fidelities_says_so)
{
    struct lod_survey survey = {.photographs = 0};
    char why[LOD_SURVEY_WHY_BYTES];

    cr_assert_eq(lod_survey_judge(NULL, 0, bytes, .95, &survey), 0);
    cr_expect_eq(survey.verdict, LOD_SURVEY_NOTHING);
    cr_expect(strstr(lod_survey_why(&survey, why), "lower fidelities"));
}

/* Photographs 0 .. 39 differ in likeness at q1, and are equal above q1. */
Test(survey_rule, examples_are_of_the_whole_range_of_the_sample)
{
    static const unsigned ranks[] = {3, 13, 25, 35}; /* 10, 35, 65, 90 % of 39 */
    struct lod_survey survey = {.photographs = 1000};
    struct lod_survey_photo photos[PHOTOS];

    paint(photos, (const double[3]){.9, .96, .97}, 0);
    for (unsigned i = 0; i < PHOTOS; i++) {
        photos[i].item = 1000 + i * 7 % PHOTOS;
        photos[i].mssim[LOD_Q1] = .95 + (photos[i].item - 1000) / 1000.;
    }
    cr_assert_eq(lod_survey_judge(photos, PHOTOS, bytes, .95, &survey), 0);
    cr_assert_eq(survey.chosen, 0);
    cr_assert_eq(survey.examples_count, LOD_SURVEY_EXAMPLES);
    for (unsigned i = 0; i < LOD_SURVEY_EXAMPLES; i++) {
        const struct lod_survey_example *example = &survey.examples[i];
        cr_expect_eq(example->item, 1000 + ranks[i], "example %u is %u", i, example->item);
        cr_expect_eq(example->percent, 100 * ranks[i] / PHOTOS);
        cr_expect_float_eq(example->mssim[LOD_Q1], .95 + ranks[i] / 1000., 1e-9);
        cr_expect_eq(example->mssim[LOD_FULL], 1);
    }
}

Test(survey_rule, an_example_is_shown_once_and_can_be_read)
{
    struct lod_survey survey = {.photographs = 1000};
    struct lod_survey_photo photos[PHOTOS];

    paint(photos, (const double[3]){.9, .96, .97}, 0);
    for (unsigned i = 2; i < PHOTOS; i++) {
        photos[i].outcome = LOD_SURVEY_UNREADABLE;
    }
    photos[1].item = 1;
    cr_assert_eq(lod_survey_judge(photos, 2, bytes, .95, &survey), 0);
    cr_expect_eq(survey.examples_count, 1);
    cr_assert_eq(lod_survey_judge(photos, 5, bytes, .95, &survey), 0);
    for (unsigned i = 0; i < survey.examples_count; i++) {
        cr_expect_leq(survey.examples[i].item, 1);
    }
    cr_assert_eq(lod_survey_judge(NULL, 0, bytes, .95, &survey), 0);
    cr_expect_eq(survey.examples_count, 0);
}

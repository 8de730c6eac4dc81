/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See survey_rule.h. The standard error is that of a sample without replacement: it has the finite
 * population correction (Cochran, Sampling Techniques, 2.6), so a store of which all photographs
 * were measured has none.
 */
#include "survey/survey_rule.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEFT_OUT_MAX 20 /* at most one photograph in this many may be left out */

/* A sample twice as large contains all ranks of the smaller one, so its photographs are kept. */
uint64_t lod_survey_rank(uint64_t i, uint64_t sample, uint64_t all)
{
    return (uint64_t)((unsigned __int128)i * all / sample);
}

uint32_t lod_survey_grow(uint32_t sample, uint64_t all)
{
    const uint64_t next = 2ull * sample < all ? 2ull * sample : all;

    return next > sample && next <= LOD_SURVEY_DOUBLED ? (uint32_t)next : sample;
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Fills in mean, error and worst tenth of `count` values, which it sorts. */
static void summarise(double *values, uint32_t count, uint64_t all, struct lod_survey_level *level)
{
    double sum = 0, squares = 0;

    for (uint32_t i = 0; i < count; i++) {
        sum += values[i];
    }
    const double mean = sum / count;
    for (uint32_t i = 0; i < count; i++) {
        squares += (values[i] - mean) * (values[i] - mean);
    }
    const double left = count < all ? 1 - (double)count / (double)all : 0;
    const double variance = count > 1 ? squares / (count - 1) : 1;
    qsort(values, count, sizeof(values[0]), compare_numbers);
    level->mssim = mean;
    level->error = 2 * sqrt(variance / count * left);
    level->worst_tenth = values[(count - 1) / 10];
}

/* Puts fidelities that read the same number of bytes into one level. They show the same picture,
 * since each fidelity reads the bytes of the lower one and perhaps more. */
static void find_levels(const uint64_t bytes[LOD_FULL + 1], struct lod_survey *survey)
{
    survey->count = 0;
    for (unsigned f = LOD_Q1; f <= LOD_FULL; f++) {
        if (f == LOD_Q1 || bytes[f] != bytes[f - 1]) {
            survey->levels[survey->count++] = (struct lod_survey_level){
                .first = (enum lod_fidelity)f,
                .bytes = (double)bytes[f] / (double)survey->photographs,
            };
        }
        survey->levels[survey->count - 1].last = (enum lod_fidelity)f;
    }
}

static void count_outcomes(const struct lod_survey_photo *photos, uint32_t count,
                           struct lod_survey *survey)
{
    survey->compared = survey->unreadable = survey->small = 0;
    for (uint32_t i = 0; i < count; i++) {
        survey->compared += photos[i].outcome == LOD_SURVEY_COMPARED;
        survey->unreadable += photos[i].outcome == LOD_SURVEY_UNREADABLE;
        survey->small += photos[i].outcome == LOD_SURVEY_SMALL;
    }
}

/* Chooses a level. With a larger sample a lower level, whose interval contains the target, may
 * reach it; then the choice is not decided. */
static void choose(double target, struct lod_survey *survey)
{
    unsigned level = 0;

    survey->decided = true;
    while (level + 1 < survey->count &&
           survey->levels[level].mssim - survey->levels[level].error < target) {
        survey->decided &= survey->levels[level].mssim + survey->levels[level].error < target;
        level++;
    }
    survey->chosen = level;
}

struct rank {
    double mssim;
    uint32_t item, photo;
};

static int compare_ranks(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;
    const int order = compare_numbers(&x->mssim, &y->mssim);

    return order ? order : (x->item > y->item) - (x->item < y->item);
}

/* Takes the photographs at some ranks; in a small sample some ranks are the same. */
static void take_examples(const struct lod_survey_photo *photos, const struct rank *ranks,
                          uint32_t count, struct lod_survey *survey)
{
    static const unsigned percents[LOD_SURVEY_EXAMPLES] = {10, 35, 65, 90};
    uint32_t last = UINT32_MAX;

    survey->examples_count = 0;
    for (unsigned i = 0; count && i < LOD_SURVEY_EXAMPLES; i++) {
        const uint32_t rank = (uint32_t)((uint64_t)(count - 1) * percents[i] / 100);
        if (rank != last) {
            const struct lod_survey_photo *photo = &photos[ranks[rank].photo];
            struct lod_survey_example *into = &survey->examples[survey->examples_count++];
            into->item = photo->item;
            into->percent = 100 * rank / count;
            memcpy(into->mssim, photo->mssim, sizeof(into->mssim));
        }
        last = rank;
    }
}

static int find_examples(const struct lod_survey_photo *photos, uint32_t count,
                         struct lod_survey *survey)
{
    const unsigned below = survey->count > 1 ? survey->count - 2 : 0;
    const unsigned level = survey->chosen < below ? survey->chosen : below;
    struct rank *ranks = calloc((size_t)count + 1, sizeof(ranks[0]));
    uint32_t used = 0;

    if (!ranks) {
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (photos[i].outcome == LOD_SURVEY_COMPARED) {
            ranks[used++] = (struct rank){.mssim = photos[i].mssim[survey->levels[level].first],
                                          .item = photos[i].item,
                                          .photo = i};
        }
    }
    qsort(ranks, used, sizeof(ranks[0]), compare_ranks);
    take_examples(photos, ranks, used, survey);
    free(ranks);
    return 0;
}

static bool are_most_large(const struct lod_survey *survey)
{
    return survey->large > survey->photographs / 2;
}

int lod_survey_judge(const struct lod_survey_photo *photos, uint32_t count,
                     const uint64_t bytes[LOD_FULL + 1], double target, struct lod_survey *survey)
{
    double *values = calloc((size_t)count + 1, sizeof(values[0]));

    if (!values) {
        return -ENOMEM;
    }
    count_outcomes(photos, count, survey);
    find_levels(bytes, survey);
    for (unsigned level = 0; level < survey->count && survey->compared; level++) {
        uint32_t used = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (photos[i].outcome == LOD_SURVEY_COMPARED) {
                values[used++] = photos[i].mssim[survey->levels[level].first];
            }
        }
        summarise(values, used, survey->photographs - survey->large, &survey->levels[level]);
    }
    free(values);
    choose(target, survey);
    const bool enough =
        !are_most_large(survey) && (uint64_t)(count - survey->compared) * LEFT_OUT_MAX <= count;
    survey->verdict = survey->photographs == 0     ? LOD_SURVEY_NOTHING
                      : enough && survey->compared ? LOD_SURVEY_CHOSEN
                                                   : LOD_SURVEY_TOO_FEW;
    return find_examples(photos, count, survey);
}

enum lod_fidelity lod_survey_fidelity(const struct lod_survey *survey)
{
    const struct lod_survey_level *level = &survey->levels[survey->chosen];

    return level->last == LOD_FULL ? LOD_FULL : level->first;
}

const char *lod_survey_why(const struct lod_survey *survey, char text[LOD_SURVEY_WHY_BYTES])
{
    if (survey->verdict == LOD_SURVEY_NOTHING) {
        snprintf(text, LOD_SURVEY_WHY_BYTES,
                 "nothing in it has lower fidelities: q1 reads as many bytes as full");
    } else if (are_most_large(survey)) {
        snprintf(text, LOD_SURVEY_WHY_BYTES,
                 "too few photographs can be compared: of %" PRIu64 ", %" PRIu64
                 " too large to decode",
                 survey->photographs, survey->large);
    } else {
        snprintf(text, LOD_SURVEY_WHY_BYTES,
                 "too few photographs can be compared: of %u, %u damaged or not of 8 bits, "
                 "%u with a side below %u pixels",
                 survey->compared + survey->unreadable + survey->small, survey->unreadable,
                 survey->small, LOD_SURVEY_SIZE_MIN);
    }
    return text;
}

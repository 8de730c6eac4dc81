/* SPDX-License-Identifier: Apache-2.0 */
/* See met_verdict.h. */
#include "order/met_verdict.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EPOCHS_FOR_EACH_REPEAT 8
#define EPOCHS_MAX             1e9

static const char *const policies[] = {"auto", "fixed", "score", "bollinger"};
static const char *const shapes[] = {"default", "slide", "block"};

const char *lod_met_policy_name(unsigned policy)
{
    return policy < LOD_MET_POLICIES ? policies[policy] : NULL;
}

const char *lod_met_shape_name(unsigned shape)
{
    return shape < LOD_MET_SHAPES ? shapes[shape] : NULL;
}

struct lod_met_rules lod_met_rules_of(enum lod_met_policy policy)
{
    return (struct lod_met_rules){
        .policy = policy,
        .rf_min = 1,
        .rf_max = 8,
        .patience = 1,
        .band_scores = LOD_MET_SCORES_MAX,
        .band_width = 2,
    };
}

/* -------------------------------------------------------------------------------- checking */

static const char *check_steps(const struct lod_met_rules *rules)
{
    if (!rules->steps_count || rules->steps_count > LOD_MET_STEPS_MAX) {
        return "a list of repeats must have 1 to 16 steps";
    }
    if (rules->steps[0].epoch != 0) {
        return "the first step of a list of repeats must be at epoch 0";
    }
    for (uint32_t i = 0; i < rules->steps_count; i++) {
        const struct lod_met_step *step = &rules->steps[i];
        if (step->rf < 1 || step->rf > LOD_MET_RF_MAX) {
            return "rf must be a number from 1 to 10000";
        }
        if (!(step->epoch <= EPOCHS_MAX) || (i && !(step->epoch > step[-1].epoch))) {
            return "the epochs of a list of repeats must increase";
        }
    }
    return NULL;
}

static const char *check_numbers(const struct lod_met_rules *rules)
{
    if (rules->rf_min < 1 || rules->rf_max > LOD_MET_RF_MAX || rules->rf_max < rules->rf_min) {
        return "rf_min must be 1 or more, and rf_max from rf_min to 10000";
    }
    if (rules->patience < 1 || rules->patience > LOD_MET_RF_MAX) {
        return "patience must be a number from 1 to 10000";
    }
    if (rules->band_scores < LOD_MET_BAND_MIN || rules->band_scores > LOD_MET_SCORES_MAX) {
        return "the band must have 4 to 20 scores";
    }
    if (!(rules->band_width > 0 && rules->band_width <= 100)) {
        return "the width of the band must be above 0, and at most 100 deviations";
    }
    if (!(rules->epochs >= 0 && rules->epochs <= EPOCHS_MAX)) {
        return "epochs must be a number from 0 to 1e9";
    }
    return NULL;
}

static uint32_t most_repeats(const struct lod_met_rules *rules)
{
    uint32_t most = rules->policy == LOD_MET_FIXED ? 0 : rules->rf_max;

    for (uint32_t i = 0; rules->policy == LOD_MET_FIXED && i < rules->steps_count; i++) {
        most = rules->steps[i].rf > most ? rules->steps[i].rf : most;
    }
    return most;
}

static const char *choose_shape(struct lod_met_rules *rules)
{
    const bool scored = rules->policy == LOD_MET_SCORE || rules->policy == LOD_MET_BOLLINGER;
    const bool block = scored || most_repeats(rules) > LOD_MET_SLIDE_RF_MAX;

    if (rules->shape == LOD_MET_SHAPE_DEFAULT) {
        rules->shape = block ? LOD_MET_BLOCK : LOD_MET_SLIDE;
    }
    if (rules->shape == LOD_MET_SLIDE && block) {
        return scored ? "a score is of a whole window, so the shape must be 'block'"
                      : "with more than 48 repeats the shape must be 'block'";
    }
    return NULL;
}

int lod_met_rules_check(struct lod_met_rules *rules, const char **ret_why)
{
    const char *why = NULL;

    if (rules->policy >= LOD_MET_POLICIES || rules->shape >= LOD_MET_SHAPES) {
        why = "there is no such policy or shape";
    }
    why = why || rules->policy != LOD_MET_FIXED ? why : check_steps(rules);
    why = why ? why : check_numbers(rules);
    why = why ? why : choose_shape(rules);
    if (why) {
        *ret_why = why;
    }
    return why ? -EINVAL : 0;
}

/* --------------------------------------------------------------------------------- scores */

/* A state has 9 digits of each score, so that a job that continues from a state decides like one
 * that never stopped. */
static double rounded(double score)
{
    char text[32];

    snprintf(text, sizeof(text), "%.9g", score);
    return strtod(text, NULL);
}

static bool is_below(const struct lod_met_scores *scores, const struct lod_met_rules *rules,
                     double score)
{
    const uint32_t count = scores->count < rules->band_scores ? scores->count : rules->band_scores;
    const double *from = scores->at + (scores->count - count);
    double sum = 0, squares = 0;

    if (count < LOD_MET_BAND_MIN) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        sum += from[i] / count;
    }
    for (uint32_t i = 0; i < count; i++) {
        squares += (from[i] - sum) * (from[i] - sum) / count;
    }
    return !isfinite(score) || score < sum - rules->band_width * sqrt(squares);
}

void lod_met_scores_add(struct lod_met_scores *scores, const struct lod_met_rules *rules,
                        double score)
{
    const double kept = rounded(score);

    scores->reported = true;
    scores->below = is_below(scores, rules, kept);
    if (!isfinite(kept)) {
        scores->worse_run++;
        return;
    }
    if (scores->has_best && !(kept > scores->best)) {
        scores->worse_run++;
    } else {
        scores->best = kept;
        scores->has_best = true;
        scores->worse_run = 0;
    }
    if (scores->count == LOD_MET_SCORES_MAX) {
        memmove(scores->at, scores->at + 1, (LOD_MET_SCORES_MAX - 1) * sizeof(scores->at[0]));
        scores->count--;
    }
    scores->at[scores->count++] = kept;
}

void lod_met_scores_renew(struct lod_met_scores *scores)
{
    scores->best = 0;
    scores->has_best = false;
    scores->worse_run = 0;
}

/* -------------------------------------------------------------------------------- verdict */

uint32_t lod_met_rules_rf_max(const struct lod_met_rules *rules, double epoch)
{
    uint32_t rf = rules->rf_max;

    if (rules->policy == LOD_MET_FIXED) {
        for (uint32_t i = 0; i < rules->steps_count && rules->steps[i].epoch <= epoch; i++) {
            rf = rules->steps[i].rf;
        }
        return rf;
    }
    const double most = floor(rules->epochs / EPOCHS_FOR_EACH_REPEAT);
    if (rules->epochs > 0 && most < rf) {
        rf = most < 1 ? 1 : (uint32_t)most;
    }
    return rf > rules->rf_min ? rf : rules->rf_min;
}

static bool wants_to_go_on(const struct lod_met_rules *rules, const struct lod_met_scores *scores,
                           bool loaded)
{
    switch (rules->policy) {
    case LOD_MET_AUTO:
        return loaded;
    case LOD_MET_SCORE:
        return scores->worse_run >= rules->patience;
    case LOD_MET_BOLLINGER:
        return scores->below;
    default:
        return false;
    }
}

enum lod_met_verdict lod_met_decide(const struct lod_met_rules *rules,
                                    const struct lod_met_scores *scores, uint32_t done,
                                    double epoch, bool loaded)
{
    const bool most = done >= lod_met_rules_rf_max(rules, epoch);

    if (!most && (done < rules->rf_min || !wants_to_go_on(rules, scores, loaded))) {
        return LOD_MET_REPEAT;
    }
    if (!loaded && rules->wait) {
        return LOD_MET_WAIT;
    }
    return loaded || most ? LOD_MET_ADVANCE : LOD_MET_REPEAT;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The statistics of a survey: the choice of its sample, and the fidelity that follows from its
 * likeness. Pure functions of numbers.
 */
#ifndef LOD_SURVEY_RULE_H
#define LOD_SURVEY_RULE_H

#include <stdint.h>

#include "compiler.h"
#include "survey/survey.h"

enum lod_survey_outcome { LOD_SURVEY_COMPARED, LOD_SURVEY_UNREADABLE, LOD_SURVEY_SMALL };

/* One photograph of the sample. */
struct lod_survey_photo {
    enum lod_survey_outcome outcome;
    uint32_t item;
    double mssim[LOD_FULL + 1]; /* at q1 .. full; [0] unused */
};

/* Returns the rank of member `i` in an evenly spaced sample of `sample` out of `all`. */
uint64_t lod_survey_rank(uint64_t i, uint64_t sample, uint64_t all);

/* Returns the next size of an undecided sample out of `all`. Returns `sample` if there is no larger
 * one. */
uint32_t lod_survey_grow(uint32_t sample, uint64_t all);

/*
 * Judges `count` photographs out of survey->photographs. bytes[f] is read of the store at
 * fidelity f, for all photographs of the store together. The choice is the lowest level whose mean
 * less two standard errors reaches the target. Fills in all but `photographs` and
 * `large`. -ENOMEM.
 */
LOD_MUST_CHECK int lod_survey_judge(const struct lod_survey_photo *photos, uint32_t count,
                                    const uint64_t bytes[LOD_FULL + 1], double target,
                                    struct lod_survey *survey);

#endif

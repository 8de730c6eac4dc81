/* SPDX-License-Identifier: Apache-2.0 */
/* The result of `lodfs fidelity` (cmd_fidelity.c), for people and as JSON. */
#ifndef LOD_FIDELITY_REPORT_H
#define LOD_FIDELITY_REPORT_H

#include <stdio.h>

#include "compiler.h"
#include "survey/survey.h"

/* A survey of the store at `store` that has chosen a level. -ENOMEM. */
LOD_MUST_CHECK int lod_fidelity_report_print(const char *store,
                                             const struct lod_survey_options *options,
                                             const struct lod_survey *survey, FILE *out);
void lod_fidelity_report_json(const char *store, const struct lod_survey_options *options,
                              const struct lod_survey *survey, FILE *out);

#endif

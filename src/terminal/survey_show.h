/* SPDX-License-Identifier: Apache-2.0 */
/* A survey as a command runs it: with threads, a progress line, and an end by signals. */
#ifndef LOD_SURVEY_SHOW_H
#define LOD_SURVEY_SHOW_H

#include "compiler.h"
#include "survey/survey.h"
#include "terminal/progress.h"

/* Sets options->watch. Returns as lod_survey_run; -EINTR after a signal. */
LOD_MUST_CHECK int lod_survey_show(struct lod_dataset *dataset, unsigned threads,
                                   enum lod_progress_mode mode, struct lod_survey_options *options,
                                   struct lod_survey *ret_surveys);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of `lodfs report`: one HTML file with its style, charts and pictures inside. It has no
 * script and refers to nothing outside. Each section is a file of this module.
 */
#ifndef LOD_PAGE_H
#define LOD_PAGE_H

#include <stdbool.h>

#include "compiler.h"
#include "survey/survey.h"
#include "totals/store_facts.h"
#include "text.h"

struct lod_page {
    struct lod_out out;
    const char *store; /* its location, as it may be shown */
    const struct lod_store_facts *facts;
    const struct lod_survey_options *options; /* the answer is about input 0 */
    const struct lod_survey *surveys;         /* of each input */
    bool pictures;
};

/* Writes all of the page. Returns -ENOMEM, or an error of reading the store's index. The caller
 * checks whether the bytes were written. */
LOD_MUST_CHECK int lod_page_write(struct lod_page *page);

/* The sections. Those about likeness are called only if the surveys have chosen. */
void lod_page_answer(struct lod_page *page);
void lod_page_cards(struct lod_page *page);
void lod_page_curve(struct lod_page *page);
LOD_MUST_CHECK int lod_page_pictures(struct lod_page *page);
LOD_MUST_CHECK int lod_page_stored(struct lod_page *page);
LOD_MUST_CHECK int lod_page_tables(struct lod_page *page);
void lod_page_scripts(struct lod_page *page);

/* Texts that several sections use. Two of these functions write `text` and return it. */
#define LOD_PAGE_TEXT 64
const char *lod_page_level_name(const struct lod_survey_level *level, char text[LOD_PAGE_TEXT]);
const struct lod_survey_level *lod_page_full(const struct lod_survey *survey);
const char *lod_page_input_name(const struct lod_survey_input *input, char text[LOD_PAGE_TEXT]);

/* Writes the numbers of the inputs in the order in which they are shown: the smallest size first,
 * the photographs' own size last. Returns their count. */
unsigned lod_page_inputs(const struct lod_page *page, unsigned ret_order[LOD_SURVEY_INPUTS_MAX]);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The words that sections of the page share, and the order of its inputs; see page.h. */
#include <stdio.h>

#include "report/page.h"

const char *lod_page_level_name(const struct lod_survey_level *level, char text[LOD_PAGE_TEXT])
{
    const char *first = lod_fidelity_name(level->first), *last = lod_fidelity_name(level->last);

    snprintf(text, LOD_PAGE_TEXT,
             level->last == LOD_FULL || level->first == level->last ? "%s" : "%s–%s",
             level->last == LOD_FULL ? last : first, last);
    return text;
}

const struct lod_survey_level *lod_page_full(const struct lod_survey *survey)
{
    return &survey->levels[survey->count - 1];
}

const char *lod_page_input_name(const struct lod_survey_input *input, char text[LOD_PAGE_TEXT])
{
    snprintf(text, LOD_PAGE_TEXT, input->size ? "%u pixels" : "the photographs’ own size",
             input->size);
    return text;
}

static bool comes_before(const struct lod_survey_input *a, const struct lod_survey_input *b)
{
    return a->size && (a->size < b->size || !b->size);
}

unsigned lod_page_inputs(const struct lod_page *page, unsigned ret_order[LOD_SURVEY_INPUTS_MAX])
{
    const struct lod_survey_options *options = page->options;

    for (unsigned i = 0; i < options->inputs_count; i++) {
        unsigned place = i;
        while (place > 0 &&
               comes_before(&options->inputs[i], &options->inputs[ret_order[place - 1]])) {
            ret_order[place] = ret_order[place - 1];
            place--;
        }
        ret_order[place] = i;
    }
    return options->inputs_count;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The section of photographs: some of the sample, each at some fidelities next to each other. */
#include <stdio.h>

#include "memory/flight.h"
#include "report/html.h"
#include "report/page.h"
#include "report/picture.h"
#include "terminal/report.h"

#define CACHE_BYTES (64ull << 20)

/* Of all pictures: with base64 and the rest of the page at most 2 MB. */
#define PICTURE_BYTES_MAX (1400u << 10)

#define PART_SHOWN  224u /* CSS pixels of a part */
#define SMALL_SHOWN 224u /* a picture smaller than half of this is enlarged */

/* The levels of the strips. */
struct choice {
    unsigned count, levels[LOD_PICTURE_LEVELS_MAX];
    enum lod_fidelity fidelities[LOD_PICTURE_LEVELS_MAX];
};

static bool is_wanted(const struct lod_survey *survey, unsigned level)
{
    static const enum lod_fidelity wanted[] = {LOD_Q1,     LOD_Q1 + 1, LOD_Q1 + 2,
                                               LOD_Q1 + 4, LOD_Q1 + 6, LOD_FULL};

    for (unsigned i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        if (survey->levels[level].first <= wanted[i] && survey->levels[level].last >= wanted[i]) {
            return true;
        }
    }
    return level == survey->chosen;
}

static struct choice choose(const struct lod_survey *survey)
{
    struct choice choice = {.count = 0};

    for (unsigned i = 0; i < survey->count && choice.count < LOD_PICTURE_LEVELS_MAX; i++) {
        if (is_wanted(survey, i)) {
            const struct lod_survey_level *level = &survey->levels[i];
            choice.levels[choice.count] = i;
            choice.fidelities[choice.count++] = level->last == LOD_FULL ? LOD_FULL : level->first;
        }
    }
    return choice;
}

static void write_image(struct lod_page *page, const struct lod_picture *picture, uint32_t shown,
                        const char *class, const char *words, const char *level)
{
    const uint32_t shorter = picture->width < picture->height ? picture->width : picture->height;
    const uint32_t scale = shown / shorter ? shown / shorter : 1;

    lod_out_print(&page->out,
                  "<img class=\"%s%s\" width=\"%u\" height=\"%u\" alt=\"%s at %s\" "
                  "src=\"data:image/jpeg;base64,",
                  class, scale > 1 ? " large" : "", picture->width * scale, picture->height * scale,
                  words, level);
    lod_out_base64(&page->out, picture->file.data, picture->file.bytes);
    lod_out_print(&page->out, "\">\n");
}

static int write_pair(struct lod_page *page, const struct lod_item *item,
                      const struct lod_survey_example *example, enum lod_fidelity fidelity,
                      const struct lod_picture_pair *pair)
{
    const bool chosen = fidelity == lod_survey_fidelity(&page->surveys[0]);
    const char *name = lod_fidelity_name(fidelity);
    uint64_t segments[LOD_GROUPS_MAX], bytes = 0;
    char text[LOD_REPORT_TEXT];
    int error = lod_codec_segments(item->codec, item->row, segments);

    error =
        error ? error : lod_codec_read_bytes(item->codec, item->row, segments, fidelity, &bytes);
    if (error) {
        return error;
    }
    lod_out_print(&page->out, "<li%s>\n<p class=\"tag\"><b>%s</b>%s</p>\n",
                  chosen ? " class=\"chosen\"" : "", name,
                  chosen ? " <span>the choice</span>" : "");
    write_image(page, &pair->whole, SMALL_SHOWN / 2, "whole", "The photograph", name);
    write_image(page, &pair->part, PART_SHOWN, "part", "The enlarged part", name);
    lod_out_print(&page->out, "<p class=\"facts\">%s · likeness %.3f</p>\n</li>\n",
                  lod_report_bytes(bytes, text), example->mssim[fidelity]);
    return 0;
}

static int write_caption(struct lod_page *page, const struct lod_item *item,
                         const struct lod_survey_example *example,
                         const struct lod_picture_set *set)
{
    char path[LOD_PATH_MAX + 1];
    struct lod_node node;
    int error = lod_index_node(page->facts->index, lod_row_own_node(item->row), &node);

    error = error ? error : lod_dataset_path(page->facts->dataset, &node, path);
    if (error) {
        return error;
    }
    lod_out_print(&page->out, "<figcaption>");
    lod_html_name(&page->out, path);
    lod_out_print(&page->out, " <span>%u × %u pixels", set->source_width, set->source_height);
    if (example->percent) {
        lod_out_print(&page->out, "; %u %% of the sample look less like full", example->percent);
    } else {
        lod_out_print(&page->out, "; the least alike of the sample");
    }
    lod_out_print(&page->out, "</span></figcaption>\n");
    return 0;
}

static int write_strip(struct lod_page *page, const struct lod_item *item, unsigned number,
                       const struct choice *choice, const struct lod_picture_set *set)
{
    const struct lod_survey_example *example = &page->surveys[0].examples[number];
    int error;

    lod_out_print(&page->out, "<figure>\n");
    error = write_caption(page, item, example, set);
    lod_out_print(&page->out,
                  "<ol class=\"strip\" tabindex=\"0\" aria-label=\"Photograph %u at rising "
                  "fidelities\">\n",
                  number + 1);
    for (unsigned i = 0; !error && i < choice->count; i++) {
        error = write_pair(page, item, example, choice->fidelities[i], &set->pairs[i]);
    }
    lod_out_print(&page->out, "</ol>\n</figure>\n");
    return error;
}

/* Writes one photograph, unless it cannot be read or the page would get too large. */
static int write_example(struct lod_page *page, struct lod_reader *reader, unsigned number,
                         const struct choice *choice, size_t *bytes)
{
    struct lod_picture_set set = {.source_width = 0};
    struct lod_item item;
    int error =
        lod_dataset_item(page->facts->dataset, page->surveys[0].examples[number].item, &item);

    if (error) {
        return error;
    }
    error = lod_picture_set_make(reader, &item, page->options->inputs[0].size, choice->fidelities,
                                 choice->count, &set);
    if (error) {
        error = lod_error_is_temporary(error) ? error : 0;
    } else if (*bytes + lod_picture_set_bytes(&set) <= PICTURE_BYTES_MAX) {
        *bytes += lod_picture_set_bytes(&set);
        error = write_strip(page, &item, number, choice, &set);
    }
    lod_picture_set_finish(&set);
    return error;
}

int lod_page_pictures(struct lod_page *page)
{
    const struct lod_reader_options reading = {
        .cache_bytes = CACHE_BYTES, .work_bytes = LOD_WORK_SIZE_DEFAULT, .threads = false};
    const struct choice choice = choose(&page->surveys[0]);
    struct lod_reader *reader = NULL;
    char input[LOD_PAGE_TEXT];
    size_t bytes = 0;
    int error = lod_reader_create(page->facts->dataset, &reading, &reader);

    lod_out_print(&page->out,
                  "<section aria-labelledby=\"look\">\n<h2 id=\"look\">See for yourself</h2>\n"
                  "<p>Photographs as the network gets them at %s, each with a part of it enlarged "
                  "below. The first is one of those that look least like full, the last one of "
                  "those that look most like it.</p>\n",
                  lod_page_input_name(&page->options->inputs[0], input));
    for (unsigned i = 0; !error && i < page->surveys[0].examples_count; i++) {
        error = write_example(page, reader, i, &choice, &bytes);
    }
    if (!error && bytes == 0) {
        lod_out_print(&page->out, "<p>None of them can be shown here: their pixels are neither "
                                  "gray nor RGB.</p>\n");
    }
    lod_out_print(&page->out, "</section>\n");
    lod_reader_destroy(reader);
    return error;
}

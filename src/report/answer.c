/* SPDX-License-Identifier: Apache-2.0 */
/* The head of the page: one sentence that names the fidelity to use, and a card for each size. */
#include <ctype.h>
#include <stdio.h>

#include "report/html.h"
#include "report/page.h"
#include "terminal/report.h"

static void say_choice(struct lod_page *page)
{
    const struct lod_survey *survey = &page->surveys[0];
    const struct lod_survey_level *chosen = &survey->levels[survey->chosen];
    const double times = lod_page_full(survey)->bytes / chosen->bytes;
    char input[LOD_PAGE_TEXT];

    lod_page_input_name(&page->options->inputs[0], input);
    if (survey->chosen + 1 == survey->count) {
        lod_out_print(&page->out,
                      "<h1>To train at %s, take <em>full</em>: no lower fidelity looks enough like "
                      "it.</h1>\n",
                      input);
    } else {
        lod_out_print(&page->out,
                      "<h1>To train at %s, take <em>%s</em>: its photographs look like the full "
                      "ones, in %.1f times fewer bytes.</h1>\n",
                      input, lod_fidelity_name(lod_survey_fidelity(survey)), times);
    }
}

/* Writes about the chosen level, or, if that is full, about the level below it: full is equal to
 * itself. */
static void say_measure(struct lod_page *page)
{
    const struct lod_survey *survey = &page->surveys[0];
    const bool lower = survey->chosen && survey->chosen + 1 == survey->count;
    const struct lod_survey_level *level = &survey->levels[survey->chosen - (lower ? 1 : 0)];
    char compared[LOD_REPORT_TEXT], all[LOD_REPORT_TEXT], margin[LOD_PAGE_TEXT] = "",
                                                          name[LOD_PAGE_TEXT];

    if (level->error > 0) {
        snprintf(margin, sizeof(margin), " ± %.3f", level->error);
    }
    lod_out_print(
        &page->out,
        "<p class=\"lead\">The mean likeness of %s to full is %.3f%s, measured on %s of %s %s. "
        "Equal images have 1, and %g was asked for.%s</p>\n",
        lod_page_level_name(level, name), level->mssim, margin,
        lod_report_count(survey->compared, compared), lod_report_count(survey->photographs, all),
        lod_report_plural(survey->photographs, "photograph", "photographs"), page->options->target,
        survey->decided ? ""
                        : " A lower fidelity may be enough too; a larger sample would show it.");
    if (survey->large) {
        lod_out_print(&page->out,
                      "<p class=\"lead\">Left out as too large to decode: %s of the store.</p>\n",
                      lod_report_count(survey->large, all));
    }
    if (survey->unreadable + survey->small) {
        lod_out_print(&page->out,
                      "<p class=\"lead\">Not compared: %u that are damaged or not of 8 bits, and "
                      "%u with a side below %u pixels.</p>\n",
                      survey->unreadable, survey->small, LOD_SURVEY_SIZE_MIN);
    }
    lod_out_print(&page->out,
                  "<p class=\"lead\">After this command the folder <code>auto</code> of a mount "
                  "shows this fidelity:</p>\n<pre class=\"command\"><code>lodfs set MOUNT "
                  "auto=%s</code></pre>\n",
                  lod_fidelity_name(lod_survey_fidelity(survey)));
}

/* Mentions lower fidelities for lossless images, where these are most of the store. */
static void say_levels(struct lod_page *page)
{
    if (lod_store_facts_want_levels(page->facts)) {
        lod_out_print(
            &page->out,
            "<p class=\"lead\">Most bytes are those of lossless images, which are the same "
            "at each fidelity. If they are photographs, and training "
            "waits for their bytes, pack them again with this option: they get lower "
            "fidelities, full stays exact, and the store grows by at most a "
            "tenth.</p>\n<pre class=\"command\"><code>lodfs pack "
            "--levels='*.png' SOURCE STORE</code></pre>\n");
    }
}

static void say_nothing(struct lod_page *page)
{
    char why[LOD_SURVEY_WHY_BYTES];

    if (page->facts->totals.all.files == 0) {
        lod_out_print(&page->out, "<h1>There are no files in this store.</h1>\n");
    } else if (page->surveys[0].verdict == LOD_SURVEY_NOTHING) {
        lod_out_print(&page->out, "<h1>Every file of this store is the same at each fidelity, so "
                                  "there is nothing to choose.</h1>\n");
        say_levels(page);
    } else {
        lod_out_print(&page->out, "<h1>No fidelity can be chosen.</h1>\n<p class=\"lead\">");
        lod_survey_why(&page->surveys[0], why);
        why[0] = (char)toupper(why[0]);
        lod_html_text(&page->out, why);
        lod_out_print(&page->out, ".</p>\n");
    }
}

void lod_page_answer(struct lod_page *page)
{
    const char *slash = strrchr(page->store, '/');

    lod_out_print(&page->out, "<header>\n<p class=\"eyebrow\"><span>lodfs report</span> ");
    lod_html_name(&page->out, slash && slash[1] ? slash + 1 : page->store);
    lod_out_print(&page->out, "</p>\n");
    if (page->surveys[0].verdict == LOD_SURVEY_CHOSEN) {
        say_choice(page);
        say_measure(page);
        say_levels(page);
    } else {
        say_nothing(page);
    }
    lod_out_print(&page->out, "</header>\n");
}

static void write_card(struct lod_page *page, unsigned number)
{
    const struct lod_survey *survey = &page->surveys[number];
    const struct lod_survey_input *input = &page->options->inputs[number];
    const struct lod_survey_level *chosen = &survey->levels[survey->chosen];
    char bytes[LOD_REPORT_TEXT];

    lod_out_print(&page->out, "<li%s>\n<h3>", number == 0 ? " class=\"first\"" : "");
    lod_out_print(&page->out, input->size ? "%u pixels" : "Own size", input->size);
    lod_out_print(&page->out, "</h3>\n");
    if (survey->verdict != LOD_SURVEY_CHOSEN) {
        lod_out_print(&page->out, "<p class=\"level\">–</p>\n<p>Too few photographs can be "
                                  "compared at this size.</p>\n</li>\n");
        return;
    }
    lod_out_print(&page->out, "<p class=\"level\">%s</p>\n",
                  lod_fidelity_name(lod_survey_fidelity(survey)));
    lod_out_print(&page->out, "<p class=\"share\">%.0f %% of full’s bytes</p>\n<dl>\n",
                  100 * chosen->bytes / lod_page_full(survey)->bytes);
    lod_out_print(&page->out, "<div><dt>bytes each</dt><dd>%s</dd></div>\n",
                  lod_report_bytes((uint64_t)(chosen->bytes + .5), bytes));
    lod_out_print(&page->out, "<div><dt>likeness</dt><dd>%.3f</dd></div>\n", chosen->mssim);
    lod_out_print(&page->out, "<div><dt>worst tenth</dt><dd>%.3f</dd></div>\n</dl>\n</li>\n",
                  chosen->worst_tenth);
}

void lod_page_cards(struct lod_page *page)
{
    unsigned order[LOD_SURVEY_INPUTS_MAX];
    const unsigned count = lod_page_inputs(page, order);

    lod_out_print(
        &page->out,
        "<section aria-labelledby=\"sizes\">\n<h2 id=\"sizes\">The fidelity for each size</h2>\n"
        "<p>The smaller the images that the network gets, the less detail it can see, and the "
        "lower the fidelity that is enough. The size is the shorter side. One photograph in ten "
        "has at most the likeness of the worst tenth.</p>\n<ul class=\"cards\">\n");
    for (unsigned i = 0; i < count; i++) {
        write_card(page, order[i]);
    }
    lod_out_print(&page->out, "</ul>\n</section>\n");
}

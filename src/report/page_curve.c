/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The curve: likeness against the bytes of a photograph, a line for each size. It is drawn twice,
 * for wide and for narrow screens; the style shows one of them. The numbers follow as a table.
 */
#include <math.h>

#include "report/page.h"
#include "terminal/report.h"

#define KIB      1024.0
#define NAME_GAP 28.0 /* between the names of two fidelities */
#define TICK_GAP 52.0
#define LOW_MAX  .9 /* the axis of likeness begins here, or lower */
#define TICKS    30 /* at .001, .002, .005, .01, .. of the unit */

struct chart {
    struct lod_page *page;
    const struct lod_survey *survey; /* any input's survey: names and bytes are the same in all */
    const char *class;
    double width, height, left, right, top, bottom;
    double most; /* bytes */
    double low;
};

static double x_of(const struct chart *chart, double bytes)
{
    return chart->left + (chart->width - chart->left - chart->right) * sqrt(bytes / chart->most);
}

static double y_of(const struct chart *chart, double mssim)
{
    return chart->top +
           (chart->height - chart->top - chart->bottom) * (1 - mssim) / (1 - chart->low);
}

static double lowest(const struct lod_page *page)
{
    double low = LOW_MAX;

    for (unsigned i = 0; i < page->options->inputs_count; i++) {
        const struct lod_survey *survey = &page->surveys[i];
        for (unsigned k = 0; survey->verdict == LOD_SURVEY_CHOSEN && k < survey->count; k++) {
            low = fmin(low, survey->levels[k].mssim);
        }
    }
    return fmax(0, floor(low * 20) / 20);
}

static void draw_grid(const struct chart *chart)
{
    struct lod_out *out = &chart->page->out;
    const double range = 1 - chart->low;
    const double step = range > .55 ? .2 : range > .25 ? .1 : range > .12 ? .05 : .02;

    for (int i = 0; 1 - i * step > chart->low - 1e-9; i++) {
        const double value = 1 - i * step, y = y_of(chart, value);
        lod_out_print(out, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>",
                      chart->left, chart->width - chart->right, y, y);
        lod_out_print(
            out, "<text class=\"tick\" text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">%.2f</text>\n",
            chart->left - 8, y + 4, value);
    }
}

static void draw_tick(const struct chart *chart, double x, double value)
{
    const double base = chart->height - chart->bottom;

    lod_out_print(&chart->page->out,
                  "<line class=\"mark\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>"
                  "<text class=\"tick\" text-anchor=\"middle\" x=\"%.1f\" y=\"%.1f\">%g</text>\n",
                  x, x, base, base + 5, x, base + 20, value);
}

/* Draws ticks of bytes: 0, and from the largest down those that do not touch another. */
static void draw_ticks(const struct chart *chart)
{
    static const double digits[] = {1, 2, 5};
    const bool mebi = chart->most >= 4 * KIB * KIB;
    const double unit = mebi ? KIB * KIB : KIB;
    double last = chart->width;

    for (int i = TICKS - 1; i >= 0; i--) {
        const double value = digits[i % 3] * pow(10, i / 3 - 3);
        const double x = x_of(chart, value * unit);
        if (value * unit <= chart->most && last - x >= TICK_GAP && x - chart->left >= TICK_GAP) {
            draw_tick(chart, x, value);
            last = x;
        }
    }
    draw_tick(chart, chart->left, 0);
    lod_out_print(
        &chart->page->out,
        "<text class=\"tick\" text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">%s a photograph</text>\n",
        chart->width - chart->right, chart->height - chart->bottom + 40, mebi ? "MiB" : "KiB");
}

/* Writes a level's name above its point, unless it would touch a name that is already drawn. */
static void draw_name(const struct chart *chart, unsigned level, double *names, unsigned *count)
{
    const double x = x_of(chart, chart->survey->levels[level].bytes);
    char name[LOD_PAGE_TEXT];

    for (unsigned i = 0; i < *count; i++) {
        if (fabs(names[i] - x) < NAME_GAP) {
            return;
        }
    }
    names[(*count)++] = x;
    lod_out_print(&chart->page->out,
                  "<text class=\"name\" text-anchor=\"middle\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
                  x, chart->top - 10, lod_page_level_name(&chart->survey->levels[level], name));
}

/* Writes the names of full and of the choice first, then the names that do not touch another. */
static void draw_names(const struct chart *chart)
{
    double names[LOD_FULL + 2];
    unsigned count = 0;

    draw_name(chart, chart->survey->count - 1, names, &count);
    draw_name(chart, chart->survey->chosen, names, &count);
    for (unsigned i = 0; i < chart->survey->count; i++) {
        const double x = x_of(chart, chart->survey->levels[i].bytes);
        lod_out_print(&chart->page->out,
                      "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", x,
                      x, chart->top, chart->height - chart->bottom);
        draw_name(chart, i, names, &count);
    }
}

static void draw_target(const struct chart *chart)
{
    const double target = chart->page->options->target;

    if (target > chart->low) {
        const double y = y_of(chart, target);
        lod_out_print(&chart->page->out,
                      "<line class=\"target\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>"
                      "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\">asked for</text>\n",
                      chart->left, chart->width - chart->right, y, y, chart->left + 6, y - 6);
    }
}

/* `line` is the number of the line, which gives its colour and dashes. */
static void draw_line(const struct chart *chart, unsigned line, unsigned input)
{
    struct lod_out *out = &chart->page->out;
    const struct lod_survey *survey = &chart->page->surveys[input];
    char name[LOD_PAGE_TEXT], size[LOD_PAGE_TEXT];

    lod_out_print(out, "<g class=\"line l%u\"><polyline points=\"", line);
    for (unsigned i = 0; i < survey->count; i++) {
        const struct lod_survey_level *level = &survey->levels[i];
        lod_out_print(out, "%s%.1f,%.1f", i ? " " : "", x_of(chart, level->bytes),
                      y_of(chart, level->mssim));
    }
    lod_out_print(out, "\"/>\n");
    lod_page_input_name(&chart->page->options->inputs[input], size);
    for (unsigned i = 0; i < survey->count; i++) {
        const struct lod_survey_level *level = &survey->levels[i];
        lod_out_print(
            out,
            "<circle%s cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"><title>%s at %s: %.4f</title></circle>\n",
            i == survey->chosen ? " class=\"chosen\"" : "", x_of(chart, level->bytes),
            y_of(chart, level->mssim), i == survey->chosen ? 6 : 3,
            lod_page_level_name(level, name), size, level->mssim);
    }
    lod_out_print(out, "</g>\n");
}

static void draw(const struct chart *chart)
{
    struct lod_page *page = chart->page;
    unsigned order[LOD_SURVEY_INPUTS_MAX];
    const unsigned count = lod_page_inputs(page, order);

    lod_out_print(
        &page->out,
        "<svg class=\"%s\" viewBox=\"0 0 %g %g\" role=\"img\" aria-label=\"Likeness to the "
        "full photograph against bytes, a line for each size; the table below has the "
        "numbers.\">\n",
        chart->class, chart->width, chart->height);
    draw_grid(chart);
    draw_ticks(chart);
    draw_names(chart);
    draw_target(chart);
    for (unsigned i = count; i-- > 0;) {
        if (page->surveys[order[i]].verdict == LOD_SURVEY_CHOSEN) {
            draw_line(chart, i, order[i]);
        }
    }
    lod_out_print(&page->out, "</svg>\n");
}

static void write_legend(struct lod_page *page)
{
    unsigned order[LOD_SURVEY_INPUTS_MAX];
    const unsigned count = lod_page_inputs(page, order);
    char name[LOD_PAGE_TEXT];

    lod_out_print(&page->out, "<ul class=\"legend\">\n");
    for (unsigned i = 0; i < count; i++) {
        lod_out_print(&page->out,
                      "<li><svg viewBox=\"0 0 36 10\" aria-hidden=\"true\"><g class=\"line l%u\">"
                      "<polyline points=\"0,5 36,5\"/></g></svg>%s</li>\n",
                      i, lod_page_input_name(&page->options->inputs[order[i]], name));
    }
    lod_out_print(&page->out,
                  "<li><svg viewBox=\"0 0 36 14\" aria-hidden=\"true\"><g class=\"line\">"
                  "<circle class=\"chosen\" cx=\"18\" cy=\"7\" r=\"6\"/></g></svg>the "
                  "choice</li>\n</ul>\n");
}

static void write_row(struct lod_page *page, const unsigned *order, unsigned count, unsigned level)
{
    const struct lod_survey *survey = &page->surveys[0];
    const struct lod_survey_level *of = &survey->levels[level];
    char name[LOD_PAGE_TEXT], bytes[LOD_REPORT_TEXT];

    lod_out_print(&page->out, "<tr><th scope=\"row\">%s</th><td>%s</td><td>%.1f %%</td>",
                  lod_page_level_name(of, name),
                  lod_report_bytes((uint64_t)(of->bytes + .5), bytes),
                  100 * of->bytes / lod_page_full(survey)->bytes);
    for (unsigned i = 0; i < count; i++) {
        const struct lod_survey *column = &page->surveys[order[i]];
        if (column->verdict == LOD_SURVEY_CHOSEN) {
            lod_out_print(&page->out, "<td%s>%.4f</td>",
                          column->chosen == level ? " class=\"chosen\"" : "",
                          column->levels[level].mssim);
        } else {
            lod_out_print(&page->out, "<td>–</td>");
        }
    }
    lod_out_print(&page->out, "</tr>\n");
}

static void write_table(struct lod_page *page)
{
    unsigned order[LOD_SURVEY_INPUTS_MAX];
    const unsigned count = lod_page_inputs(page, order);

    lod_out_print(&page->out,
                  "<details>\n<summary>The numbers</summary>\n<div class=\"wide\" "
                  "tabindex=\"0\" role=\"region\" aria-label=\"Likeness by fidelity\">\n"
                  "<table>\n<thead><tr><th scope=\"col\">fidelity</th>"
                  "<th scope=\"col\">bytes read</th><th scope=\"col\">of full</th>");
    for (unsigned i = 0; i < count; i++) {
        const unsigned size = page->options->inputs[order[i]].size;
        lod_out_print(&page->out,
                      size ? "<th scope=\"col\">%u px</th>" : "<th scope=\"col\">own size</th>",
                      size);
    }
    lod_out_print(&page->out, "</tr></thead>\n<tbody>\n");
    for (unsigned level = 0; level < page->surveys[0].count; level++) {
        write_row(page, order, count, level);
    }
    lod_out_print(&page->out, "</tbody>\n</table>\n</div>\n</details>\n");
}

void lod_page_curve(struct lod_page *page)
{
    struct chart wide = {.page = page,
                         .survey = &page->surveys[0],
                         .class = "chart on-wide",
                         .width = 880,
                         .height = 420,
                         .left = 52,
                         .right = 26,
                         .top = 34,
                         .bottom = 52,
                         .most = lod_page_full(&page->surveys[0])->bytes,
                         .low = lowest(page)};
    struct chart narrow = wide;

    narrow.class = "chart on-narrow";
    narrow.width = 360;
    narrow.height = 340;
    narrow.left = 40;
    narrow.right = 14;
    lod_out_print(
        &page->out,
        "<section aria-labelledby=\"curve\">\n<h2 id=\"curve\">Likeness against bytes</h2>\n"
        "<p>Each point is a fidelity, from q1 with the fewest bytes to full with all of them. The "
        "further left, the less is read; the higher, the more it looks like full.</p>\n"
        "<div class=\"panel\">\n");
    write_legend(page);
    draw(&wide);
    draw(&narrow);
    lod_out_print(&page->out, "</div>\n");
    write_table(page);
    lod_out_print(&page->out, "</section>\n");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The frame of the page; see page.h. */
#include "report/page.h"

#include <stdio.h>

#include "report/html.h"

/* Made of page.css by embed.py. */
extern const unsigned char lod_page_css[];
extern const size_t lod_page_css_bytes;

#define LIKENESS_TOPIC                                                                             \
    "Likeness is MS-SSIM, where 1 is equal, after the resize that training applies: a triangle "   \
    "filter, as Pillow and torchvision have it."
#define PICTURES_TOPIC                                                                             \
    " The pictures are the store's decoded pixels, coded again as JPEG of quality 95 with whole "  \
    "chroma, so small differences beside full are this page's own."

static void write_head(struct lod_page *page)
{
    struct lod_out *out = &page->out;

    lod_out_print(out, "%s",
                  "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "img-src data:; style-src 'unsafe-inline'\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n"
                  "<meta name=\"referrer\" content=\"no-referrer\">\n<title>lodfs report: ");
    lod_html_text(out, page->store);
    lod_out_print(out, "%s", "</title>\n<style>\n");
    lod_out_put(out, lod_page_css, lod_page_css_bytes);
    lod_out_print(out, "%s", "</style>\n</head>\n<body>\n");
}

static void write_foot(struct lod_page *page)
{
    char id[LOD_ID_TEXT_BYTES];
    const bool chosen = page->surveys[0].verdict == LOD_SURVEY_CHOSEN;

    lod_id_text(page->facts->manifest->store_id, id);
    lod_out_print(&page->out, "<footer>\n<p>%s%s</p>\n", chosen ? LIKENESS_TOPIC : "",
                  chosen && page->pictures ? PICTURES_TOPIC : "");
    lod_out_print(&page->out, "<p>Written by lodfs %s. Store id <code>%s</code>.</p>\n</footer>\n",
                  LODFS_VERSION, id);
    lod_out_print(&page->out, "</body>\n</html>\n");
}

int lod_page_write(struct lod_page *page)
{
    const bool chosen = page->surveys[0].verdict == LOD_SURVEY_CHOSEN;
    int error = 0;

    write_head(page);
    lod_page_answer(page);
    lod_out_print(&page->out, "<main>\n");
    if (chosen) {
        lod_page_cards(page);
        lod_page_curve(page);
        error = page->pictures ? lod_page_pictures(page) : 0;
    }
    error = error ? error : lod_page_stored(page);
    error = error ? error : lod_page_tables(page);
    lod_page_scripts(page);
    lod_out_print(&page->out, "</main>\n");
    write_foot(page);
    return error;
}

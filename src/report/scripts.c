/* SPDX-License-Identifier: Apache-2.0 */
/* The section of scan scripts: which one each class of photographs got, beside the default one. */
#include <stdio.h>

#include "report/html.h"
#include "report/page.h"
#include "report/scan_facts.h"

#define SHOWN_AT .95

static const char heads[] =
    "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Scan scripts\">\n<table>\n"
    "<thead><tr><th scope=\"col\">class</th><th scope=\"col\">photographs</th>"
    "<th scope=\"col\">script</th><th scope=\"col\">reaches .95 at</th>"
    "<th scope=\"col\">bytes at q1</th><th scope=\"col\">default’s</th>"
    "<th scope=\"col\">MS-SSIM at q1</th><th scope=\"col\">default’s</th></tr></thead>\n"
    "<tbody>\n";

/* Writes the value at q1; a share of bytes as percent. */
static void write_number(struct lod_page *page, const cJSON *object, const char *key, bool percent)
{
    char text[LOD_PAGE_TEXT] = "–";
    double value;

    if (lod_scan_number_at(object, key, 0, &value)) {
        snprintf(text, sizeof(text), percent ? "%.1f %%" : "%.3f", percent ? 100 * value : value);
    }
    lod_out_print(&page->out, "<td>%s</td>", text);
}

static void write_class(struct lod_page *page, const cJSON *class)
{
    const cJSON *standard = cJSON_GetObjectItemCaseSensitive(class, "default");
    const char *script = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(class, "script"));
    char at[LOD_REPORT_TEXT];

    lod_scan_reach(class, SHOWN_AT, at);
    lod_out_print(&page->out, "<tr><th scope=\"row\">%.0f</th><td>%.0f</td><td>",
                  lod_scan_number(class, "class"), lod_scan_number(class, "seen"));
    lod_html_name(&page->out, script ? script : "?");
    lod_out_print(&page->out, "</td><td>%s</td>", at);
    write_number(page, class, "bytes", true);
    write_number(page, standard, "bytes", true);
    write_number(page, class, "mssim", false);
    write_number(page, standard, "mssim", false);
    lod_out_print(&page->out, "</tr>\n");
}

void lod_page_scripts(struct lod_page *page)
{
    const cJSON *class,
        *classes = cJSON_GetObjectItemCaseSensitive(page->facts->manifest->scans, "classes");
    bool any = false;

    cJSON_ArrayForEach(class, classes)
    {
        if (lod_scan_number(class, "samples") > 0) {
            if (!any) {
                lod_out_print(
                    &page->out,
                    "<section aria-labelledby=\"scripts\">\n<h2 id=\"scripts\">Scan "
                    "scripts</h2>\n<p>A scan script says which part of a JPEG each fidelity "
                    "adds. Photographs that were compressed about equally are a class, and "
                    "share the script that was best on a sample when the store was packed. "
                    "Bytes are shares of the source’s; MS-SSIM is at the photographs’ own "
                    "size.</p>\n%s",
                    heads);
            }
            any = true;
            write_class(page, class);
        }
    }
    if (any) {
        lod_out_print(&page->out, "</tbody>\n</table>\n</div>\n</section>\n");
    }
}

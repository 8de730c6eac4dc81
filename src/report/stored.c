/* SPDX-License-Identifier: Apache-2.0 */
/* The section of the store: a pair of bars for each codec, and the facts of `lodfs info`. */
#include <errno.h>
#include <stdio.h>

#include "report/html.h"
#include "report/page.h"
#include "terminal/report.h"

#define WHOLE_SHOWN 20u

static const char *const kinds[LOD_CODECS] = {
    [LOD_CODEC_PCR] = "JPEG photographs",
    [LOD_CODEC_L3] = "Lossless images",
    [LOD_CODEC_TOC] = "Tables",
    [LOD_CODEC_RAW] = "Other files",
};

static void write_bar(struct lod_page *page, const char *word, uint64_t bytes, uint64_t most)
{
    char text[LOD_REPORT_TEXT];
    const double share = most ? 100 * (double)bytes / (double)most : 0;

    lod_out_print(&page->out,
                  "<div class=\"bar %s\"><span>%s</span><i><b style=\"width:%.2f%%\"></b></i>"
                  "<em>%s</em></div>\n",
                  word, word, share, lod_report_bytes(bytes, text));
}

static uint64_t most_bytes(const struct lod_store_totals *totals)
{
    uint64_t most = 0;

    for (unsigned id = 0; id < LOD_CODECS; id++) {
        const struct lod_store_totals_codec *sums = &totals->codecs[id];
        most = sums->source_bytes > most ? sums->source_bytes : most;
        most = sums->stored_bytes > most ? sums->stored_bytes : most;
    }
    return most;
}

static void write_codecs(struct lod_page *page)
{
    const struct lod_store_totals *totals = &page->facts->totals;
    const uint64_t most = most_bytes(totals);
    char files[LOD_REPORT_TEXT], share[LOD_REPORT_TEXT];

    lod_out_print(&page->out, "<ul class=\"codecs\">\n");
    for (unsigned id = 0; id < LOD_CODECS; id++) {
        const struct lod_store_totals_codec *sums = &totals->codecs[id];
        if (sums->items && kinds[id]) {
            lod_out_print(&page->out,
                          "<li>\n<h3>%s <small>%s %s, stored in %s of their bytes</small></h3>\n",
                          kinds[id], lod_report_count(sums->files, files),
                          lod_report_plural(sums->files, "file", "files"),
                          lod_report_share(sums->stored_bytes, sums->source_bytes, share));
            write_bar(page, "source", sums->source_bytes, most);
            write_bar(page, "stored", sums->stored_bytes, most);
            lod_out_print(&page->out, "</li>\n");
        }
    }
    lod_out_print(&page->out, "</ul>\n");
}

static void write_facts(struct lod_page *page)
{
    const struct lod_store_facts *facts = page->facts;
    const struct lod_store_totals *totals = &facts->totals;
    char text[LOD_REPORT_TEXT], folders[LOD_REPORT_TEXT], records[LOD_REPORT_TEXT];

    lod_out_print(&page->out, "<ul class=\"facts\">\n<li>%s %s",
                  lod_report_count(totals->all.files, text),
                  lod_report_plural(totals->all.files, "file", "files"));
    if (facts->folders) {
        lod_out_print(&page->out, " in %s %s", lod_report_count(facts->folders, folders),
                      lod_report_plural(facts->folders, "folder", "folders"));
    }
    lod_out_print(&page->out, ".</li>\n");
    lod_out_print(&page->out, "<li>%s %s on disk, %s.</li>\n",
                  lod_report_count(facts->manifest->records, records),
                  lod_report_plural(facts->manifest->records, "record", "records"),
                  lod_report_bytes(facts->record_bytes, text));
    if (facts->aliases) {
        lod_out_print(&page->out,
                      "<li>%s of the files are equal to another one, and stored "
                      "once.</li>\n",
                      lod_report_count(facts->aliases, text));
    }
    if (totals->levels) {
        lod_out_print(&page->out, "<li>");
        lod_store_totals_print_levels(totals, page->out.file);
        lod_out_print(&page->out, "</li>\n");
    }
    if (totals->unshrinkable_bytes) {
        lod_out_print(&page->out,
                      "<li>%s of the bytes are the same at every fidelity: lossless images, tables "
                      "and other files.</li>\n",
                      lod_report_share(totals->unshrinkable_bytes, totals->shown_bytes, text));
    }
    if (totals->no_original) {
        lod_out_print(&page->out,
                      "<li>%s %s no original: the pixels and metadata are kept exactly, but not "
                      "the bytes of the source file.</li>\n",
                      lod_report_count(totals->no_original, text),
                      lod_report_plural(totals->no_original, "file has", "files have"));
    }
    lod_out_print(&page->out, "</ul>\n");
}

/* The manifest may have any names and values. */
static int write_options(struct lod_page *page)
{
    const cJSON *option;

    lod_out_print(&page->out,
                  "<details>\n<summary>Packed with</summary>\n<dl class=\"options\">\n");
    cJSON_ArrayForEach(option, page->facts->manifest->pack)
    {
        char *value = cJSON_PrintUnformatted(option);
        if (!value) {
            return -ENOMEM;
        }
        lod_out_print(&page->out, "<div><dt>");
        lod_html_text(&page->out, option->string);
        lod_out_print(&page->out, "</dt><dd>");
        lod_html_name(&page->out, cJSON_IsString(option) ? option->valuestring : value);
        lod_out_print(&page->out, "</dd></div>\n");
        cJSON_free(value);
    }
    lod_out_print(&page->out, "</dl>\n</details>\n");
    return 0;
}

static int write_path(struct lod_page *page, uint32_t number)
{
    char path[LOD_PATH_MAX + 1];
    struct lod_node node;
    int error = lod_index_node(page->facts->index, number, &node);

    error = error ? error : lod_dataset_path(page->facts->dataset, &node, path);
    if (!error) {
        lod_out_print(&page->out, "<li>");
        lod_html_name(&page->out, path);
        lod_out_print(&page->out, "</li>\n");
    }
    return error;
}

static int write_whole(struct lod_page *page)
{
    const size_t count = page->facts->whole.count;
    char text[LOD_REPORT_TEXT];
    int error = 0;

    if (count == 0) {
        return 0;
    }
    lod_out_print(&page->out,
                  "<details>\n<summary>%s %s stored whole, the same at every fidelity</summary>\n"
                  "<ul class=\"paths\">\n",
                  lod_report_count(count, text), lod_report_plural(count, "file", "files"));
    for (size_t i = 0; !error && i < count && i < WHOLE_SHOWN; i++) {
        error = write_path(page, page->facts->whole.at[i]);
    }
    if (count > WHOLE_SHOWN) {
        lod_out_print(&page->out, "<li>and %zu more, which <code>lodfs info -v</code> lists</li>\n",
                      count - WHOLE_SHOWN);
    }
    lod_out_print(&page->out, "</ul>\n</details>\n");
    return error;
}

int lod_page_stored(struct lod_page *page)
{
    lod_out_print(
        &page->out,
        "<section aria-labelledby=\"stored\">\n<h2 id=\"stored\">Contents of the store</h2>\n<p>");
    lod_html_name(&page->out, page->store);
    lod_out_print(&page->out, "</p>\n");
    write_codecs(page);
    write_facts(page);
    int error = write_whole(page);
    error = error ? error : write_options(page);
    lod_out_print(&page->out, "</section>\n");
    return error;
}

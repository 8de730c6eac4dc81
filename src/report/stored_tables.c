/* SPDX-License-Identifier: Apache-2.0 */
/* The section of tables: those that are stored as shards, the first ones by name of the index. */
#include "report/html.h"
#include "report/page.h"
#include "terminal/report.h"
#include "toc/shard/dtype.h"
#include "toc/table_row.h"

#define TABLES_SHOWN 50u

/* A table: its own item and the shards behind it. */
struct table {
    uint8_t row[LOD_ROW_BYTES];
    uint64_t stored_bytes;
};

static int add_item(struct lod_page *page, uint32_t number, struct table *table)
{
    uint8_t row[LOD_ROW_BYTES];
    uint64_t segments[LOD_GROUPS_MAX];
    int error = lod_index_item(page->facts->index, number, row);

    error = error ? error : lod_codec_segments(lod_codec_find(LOD_CODEC_TOC), row, segments);
    for (unsigned i = 0; !error && i < LOD_GROUPS_MAX; i++) {
        table->stored_bytes += segments[i];
    }
    return error;
}

static int write_table(struct lod_page *page, const struct table *table)
{
    const uint8_t *row = table->row;
    const uint64_t source = lod_get_le64(row + LOD_TABLE_ROW_BYTES);
    char path[LOD_PATH_MAX + 1], dtype[LOD_DTYPE_NAME_BYTES], rows[LOD_REPORT_TEXT],
        columns[LOD_REPORT_TEXT], bytes[LOD_REPORT_TEXT], stored[LOD_REPORT_TEXT];
    struct lod_node node;
    int error = lod_index_node(page->facts->index, lod_row_own_node(row), &node);

    error = error ? error : lod_dataset_path(page->facts->dataset, &node, path);
    if (error) {
        return error;
    }
    lod_dtype_name(row[LOD_TABLE_ROW_DTYPE], dtype);
    lod_out_print(&page->out, "<tr><th scope=\"row\">");
    lod_html_name(&page->out, path);
    lod_out_print(&page->out, "</th><td>%s × %s</td><td><code>",
                  lod_report_count(lod_get_le64(row + LOD_TABLE_ROW_ROWS), rows),
                  lod_report_count(lod_get_le32(row + LOD_TABLE_ROW_COLUMNS), columns));
    lod_html_text(&page->out, dtype);
    lod_out_print(&page->out, "</code></td><td>%s</td><td>%s</td><td>%.1f</td></tr>\n",
                  lod_report_bytes(source, bytes), lod_report_bytes(table->stored_bytes, stored),
                  (double)source / (double)table->stored_bytes);
    return 0;
}

static void begin(struct lod_page *page)
{
    lod_out_print(
        &page->out, "%s",
        "<section aria-labelledby=\"tables\">\n<h2 id=\"tables\">Tables</h2>\n"
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Tables\">\n<table>\n"
        "<thead><tr><th scope=\"col\">table</th><th scope=\"col\">rows × columns</th>"
        "<th scope=\"col\">type</th><th scope=\"col\">source</th><th scope=\"col\">stored</th>"
        "<th scope=\"col\">times smaller</th></tr></thead>\n<tbody>\n");
}

static void end(struct lod_page *page, uint64_t tables)
{
    char text[LOD_REPORT_TEXT];

    lod_out_print(&page->out, "</tbody>\n</table>\n</div>\n");
    if (tables > TABLES_SHOWN) {
        lod_out_print(&page->out, "<p>And %s more.</p>\n",
                      lod_report_count(tables - TABLES_SHOWN, text));
    }
    lod_out_print(&page->out, "</section>\n");
}

/* Reads the items of a record once. `left` counts the shards of `table` that follow, which may be
 * in the next record. */
static int read_record(struct lod_page *page, const struct lod_record_desc *recd,
                       struct table *table, uint32_t *left, uint64_t *tables)
{
    int error = 0;

    for (uint32_t i = 0; !error && i < recd->items; i++) {
        if (*left == 0) {
            *table = (struct table){.stored_bytes = 0};
            error = lod_index_item(page->facts->index, recd->first_item + i, table->row);
            if (error || (lod_row_flags(table->row) & LOD_ITEM_SHARD)) {
                continue; /* a shard beside a file that is stored itself */
            }
            *left = lod_get_le32(table->row + LOD_TABLE_ROW_SHARDS) + 1;
            if ((*tables)++ == 0) {
                begin(page);
            }
        }
        error = error ? error : add_item(page, recd->first_item + i, table);
        if (!error && --*left == 0 && *tables <= TABLES_SHOWN) {
            error = write_table(page, table);
        }
    }
    return error;
}

int lod_page_tables(struct lod_page *page)
{
    struct table table = {.stored_bytes = 0};
    struct lod_record_desc recd;
    uint32_t left = 0;
    uint64_t tables = 0;
    int error = 0;

    for (uint32_t r = 0; !error && r < lod_index_records(page->facts->index); r++) {
        error = lod_index_record(page->facts->index, r, &recd);
        if (!error && recd.codec == LOD_CODEC_TOC) {
            error = read_record(page, &recd, &table, &left, &tables);
        }
    }
    if (tables) {
        end(page, tables);
    }
    return error;
}

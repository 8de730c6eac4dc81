/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the facts about a store as text and as JSON; see info.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "output/info_report.h"
#include "terminal/report.h"
#include "output/photo_report.h"
#include "report/scan_report.h"

#define WHOLE_SHOWN 10
#define COLUMNS     78u /* of a terminal of 80, without a comma and the cursor */
#define INDENT      13u

/* With fewer items the index has its minimal size, and bytes per item have no meaning. */
#define AVERAGE_ITEMS_MIN 10000

#define FACTS_MAX 16

/* Returns the number of facts. Those that are printed as text come first. */
static size_t make_facts(const struct lod_info *info, struct lod_fact facts[FACTS_MAX])
{
    const struct lod_fact all[] = {
        {NULL, "file", "files", info->facts.totals.all.files},
        {"folders", "folder", "folders", info->facts.folders},
        {"symlinks", "symbolic link", "symbolic links", info->facts.symlinks},
        {"shared_files", NULL, NULL, info->facts.aliases},
        {"records", NULL, NULL, info->facts.manifest->records},
        {"record_bytes", NULL, NULL, info->facts.record_bytes},
        {"index_bytes", NULL, NULL, info->facts.manifest->index_bytes},
        {"major", NULL, NULL, LOD_FORMAT_MAJOR},
        {"minor", NULL, NULL, LOD_FORMAT_MINOR},
    };

    _Static_assert(sizeof(all) <= FACTS_MAX * sizeof(all[0]), "FACTS_MAX");
    memcpy(facts, all, sizeof(all));
    return sizeof(all) / sizeof(all[0]);
}

static void print_head(const struct lod_info *info)
{
    char id[LOD_ID_TEXT_BYTES], text[LOD_REPORT_TEXT];
    struct lod_fact facts[FACTS_MAX];
    uint64_t index_bytes = info->facts.manifest->index_bytes;

    lod_id_text(info->facts.manifest->store_id, id);
    lod_print(stdout, "%pE\n\n", info->store);
    printf("  store id   %s\n", id);
    printf("  format     %u.%u\n", LOD_FORMAT_MAJOR, LOD_FORMAT_MINOR);
    printf("  holds      ");
    lod_facts_print(facts, make_facts(info, facts), stdout);
    if (info->facts.aliases) {
        printf("\n             %s of the files are equal to another one",
               lod_report_count(info->facts.aliases, text));
    }
    printf("\n  records    %" PRIu64 ", %s\n", info->facts.manifest->records,
           lod_report_bytes(info->facts.record_bytes, text));
    printf("  index      %s", lod_report_bytes(index_bytes, text));
    if (info->facts.manifest->items >= AVERAGE_ITEMS_MIN) {
        printf(", %.0f bytes an item", (double)index_bytes / (double)info->facts.manifest->items);
    }
    putchar('\n');
}

/* Prints "name value, name value", wrapped. The manifest may have any names and values. */
static int print_options(const struct lod_info *info)
{
    const cJSON *option;
    size_t column = 0;

    cJSON_ArrayForEach(option, info->facts.manifest->pack)
    {
        char *value = cJSON_PrintUnformatted(option);
        char text[192];
        if (!value) {
            return -ENOMEM;
        }
        const char *plain = cJSON_IsString(option) ? option->valuestring : value;
        size_t bytes = lod_format(text, sizeof(text), "%pE %pE", option->string, plain);
        if (column == 0 || column + bytes + 2 > COLUMNS) {
            printf("%s  %-11s%s", column ? ",\n" : "", column ? "" : "packed", text);
            column = INDENT + bytes;
        } else {
            printf(", %s", text);
            column += bytes + 2;
        }
        cJSON_free(value);
    }
    puts(column ? "\n" : "");
    return 0;
}

static int print_whole(const struct lod_info *info)
{
    char path[LOD_PATH_MAX + 1];
    struct lod_node node;
    size_t shown = info->verbose || info->facts.whole.count < WHOLE_SHOWN ? info->facts.whole.count
                                                                          : WHOLE_SHOWN;
    int error = 0;

    if (info->facts.whole.count) {
        printf("\nStored whole, with the same bytes at every fidelity: %zu %s\n",
               info->facts.whole.count,
               lod_report_plural(info->facts.whole.count, "file", "files"));
    }
    for (size_t i = 0; !error && i < shown; i++) {
        error = lod_index_node(info->facts.index, info->facts.whole.at[i], &node);
        error = error ? error : lod_dataset_path(info->dataset, &node, path);
        if (!error) {
            lod_print(stdout, "  %pE\n", path);
        }
    }
    if (!error && shown < info->facts.whole.count) {
        printf("  and %zu more (-v lists all)\n", info->facts.whole.count - shown);
    }
    return error;
}

static int print_scans(const struct lod_info *info)
{
    const cJSON *scans = info->facts.manifest->scans;

    if (!scans) {
        return 0;
    }
    puts("\nScan scripts by quantisation class (0 is the finest), and the first fidelity\n"
         "that reaches an MSSIM of .95 or .98, with its share of the source's bytes:");
    int error = lod_scan_report_classes(scans, stdout);
    if (!error && info->verbose) {
        putchar('\n');
        error = lod_scan_report_tables(scans, stdout);
    }
    return error;
}

int lod_info_print(const struct lod_info *info)
{
    char count[LOD_REPORT_TEXT];

    print_head(info);
    int error = print_options(info);
    error = error ? error : lod_store_totals_print_codecs(&info->facts.totals, stdout);
    putchar('\n');
    error = error ? error
                  : lod_scan_report_fidelities(&info->facts.totals, info->facts.manifest->scans,
                                               stdout);
    if (error) {
        return error;
    }
    putchar('\n');
    lod_photo_report_kind(
        &info->facts.totals,
        cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(info->facts.manifest->pack, "full")),
        stdout);
    lod_store_totals_print_levels(&info->facts.totals, stdout);
    lod_store_totals_print_same(&info->facts.totals, stdout);
    if (info->facts.totals.no_original) {
        printf("%s %s no original: pixels and metadata are exact, not the file's own bytes.\n",
               lod_report_count(info->facts.totals.no_original, count),
               lod_report_plural(info->facts.totals.no_original, "file has", "files have"));
    }
    error = lod_sample_totals_print(&info->samples, info->facts.index, stdout);
    error = error ? error : print_scans(info);
    return error ? error : print_whole(info);
}

static int json_whole(const struct lod_info *info, struct lod_json *json)
{
    char path[LOD_PATH_MAX + 1];
    struct lod_node node;
    int error = 0;

    lod_json_array(json, "whole");
    for (size_t i = 0; !error && i < info->facts.whole.count; i++) {
        error = lod_index_node(info->facts.index, info->facts.whole.at[i], &node);
        error = error ? error : lod_dataset_path(info->dataset, &node, path);
        if (!error) {
            lod_json_object(json, NULL);
            lod_json_text(json, "path", path);
            lod_json_end(json);
        }
    }
    lod_json_end(json);
    return error;
}

int lod_info_print_json(const struct lod_info *info)
{
    struct lod_json json = {.out.file = stdout};
    struct lod_fact facts[FACTS_MAX];
    char id[LOD_ID_TEXT_BYTES];

    lod_id_text(info->facts.manifest->store_id, id);
    lod_json_object(&json, NULL);
    lod_json_text(&json, "store", info->store);
    lod_json_text(&json, "store_id", id);
    lod_facts_json(facts, make_facts(info, facts), &json);
    lod_store_totals_json(&info->facts.totals, &json);
    int error = json_whole(info, &json);
    error = error ? error : lod_sample_totals_json(&info->samples, info->facts.index, &json);
    lod_json_value(&json, "pack", info->facts.manifest->pack);
    lod_json_value(&json, "scans", info->facts.manifest->scans);
    lod_json_end(&json);
    return error;
}

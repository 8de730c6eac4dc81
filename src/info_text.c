/* SPDX-License-Identifier: Apache-2.0 */
/* What a store holds, for people; see info.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "info.h"
#include "log.h"
#include "report.h"
#include "scan_report.h"

#define WHOLE_SHOWN 10
#define COLUMNS     78u /* of a terminal, a comma and the cursor left out */
#define INDENT      13u

#define ITEMS_TELLING 10000 /* of fewer, the index has its least size */

static void print_head(const struct lod_info *info)
{
    char id[LOD_ID_TEXT_BYTES], store[4 * LOD_PATH_MAX + 1], text[LOD_REPORT_TEXT];
    char files[LOD_REPORT_TEXT], more[LOD_REPORT_TEXT];
    uint64_t index_bytes = info->manifest->index_bytes;

    lod_id_text(info->manifest->store_id, id);
    lod_escape(info->store, strlen(info->store), store, sizeof(store));
    printf("%s\n\n", store);
    printf("  store id   %s\n", id);
    printf("  format     %u.%u\n", LOD_FORMAT_MAJOR, LOD_FORMAT_MINOR);
    printf("  holds      %s %s, %s %s", lod_report_count(info->tally.all.files, files),
           lod_report_plural(info->tally.all.files, "file", "files"),
           lod_report_count(info->folders, more),
           lod_report_plural(info->folders, "folder", "folders"));
    if (info->symlinks) {
        printf(", %s symbolic %s", lod_report_count(info->symlinks, more),
               lod_report_plural(info->symlinks, "link", "links"));
    }
    if (info->aliases) {
        printf("\n             %s of the files share the bytes of another",
               lod_report_count(info->aliases, more));
    }
    printf("\n  records    %" PRIu64 ", %s\n", info->manifest->records,
           lod_report_bytes(info->record_bytes, text));
    printf("  index      %s", lod_report_bytes(index_bytes, text));
    if (info->manifest->items >= ITEMS_TELLING) {
        printf(", %.0f bytes an item", (double)index_bytes / (double)info->manifest->items);
    }
    putchar('\n');
}

/* "name value, name value", wrapped; names and values are whatever the manifest says. */
static int print_options(const struct lod_info *info)
{
    const cJSON *option;
    size_t column = 0;

    cJSON_ArrayForEach(option, info->manifest->pack)
    {
        char *value = cJSON_PrintUnformatted(option);
        char name[64], text[128];
        if (!value) {
            return -ENOMEM;
        }
        const char *plain = cJSON_IsString(option) ? option->valuestring : value;
        lod_escape(option->string, strlen(option->string), name, sizeof(name));
        lod_escape(plain, strlen(plain), text, sizeof(text));
        size_t bytes = strlen(name) + strlen(text) + 1;
        if (column == 0 || column + bytes + 2 > COLUMNS) {
            printf("%s  %-11s%s %s", column ? ",\n" : "", column ? "" : "packed", name, text);
            column = INDENT + bytes;
        } else {
            printf(", %s %s", name, text);
            column += bytes + 2;
        }
        cJSON_free(value);
    }
    puts(column ? "\n" : "");
    return 0;
}

static int print_whole(const struct lod_info *info)
{
    char path[LOD_PATH_MAX + 1], text[4 * LOD_PATH_MAX + 1];
    struct lod_node node;
    size_t shown =
        info->verbose || info->whole.count < WHOLE_SHOWN ? info->whole.count : WHOLE_SHOWN;
    int error = 0;

    if (info->whole.count) {
        printf("\nStored whole, as they are at every fidelity: %zu %s\n", info->whole.count,
               lod_report_plural(info->whole.count, "file", "files"));
    }
    for (size_t i = 0; !error && i < shown; i++) {
        error = lod_index_node(info->index, info->whole.at[i], &node);
        error = error ? error : lod_dataset_path(info->dataset, &node, path);
        if (!error) {
            printf("  %s\n", lod_escape(path, strlen(path), text, sizeof(text)));
        }
    }
    if (!error && shown < info->whole.count) {
        printf("  and %zu more (-v lists all)\n", info->whole.count - shown);
    }
    return error;
}

static int print_scans(const struct lod_info *info)
{
    const cJSON *scans = info->manifest->scans;

    if (!scans) {
        return 0;
    }
    puts("\nScan scripts by quantisation class (0 is the finest); the first fidelities that\n"
         "reach an MSSIM of .95 and .98, with their share of the source's bytes:");
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
    error = error ? error : lod_tally_print_codecs(&info->tally, stdout);
    putchar('\n');
    error = error ? error : lod_scan_report_fidelities(&info->tally, info->manifest->scans, stdout);
    if (error) {
        return error;
    }
    putchar('\n');
    lod_tally_print_same(&info->tally, stdout);
    if (info->tally.no_original) {
        printf("%s %s no original: pixels and metadata are exact, not the file's own bytes.\n",
               lod_report_count(info->tally.no_original, count),
               lod_report_plural(info->tally.no_original, "file has", "files have"));
    }
    error = print_scans(info);
    return error ? error : print_whole(info);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs info STORE: what a store holds and what its fidelities cost, from the index alone. */
#include "cmd.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "dataset.h"
#include "log.h"
#include "open_store.h"
#include "report.h"
#include "scan_report.h"
#include "tally.h"
#include "usage.h"

#define WHOLE_SHOWN 10
#define COLUMNS     78u /* of a terminal, a comma and the cursor left out */
#define INDENT      13u

static const struct option long_options[] = {
    {"json", no_argument, NULL, 'J'},
    {"verbose", no_argument, NULL, 'v'},
    {0},
};

#define ITEMS_TELLING 10000 /* of fewer, the index has its least size */

static const char help_text[] =
    "Says what a store holds: files, codecs, records, the bytes of every fidelity\n"
    "and the MSSIM (likeness to the full image, 1 is equal) measured when it was\n"
    "packed.\n"
    "\n"
    "  -v, --verbose   also q1 .. q10 of every quantisation class, and all files\n"
    "                  stored whole\n"
    "      --json      one JSON document\n";

struct info {
    const char *store;
    struct lod_dataset *dataset;
    struct lod_index *index;
    const struct lod_manifest *manifest;
    bool json, verbose;
    struct lod_tally tally;
    uint64_t folders, symlinks, aliases;
    uint64_t record_bytes;
    uint32_t *names; /* of every item: files that share it */
    uint32_t *whole; /* own nodes of items stored whole */
    size_t whole_count, whole_room;
};

static int count_nodes(struct info *info)
{
    struct lod_node node;
    int error = 0;

    info->names = calloc((size_t)lod_index_items(info->index) + 1, sizeof(info->names[0]));
    if (!info->names) {
        return -ENOMEM;
    }
    for (uint32_t n = 0; !error && n < lod_index_nodes(info->index); n++) {
        error = lod_index_node(info->index, n, &node);
        if (error) {
            break;
        }
        if (node.flags & LOD_NODE_VIRTUAL) {
            continue; /* beside its table, which counts */
        }
        info->folders += S_ISDIR(node.mode) && n;
        info->symlinks += S_ISLNK(node.mode);
        info->aliases += S_ISREG(node.mode) && (node.flags & LOD_NODE_ALIAS);
        if (S_ISREG(node.mode)) {
            error = node.ref < lod_index_items(info->index) ? 0 : -EILSEQ;
            info->names[error ? 0 : node.ref]++;
        }
    }
    return error;
}

static int remember_whole(struct info *info, const uint8_t row[LOD_ROW_BYTES])
{
    if (info->whole_count == info->whole_room) {
        size_t room = info->whole_room ? info->whole_room * 2 : 64;
        uint32_t *whole = reallocarray(info->whole, room, sizeof(whole[0]));
        if (!whole) {
            return -ENOMEM;
        }
        info->whole = whole;
        info->whole_room = room;
    }
    info->whole[info->whole_count++] = lod_row_own_node(row);
    return 0;
}

static int tally_item(struct info *info, const struct lod_codec *codec, uint32_t number)
{
    uint8_t row[LOD_ROW_BYTES];
    int error = lod_index_item(info->index, number, row);

    error = error ? error : lod_tally_add(&info->tally, codec, row, info->names[number]);
    if (!error && (lod_row_flags(row) & LOD_ITEM_WHOLE)) {
        error = remember_whole(info, row);
    }
    return error;
}

static int tally_records(struct info *info)
{
    struct lod_recd recd;
    int error = 0;

    for (uint32_t r = 0; !error && r < lod_index_records(info->index); r++) {
        error = lod_index_record(info->index, r, &recd);
        if (error) {
            break;
        }
        info->record_bytes += recd.file_bytes;
        const struct lod_codec *codec = lod_codec_find(recd.codec);
        if (!codec) {
            return -EILSEQ;
        }
        for (uint32_t i = 0; !error && recd.codec != LOD_CODEC_TREE && i < recd.items; i++) {
            error = tally_item(info, codec, recd.first_item + i);
        }
    }
    return error;
}

static void print_head(const struct info *info)
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
static int print_options(const struct info *info)
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

static int print_whole(const struct info *info)
{
    char path[LOD_PATH_MAX + 1], text[4 * LOD_PATH_MAX + 1];
    struct lod_node node;
    size_t shown =
        info->verbose || info->whole_count < WHOLE_SHOWN ? info->whole_count : WHOLE_SHOWN;
    int error = 0;

    if (info->whole_count) {
        printf("\nStored whole, as they are at every fidelity: %zu %s\n", info->whole_count,
               lod_report_plural(info->whole_count, "file", "files"));
    }
    for (size_t i = 0; !error && i < shown; i++) {
        error = lod_index_node(info->index, info->whole[i], &node);
        error = error ? error : lod_dataset_path(info->dataset, &node, path);
        if (!error) {
            printf("  %s\n", lod_escape(path, strlen(path), text, sizeof(text)));
        }
    }
    if (!error && shown < info->whole_count) {
        printf("  and %zu more (-v lists all)\n", info->whole_count - shown);
    }
    return error;
}

static int print_scans(const struct info *info)
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

static int print_text(const struct info *info)
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

static int json_whole(const struct info *info, cJSON *json)
{
    cJSON *array = cJSON_AddArrayToObject(json, "whole");
    char path[LOD_PATH_MAX + 1], text[4 * LOD_PATH_MAX + 1];
    struct lod_node node;
    int error = array ? 0 : -ENOMEM;

    for (size_t i = 0; !error && i < info->whole_count; i++) {
        error = lod_index_node(info->index, info->whole[i], &node);
        error = error ? error : lod_dataset_path(info->dataset, &node, path);
        if (!error) {
            lod_escape(path, strlen(path), text, sizeof(text));
            error = cJSON_AddItemToArray(array, cJSON_CreateString(text)) ? 0 : -ENOMEM;
        }
    }
    return error;
}

static int json_head(const struct info *info, cJSON *json)
{
    char id[LOD_ID_TEXT_BYTES];
    const struct {
        const char *key;
        uint64_t value;
    } numbers[] = {
        {"major", LOD_FORMAT_MAJOR},          {"minor", LOD_FORMAT_MINOR},
        {"folders", info->folders},           {"symlinks", info->symlinks},
        {"shared_files", info->aliases},      {"records", info->manifest->records},
        {"record_bytes", info->record_bytes}, {"index_bytes", info->manifest->index_bytes},
    };

    lod_id_text(info->manifest->store_id, id);
    int error = lod_report_json_name(json, "store", info->store);
    if (!error && !cJSON_AddStringToObject(json, "store_id", id)) {
        error = -ENOMEM;
    }
    for (size_t i = 0; !error && i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        bool added = cJSON_AddNumberToObject(json, numbers[i].key, (double)numbers[i].value);
        error = added ? 0 : -ENOMEM;
    }
    return error;
}

static int add_copy(cJSON *json, const char *key, const cJSON *value)
{
    cJSON *copy = value ? cJSON_Duplicate(value, true) : cJSON_CreateNull();

    return cJSON_AddItemToObject(json, key, copy) ? 0 : -ENOMEM;
}

static int print_json(const struct info *info)
{
    cJSON *json = cJSON_CreateObject();
    int error = json ? json_head(info, json) : -ENOMEM;

    error = error ? error : lod_tally_json(&info->tally, json);
    error = error ? error : json_whole(info, json);
    error = error ? error : add_copy(json, "pack", info->manifest->pack);
    error = error ? error : add_copy(json, "scans", info->manifest->scans);
    if (error) {
        cJSON_Delete(json);
        return error;
    }
    return lod_report_json(json, stdout);
}

static int parse(struct info *info, int argc, char **argv)
{
    int option;

    opterr = 0;
    optind = 0;
    while ((option = getopt_long(argc, argv, ":v", long_options, NULL)) != -1) {
        if (option == '?' || option == ':') {
            return lod_usage_option("info", option, argv);
        }
        info->json = info->json || option == 'J';
        info->verbose = info->verbose || option == 'v';
    }
    if (argc - optind != 1) {
        fputs("lodfs: info takes one STORE; see lodfs info --help\n", stderr);
        return LOD_EXIT_USAGE;
    }
    info->store = argv[optind];
    return LOD_EXIT_OK;
}

static int show(struct info *info)
{
    info->index = lod_dataset_index(info->dataset);
    info->manifest = lod_dataset_manifest(info->dataset);
    int error = count_nodes(info);
    error = error ? error : tally_records(info);
    if (!error) {
        error = info->json ? print_json(info) : print_text(info);
    }
    free(info->names);
    free(info->whole);
    return error ? lod_store_failed(info->store, error) : LOD_EXIT_OK;
}

static int run(int argc, char **argv)
{
    struct info info = {0};
    int code = parse(&info, argc, argv);

    if (code == LOD_EXIT_OK) {
        code = lod_open_store(info.store, &info.dataset);
    }
    if (code == LOD_EXIT_OK) {
        code = show(&info);
        lod_dataset_close(info.dataset);
    }
    return code;
}

const struct lod_cmd lod_cmd_info = {.name = "info",
                                     .usage = "[-v] [--json] STORE",
                                     .summary = "say what a store holds, fidelity by fidelity",
                                     .help = help_text,
                                     .run = run};

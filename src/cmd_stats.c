/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs stats MOUNT: what a running mount has counted. */
#include "cmd.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dial.h"
#include "report.h"
#include "usage.h"

static const struct option long_options[] = {{"json", no_argument, NULL, 'j'}, {0}};

static int usage(const char *sentence)
{
    fprintf(stderr, "lodfs: %s; see lodfs stats --help\n", sentence);
    return LOD_EXIT_USAGE;
}

static bool ends_in(const char *key, const char *end)
{
    size_t bytes = strlen(key), tail = strlen(end);

    return bytes >= tail && strcmp(key + bytes - tail, end) == 0;
}

/* A number with the unit that its key says. */
static void show_number(const cJSON *value, char text[LOD_REPORT_TEXT])
{
    const char *key = value->string;
    double number = value->valuedouble;
    uint64_t whole = number > 0 ? (uint64_t)number : 0;

    if (whole == 0 && number <= 0 &&
        (ends_in(key, "per_second") || ends_in(key, "latency_seconds"))) {
        strcpy(text, "not measured");
    } else if (ends_in(key, "bytes_per_second")) {
        lod_report_bytes(whole, text);
        strcat(text, "/s");
    } else if (ends_in(key, "bytes") || ends_in(key, "bytes_max")) {
        lod_report_bytes(whole, text);
    } else if (ends_in(key, "seconds")) {
        lod_report_seconds(number, text);
    } else {
        lod_report_count(whole, text);
    }
}

#define KEY_BYTES 64

/* A key as words; seconds have their unit beside the number. */
static const char *in_words(const char *key, char words[KEY_BYTES])
{
    static const char unit[] = "_seconds";
    size_t bytes = strlen(key) - (ends_in(key, unit) ? strlen(unit) : 0);

    snprintf(words, KEY_BYTES, "%.*s", (int)bytes, key);
    for (char *c = words; *c; c++) {
        *c = *c == '_' ? ' ' : *c;
    }
    return words;
}

/* The name of the part stands before the first of its rows. */
static void add_part(struct lod_table *table, const cJSON *part)
{
    const char *name = part->string;
    const cJSON *value, *values = cJSON_IsObject(part) ? part : NULL;
    char words[KEY_BYTES], text[LOD_REPORT_TEXT];

    if (cJSON_IsString(part)) {
        lod_table_add(table, "%s\t\t%s", name, part->valuestring);
    }
    cJSON_ArrayForEach(value, values)
    {
        const char *shown = cJSON_IsString(value) ? value->valuestring : text;
        if (cJSON_IsNumber(value)) {
            show_number(value, text);
        }
        if (*shown) {
            lod_table_add(table, "%s\t%s\t%s", name, in_words(value->string, words), shown);
            name = "";
        }
    }
}

static double number_of(const cJSON *document, const char *part, const char *key)
{
    const cJSON *of = cJSON_GetObjectItemCaseSensitive(document, part);

    return cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(of, key));
}

/* The mean is of those that have been answered: the one that asks is not yet. */
static void add_request(struct lod_table *table, const cJSON *document, const cJSON *count)
{
    static const char *const parts[] = {"request_seconds", "request_seconds_p50",
                                        "request_seconds_p99"};
    char times[3][LOD_REPORT_TEXT], text[LOD_REPORT_TEXT];

    for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        lod_report_seconds(number_of(document, parts[i], count->string), times[i]);
    }
    lod_table_add(table, "%s\t%s\t%s\t%s\t%s", count->string,
                  lod_report_count((uint64_t)count->valuedouble, text), times[0], times[1],
                  times[2]);
}

/* Requests that were made and fidelities that were read. */
static int print_work(const cJSON *document)
{
    struct lod_table requests = {.align = "lrrrr"}, fidelities = {.align = "lr"};
    const cJSON *value;
    char text[LOD_REPORT_TEXT];

    lod_table_add(&requests, "requests\tcount\ttime\thalf within\t99 %% within");
    cJSON_ArrayForEach(value, cJSON_GetObjectItemCaseSensitive(document, "requests"))
    {
        if (value->valuedouble > 0) {
            add_request(&requests, document, value);
        }
    }
    lod_table_add(&fidelities, "bytes of files read\t");
    cJSON_ArrayForEach(value, cJSON_GetObjectItemCaseSensitive(document, "read_bytes"))
    {
        if (value->valuedouble > 0) {
            lod_table_add(&fidelities, "%s\t%s", value->string,
                          lod_report_bytes((uint64_t)value->valuedouble, text));
        }
    }
    bool read = fidelities.rows.count > 1;
    int error = lod_table_print(&requests, stdout);
    putchar('\n');
    int other = lod_table_print(&fidelities, stdout);
    if (!read) {
        puts("  nothing yet");
    }
    return error ? error : other;
}

static bool is_work(const char *part)
{
    return strncmp(part, "request", strlen("request")) == 0 || strcmp(part, "read_bytes") == 0;
}

/* What most mounts have no use for comes last. */
static bool comes_last(const char *part)
{
    return strcmp(part, "gpu") == 0 || strcmp(part, "advice") == 0;
}

/* No advice is none. */
static bool says_something(const cJSON *part)
{
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(part, "name"));

    return strcmp(part->string, "advice") != 0 || !name || strcmp(name, "none") != 0;
}

/* The document has two levels: parts, and values in them. */
static int print_table(const char *json)
{
    struct lod_table table = {.align = "llr"};
    cJSON *document = cJSON_Parse(json);
    const cJSON *part;

    if (!document) {
        return -ENOMEM;
    }
    for (unsigned last = 0; last < 2; last++) {
        cJSON_ArrayForEach(part, document)
        {
            if (comes_last(part->string) == last && !is_work(part->string) &&
                says_something(part)) {
                add_part(&table, part);
            }
        }
    }
    int error = lod_table_print(&table, stdout);
    putchar('\n');
    error = error ? error : print_work(document);
    cJSON_Delete(document);
    return error;
}

static int show(const char *mount, bool json)
{
    struct lod_ioc_stats *stats = malloc(sizeof(*stats));
    int fd = -1, error = stats ? lod_dial_open(mount, &fd) : -ENOMEM;

    if (!error) {
        error = lod_dial_stats(fd, mount, stats);
        close(fd);
    }
    if (!error && json) {
        error = lod_report_json(cJSON_Parse(stats->json), stdout);
    } else if (!error) {
        error = print_table(stats->json);
    }
    free(stats);
    return error ? LOD_EXIT_FAILED : LOD_EXIT_OK;
}

static int run(int argc, char **argv)
{
    bool json = false;
    int option;

    opterr = 0;
    optind = 0;
    while ((option = getopt_long(argc, argv, ":", long_options, NULL)) != -1) {
        if (option != 'j') {
            return lod_usage_option("stats", option, argv);
        }
        json = true;
    }
    if (argc - optind != 1) {
        return usage("stats takes one MOUNT");
    }
    return show(argv[optind], json);
}

const struct lod_cmd lod_cmd_stats = {
    .name = "stats",
    .usage = "[--json] MOUNT",
    .summary = "what a running mount has counted",
    .help = "Requests of the kernel, bytes handed out and read from the store, the cache,\n"
            "and the fidelity that auto leads to. Only root and the one who mounted may; all\n"
            "who may read the mount find the same in MOUNT/.lodfs/stats and, for Prometheus,\n"
            ".lodfs/metrics.\n"
            "\n"
            "      --json  one JSON document\n",
    .run = run,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs stats MOUNT: prints the counters of a running mount. */
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "terminal/arguments.h"
#include "terminal/mount_client.h"
#include "terminal/report.h"
#include "text.h"

struct stats {
    const char *mount;
    bool json;
};

static const struct lod_option stats_options[] = {
    LOD_ROW_JSON(LOD_FIELD(struct stats, json)),
    LOD_ROW_OPERAND(LOD_FIELD(struct stats, mount), "MOUNT", 1, LOD_NAMES_MOUNTS),
    LOD_ROW_END,
};

/* Prints a number with the unit that its key names. */
static void show_number(const cJSON *value, char text[LOD_REPORT_TEXT])
{
    const char *key = value->string;
    double number = value->valuedouble;
    uint64_t whole = number > 0 ? (uint64_t)number : 0;

    if (whole == 0 && number <= 0 &&
        (lod_ends_with(key, "per_second") || lod_ends_with(key, "latency_seconds"))) {
        strcpy(text, "not measured");
    } else if (lod_ends_with(key, "bytes_per_second")) {
        lod_report_bytes(whole, text);
        strcat(text, "/s");
    } else if (lod_ends_with(key, "bytes") || lod_ends_with(key, "bytes_max")) {
        lod_report_bytes(whole, text);
    } else if (lod_ends_with(key, "seconds")) {
        lod_report_seconds(number, text);
    } else {
        lod_report_count(whole, text);
    }
}

#define KEY_BYTES 64

/* Returns a key as words, without "seconds": the number has its unit. */
static const char *in_words(const char *key, char words[KEY_BYTES])
{
    static const char unit[] = "_seconds";
    size_t bytes = strlen(key) - (lod_ends_with(key, unit) ? strlen(unit) : 0);

    snprintf(words, KEY_BYTES, "%.*s", (int)bytes, key);
    for (char *c = words; *c; c++) {
        *c = *c == '_' ? ' ' : *c;
    }
    return words;
}

/* Adds the rows of a part; its name is in the first row. */
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

/* The mean is over answered requests. The request that reads the statistics is not answered yet. */
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

/* Adds the formats that were read. */
static void add_formats(struct lod_table *table, const cJSON *document)
{
    char reads[LOD_REPORT_TEXT], bytes[LOD_REPORT_TEXT];
    const cJSON *value;

    lod_table_add(table, "format\treads\tbytes");
    cJSON_ArrayForEach(value, cJSON_GetObjectItemCaseSensitive(document, "format_reads"))
    {
        if (value->valuedouble > 0) {
            const double sum = number_of(document, "format_bytes", value->string);
            lod_table_add(table, "%s\t%s\t%s", value->string,
                          lod_report_count((uint64_t)value->valuedouble, reads),
                          lod_report_bytes((uint64_t)sum, bytes));
        }
    }
}

/* Prints the requests that were made, and the fidelities and formats that were read. */
static int print_work(const cJSON *document)
{
    struct lod_table requests = {.align = "lrrrr"}, fidelities = {.align = "lr"},
                     formats = {.align = "lrr"};
    const cJSON *value;
    char text[LOD_REPORT_TEXT];

    lod_table_add(&requests, "requests\tcount\ttime\t50 %% within\t99 %% within");
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
        return error ? error : other;
    }
    putchar('\n');
    add_formats(&formats, document);
    int last = lod_table_print(&formats, stdout);
    return error ? error : other ? other : last;
}

static bool is_work(const char *part)
{
    return strncmp(part, "request", strlen("request")) == 0 || strcmp(part, "read_bytes") == 0 ||
           strncmp(part, "format_", strlen("format_")) == 0;
}

/* Returns whether a part is printed last because few users need it. */
static bool comes_last(const char *part)
{
    return strcmp(part, "gpu") == 0 || strcmp(part, "advice") == 0;
}

/*
 * Returns whether a part is left out if all its numbers are 0, because most mounts do not use it.
 */
static bool is_optional(const char *part)
{
    static const char *const parts[] = {"made", "ahead", "server", "tier", "advice"};

    for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (strcmp(part, parts[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool says_something(const cJSON *part)
{
    const cJSON *value;

    cJSON_ArrayForEach(value, part)
    {
        if (cJSON_IsNumber(value) && value->valuedouble > 0) {
            return true;
        }
    }
    return !is_optional(part->string);
}

/* Prints the document, which has two levels: parts, and values in them. */
static int print_table(const cJSON *document)
{
    struct lod_table table = {.align = "llr"};
    const cJSON *part;

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
    return error ? error : print_work(document);
}

static int show(const char *mount, bool json)
{
    char *text = NULL;
    int error = lod_mount_client_text(mount, "stats", &text);
    cJSON *document = error ? NULL : cJSON_Parse(text);

    error = error || document ? error : -ENOMEM;
    if (!error && json) {
        lod_json_value(&(struct lod_json){.out.file = stdout}, NULL, document);
    } else if (!error) {
        error = print_table(document);
    }
    cJSON_Delete(document);
    free(text);
    return error ? LOD_EXIT_FAILED : LOD_EXIT_OK;
}

static int run(int argc, char **argv)
{
    struct stats stats = {.json = false};
    int code = lod_arguments_parse(&lod_cmd_stats, argc, argv, &stats);

    return code ? code : show(stats.mount, stats.json);
}

const struct lod_cmd lod_cmd_stats = {
    .name = "stats",
    .summary = "print the counters of a running mount",
    .about = "Prints the counts of requests and bytes, the state of the cache, and the fidelity "
             "that auto points to. MOUNT/.lodfs/stats has the same numbers as JSON, and "
             "MOUNT/.lodfs/metrics for Prometheus.",
    .options = stats_options,
    .run = run,
};

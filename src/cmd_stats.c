/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs stats MOUNT: what a running mount has counted. */
#include "cmd.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dial.h"
#include "report.h"

static const struct option long_options[] = {{"json", no_argument, NULL, 'j'}, {0}};

static int usage(const char *sentence)
{
    fprintf(stderr, "lodfs: %s; see lodfs stats --help\n", sentence);
    return LOD_EXIT_USAGE;
}

static void add_row(struct lod_table *table, const char *part, const cJSON *value)
{
    char text[LOD_REPORT_TEXT];

    if (cJSON_IsString(value)) {
        lod_table_add(table, "%s\t%s\t%s", part, value->string, value->valuestring);
    } else if (cJSON_IsNumber(value) && value->valuedouble == floor(value->valuedouble) &&
               value->valuedouble >= 0) {
        lod_table_add(table, "%s\t%s\t%s", part, value->string,
                      lod_report_count((uint64_t)value->valuedouble, text));
    } else if (cJSON_IsNumber(value)) {
        lod_table_add(table, "%s\t%s\t%.6g", part, value->string, value->valuedouble);
    }
}

/* The document has two levels: parts, and values in them. */
static int print_table(const char *json)
{
    struct lod_table table = {.align = "llr"};
    cJSON *document = cJSON_Parse(json);
    const cJSON *part, *value;

    if (!document) {
        return -ENOMEM;
    }
    cJSON_ArrayForEach(part, document)
    {
        if (!cJSON_IsObject(part)) {
            add_row(&table, "", part);
        }
        cJSON_ArrayForEach(value, part)
        {
            add_row(&table, part->string, value);
        }
    }
    int error = lod_table_print(&table, stdout);
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
    while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        if (option != 'j') {
            return usage("unknown option");
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
    .help = "Requests of the kernel, bytes handed out and read from the store, the cache, and the\n"
            "fidelity that auto leads to. Only root and the one who mounted may; all who may read\n"
            "the mount find the same in MOUNT/.lodfs/stats and, for Prometheus, .lodfs/metrics.\n"
            "\n"
            "      --json  one JSON document\n",
    .run = run,
};

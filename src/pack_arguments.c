/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of lodfs pack, a function a kind of value; see pack_arguments.h. */
#include "pack_arguments.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "jobs.h"
#include "l3/l3_stream_write.h"
#include "log.h"
#include "pack/scans.h"
#include "store/format.h"
#include "toc/toc.h"
#include "usage.h"

#define SEED_MAX (((uint64_t)1 << 53) - 1) /* what JSON holds exactly */

enum {
    OPT_ORDER = 256,
    OPT_SEED,
    OPT_SCANS,
    OPT_L3,
    OPT_ORIGINAL,
    OPT_RECORD_SIZE,
    OPT_SKIP,
    OPT_SYMLINKS,
    OPT_TABLES,
    OPT_ONE_HOT,
    OPT_BATCH_ROWS,
    OPT_SHARD_ROWS,
    OPT_JSON,
    OPT_PROGRESS,
    OPT_NO_PROGRESS
};

static const struct option long_options[] = {
    {"jobs", required_argument, NULL, 'j'},
    {"order", required_argument, NULL, OPT_ORDER},
    {"seed", required_argument, NULL, OPT_SEED},
    {"scans", required_argument, NULL, OPT_SCANS},
    {"l3", required_argument, NULL, OPT_L3},
    {"original", required_argument, NULL, OPT_ORIGINAL},
    {"record-size", required_argument, NULL, OPT_RECORD_SIZE},
    {"dry-run", no_argument, NULL, 'n'},
    {"skip-unreadable", no_argument, NULL, OPT_SKIP},
    {"symlinks", required_argument, NULL, OPT_SYMLINKS},
    {"tables", required_argument, NULL, OPT_TABLES},
    {"one-hot", no_argument, NULL, OPT_ONE_HOT},
    {"batch-rows", required_argument, NULL, OPT_BATCH_ROWS},
    {"shard-rows", required_argument, NULL, OPT_SHARD_ROWS},
    {"json", no_argument, NULL, OPT_JSON},
    {"progress", no_argument, NULL, OPT_PROGRESS},
    {"no-progress", no_argument, NULL, OPT_NO_PROGRESS},
    {"quiet", no_argument, NULL, 'q'},
    {"verbose", no_argument, NULL, 'v'},
    {0},
};

/* "SENTENCE 'VALUE'"; NULL: no value. */
static int usage(const char *sentence, const char *value)
{
    char text[256] = "";

    if (value) {
        lod_escape(value, strlen(value), text, sizeof(text));
    }
    fprintf(stderr, "lodfs: %s%s%s%s; see lodfs pack --help\n", sentence, value ? " '" : "", text,
            value ? "'" : "");
    return LOD_EXIT_USAGE;
}

static bool parse_number(const char *text, uint64_t max, uint64_t *ret_number, const char **ret_end)
{
    char *end = NULL;

    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || errno || number > max) {
        return false;
    }
    *ret_number = number;
    *ret_end = end;
    return true;
}

/* "16777216", "16M", "16MiB", "16384k" */
static bool parse_size(const char *text, uint64_t *ret_bytes)
{
    static const char units[] = "KMG";
    const char *end;
    uint64_t number;

    if (!parse_number(text, LOD_RECORD_SIZE_MAX, &number, &end)) {
        return false;
    }
    const char *unit = *end ? strchr(units, *end & ~0x20) : NULL;
    if (*end && (!unit || !*unit || (end[1] && strcmp(end + 1, "iB") && strcmp(end + 1, "B")))) {
        return false;
    }
    *ret_bytes = unit ? number << (10 * (unit - units + 1)) : number;
    return *ret_bytes >= LOD_RECORD_SIZE_MIN && *ret_bytes <= LOD_RECORD_SIZE_MAX;
}

static int parse_threads(struct lod_pack_arguments *arguments, const char *text)
{
    return lod_jobs_parse(text, &arguments->pack.threads)
               ? 0
               : usage("-j takes 1 to 256 threads, not", text);
}

static int parse_rows(const char *text, const char *sentence, uint32_t *ret_rows)
{
    const char *end;
    uint64_t rows = 0;

    if (!parse_number(text, LOD_TOC_ROWS_MAX, &rows, &end) || *end || rows == 0) {
        return usage(sentence, text);
    }
    *ret_rows = (uint32_t)rows;
    return 0;
}

static int parse_tables(struct lod_pack_arguments *arguments, const char *glob)
{
    struct lod_tables_options *tables = &arguments->pack.tables;

    if (glob[0] == '\0' || strlen(glob) > LOD_PATH_MAX) {
        return usage("--tables takes a pattern of file names, not", glob);
    }
    if (tables->globs_count == LOD_TABLE_GLOBS_MAX) {
        return usage("--tables may be given 64 times, and not also", glob);
    }
    tables->globs[tables->globs_count++] = glob;
    return 0;
}

static int parse_seed(struct lod_pack_arguments *arguments, const char *text)
{
    const char *end;

    if (!parse_number(text, SEED_MAX, &arguments->pack.order.seed, &end) || *end) {
        return usage("--seed takes a number from 0 to 2^53 - 1, not", text);
    }
    return 0;
}

static int parse_scans(struct lod_pack_arguments *arguments, const char *wanted)
{
    char name[4 * LOD_NAME_MAX + 1], why[256];
    int error = 0;

    if (strcmp(wanted, "auto") == 0) {
        arguments->pack.scans = NULL;
        arguments->pack.scans_name = "auto";
        return 0;
    }
    error = lod_scans_load(wanted, &arguments->script, why, sizeof(why));
    if (error) {
        lod_escape(wanted, strlen(wanted), name, sizeof(name));
        fprintf(stderr, "lodfs: --scans=%s: %s\n", name, why);
        return LOD_EXIT_USAGE;
    }
    arguments->pack.scans = &arguments->script;
    arguments->pack.scans_name = lod_script_named(wanted) ? wanted : "file";
    return 0;
}

/* One of two words; `*ret_second` says which. */
static int parse_either(const char *text, const char *first, const char *second,
                        const char *sentence, bool *ret_second)
{
    *ret_second = strcmp(text, second) == 0;
    return *ret_second || strcmp(text, first) == 0 ? 0 : usage(sentence, text);
}

static int parse_l3(struct lod_pack_arguments *arguments, const char *text)
{
    static const char *const names[LOD_L3_MODES] = {
        [LOD_L3_SMALL] = "small", [LOD_L3_PACKED] = "packed", [LOD_L3_PAPER] = "paper"};

    for (uint8_t mode = 0; mode < LOD_L3_MODES; mode++) {
        if (strcmp(text, names[mode]) == 0) {
            arguments->pack.l3_mode = mode;
            arguments->pack.l3_name = names[mode];
            return 0;
        }
    }
    return usage("--l3 is small, packed or paper, not", text);
}

static int parse_value(struct lod_pack_arguments *arguments, int option, const char *value)
{
    switch (option) {
    case 'j':
        return parse_threads(arguments, value);
    case OPT_ORDER:
        return parse_either(value, "shuffle", "path", "--order is shuffle or path, not",
                            &arguments->pack.order.by_path);
    case OPT_SEED:
        return parse_seed(arguments, value);
    case OPT_SCANS:
        return parse_scans(arguments, value);
    case OPT_L3:
        return parse_l3(arguments, value);
    case OPT_ORIGINAL:
        return parse_either(value, "auto", "all", "--original is auto or all, not",
                            &arguments->pack.keep);
    case OPT_TABLES:
        return parse_tables(arguments, value);
    case OPT_BATCH_ROWS:
        return parse_rows(value, "--batch-rows takes 1 to 16777216 rows, not",
                          &arguments->pack.tables.text.cut.batch_rows);
    case OPT_SHARD_ROWS:
        return parse_rows(value, "--shard-rows takes 1 to 16777216 rows, not",
                          &arguments->pack.tables.text.cut.shard_rows);
    case OPT_RECORD_SIZE:
        return parse_size(value, &arguments->pack.order.record_bytes)
                   ? 0
                   : usage("--record-size takes 64K to 512M, not", value);
    default:
        return parse_either(value, "keep", "follow", "--symlinks is keep or follow, not",
                            &arguments->pack.follow);
    }
}

static int parse_option(struct lod_pack_arguments *arguments, int option, char **argv)
{
    switch (option) {
    case 'n':
        arguments->pack.dry_run = true;
        return 0;
    case 'q':
        arguments->quiet = true;
        return 0;
    case 'v':
        arguments->verbose = true;
        return 0;
    case OPT_SKIP:
        arguments->pack.skip_unreadable = true;
        return 0;
    case OPT_ONE_HOT:
        arguments->pack.tables.text.one_hot = true;
        return 0;
    case OPT_JSON:
        arguments->json = true;
        return 0;
    case OPT_PROGRESS:
    case OPT_NO_PROGRESS:
        arguments->progress = option == OPT_PROGRESS;
        return 0;
    case '?':
    case ':':
        return lod_usage_option("pack", option, argv);
    default:
        return parse_value(arguments, option, optarg);
    }
}

int lod_pack_arguments_parse(struct lod_pack_arguments *arguments, int argc, char **argv)
{
    int option, code = 0;

    *arguments = (struct lod_pack_arguments){
        .pack = {.scans_name = "auto", .l3_name = "small", .threads = lod_jobs_default()},
        .progress = -1,
    };
    opterr = 0;
    optind = 0;
    while (!code && (option = getopt_long(argc, argv, ":j:nqv", long_options, NULL)) != -1) {
        code = parse_option(arguments, option, argv);
    }
    if (code) {
        return code;
    }
    if (argc - optind != 2) {
        return argc - optind > 2
                   ? usage("pack takes a SOURCE and a STORE, and not also", argv[optind + 2])
                   : usage("pack takes a SOURCE and a STORE", NULL);
    }
    arguments->pack.source = argv[optind];
    arguments->pack.store = argv[optind + 1];
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs warmup STORE|MOUNT [PATH]: brings a fidelity into the tier. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "backend/location.h"
#include "fuse/daemon.h"
#include "terminal/arguments.h"
#include "terminal/report.h"
#include "warmup/warmup.h"
#include "warmup/warmup_settings.h"

#define THREADS_FAR 8u /* enough to fill a line of 1 Gbit/s and 60 ms */

struct arguments {
    const char *given, *path;
    struct lod_option_list words; /* of -o */
    enum lod_fidelity fidelity;
    unsigned threads; /* 0: as many as the store can use */
    bool evict, background, json, quiet;
    int progress; /* 1: on, 0: off, -1: on if stderr is a terminal */
};

#define FIELD(member) LOD_FIELD(struct arguments, member)

static const struct lod_option warmup_options[] = {
    LOD_ROW_FIDELITY(FIELD(fidelity), "fidelity", LOD_ORIGINAL,
                     "how much of each file: q1 .. q10, full or original (default: full)"),
    LOD_ROW_FLAG(FIELD(evict), 0, "evict",
                 "if the tier is full, remove records that no job lists; without this option the "
                 "rest is left out"),
    LOD_ROW_FLAG(FIELD(background), 'b', "background", "return once the work has begun"),
    LOD_ROW_NUMBER(LOD_OPTION_NUMBER, FIELD(threads), 'j', "jobs", "N", 1, LOD_WARMUP_THREADS_MAX,
                   "load N records at a time (default: 8 over a network)"),
    LOD_ROW_QUIET(FIELD(quiet), "no summary"),
    LOD_ROW_JSON(FIELD(json)),
    LOD_ROW_PROGRESS(FIELD(progress)),
    {.kind = LOD_OPTION_LIST,
     .letter = 'o',
     .field = FIELD(words),
     .max = LOD_OPTION_LIST_MAX,
     .value = "OPTIONS",
     .help = "as for mount, such as tier_dir and tier_size; a mount has its own"},
    LOD_ROW_OPERAND(FIELD(given), "STORE|MOUNT", 1, LOD_NAMES_FOLDERS),
    LOD_ROW_OPERAND(FIELD(path), "PATH", 0, LOD_NAMES_NONE),
    LOD_ROW_END,
};

/* ---------------------------------------------------------------------------------- results */

static void print_json(const struct arguments *arguments, const struct lod_warmup_counts *counts)
{
    struct lod_json json = {.out = {.file = stdout}};

    lod_fail_as_json(false);
    lod_json_object(&json, NULL);
    lod_json_text(&json, "fidelity", lod_fidelity_name(arguments->fidelity));
    lod_json_number(&json, "records", (double)counts->records);
    lod_json_number(&json, "bytes", (double)counts->bytes);
    lod_json_number(&json, "there_before", (double)counts->there);
    lod_json_number(&json, "loaded", (double)counts->loaded);
    lod_json_number(&json, "left_out", (double)counts->left_out);
    lod_json_number(&json, "failed_records", (double)counts->failed);
    lod_json_end(&json);
}

static void print_text(const struct arguments *arguments, const struct lod_warmup_counts *counts)
{
    char bytes[3][LOD_REPORT_TEXT];

    lod_print(stdout, "'%pE' at %s: %s loaded, %s were in the tier before", arguments->given,
              lod_fidelity_name(arguments->fidelity), lod_report_bytes(counts->loaded, bytes[0]),
              lod_report_bytes(counts->there, bytes[1]));
    if (counts->left_out) {
        lod_print(stdout, ", no room for %s", lod_report_bytes(counts->left_out, bytes[2]));
    }
    lod_print(stdout, "\n");
}

static int conclude(const struct arguments *arguments, const struct lod_warmup_counts *counts)
{
    if (arguments->json) {
        print_json(arguments, counts);
    } else if (!arguments->quiet) {
        print_text(arguments, counts);
    }
    if (counts->failed) {
        return lod_fail(LOD_EXIT_FAILED,
                        "%" PRIu64 " records cannot be read, the first is number %" PRIu32 " (%s)",
                        counts->failed, counts->first_failed,
                        strerrordesc_np(-counts->first_error));
    }
    return counts->left_out ? LOD_EXIT_UNREADABLE : LOD_EXIT_OK;
}

static int explain(const struct arguments *arguments, int error, const char *why)
{
    char shown[PATH_MAX];

    if (error == -EINTR) {
        return lod_fail(LOD_EXIT_INTERRUPTED,
                        "interrupted: run the same command again to load the rest");
    }
    return lod_fail(error == -ENOENT   ? LOD_EXIT_NO_STORE
                    : error == -EINVAL ? LOD_EXIT_USAGE
                                       : LOD_EXIT_FAILED,
                    "cannot warm up '%pE': %pE",
                    lod_location_show(arguments->given, shown, sizeof(shown)), why);
}

/* ---------------------------------------------------------------------------------- the work */

static unsigned threads_of(const struct arguments *arguments, const struct lod_store *store)
{
    const unsigned loads = lod_store_loads(store);
    const unsigned usual = lod_store_is_far(store) && loads < THREADS_FAR ? THREADS_FAR : loads;

    return arguments->threads               ? arguments->threads
           : usual > LOD_WARMUP_THREADS_MAX ? LOD_WARMUP_THREADS_MAX
                                            : usual;
}

static bool is_cancelled(void *ctx)
{
    return lod_cancel_poll(ctx) != 0;
}

static int run_open(const struct arguments *arguments, const char *mount,
                    struct lod_dataset *dataset, struct lod_progress *progress,
                    struct lod_cancel *cancel)
{
    struct lod_warm_records records = {0};
    struct lod_warmup_counts counts = {0};
    const struct lod_warmup warmup = {.dataset = dataset,
                                      .fidelity = arguments->fidelity,
                                      .evict = arguments->evict,
                                      .threads = threads_of(arguments, lod_dataset_store(dataset)),
                                      .fixed = arguments->threads != 0,
                                      .mount = *mount ? mount : NULL,
                                      .records = &records,
                                      .progress = progress,
                                      .cancel = cancel};
    int error = lod_warm_records_add(&records, dataset, arguments->path);
    if (error == -ENOENT || error == -ENOTDIR) {
        lod_warm_records_finish(&records);
        return lod_fail(LOD_EXIT_FAILED, "'%pE': there is no '%pE' in this store", arguments->given,
                        arguments->path);
    }
    error = error ? error : lod_warmup_run(&warmup, &counts);
    lod_warm_records_finish(&records);
    lod_progress_clear(progress);
    return error ? explain(arguments, error,
                           error == -EIO ? "the disk of the tier, or the index, cannot be read"
                                         : strerrordesc_np(-error))
                 : conclude(arguments, &counts);
}

/* Opens the store, then ends the parent of a background run. */
static int open_and_run(const struct arguments *arguments, struct lod_warmup_settings *settings,
                        struct lod_daemon *daemon)
{
    struct lod_fuse_options *o = &settings->options;
    struct lod_progress progress;
    struct lod_cancel cancel;
    struct lod_dataset *dataset = NULL;
    struct lod_why why = {.text = ""};
    const struct lod_open_options open = lod_fuse_options_open(o);

    lod_progress_init(&progress, lod_progress_wanted(arguments->progress, arguments->quiet));
    lod_cancel_init(&cancel, &progress);
    o->settings.own_process = true;
    o->settings.is_over = is_cancelled;
    o->settings.over_ctx = &cancel;
    int error = lod_dataset_open(settings->location, &open, &dataset, &why);
    int code = error ? explain(arguments, error, lod_why_text(&why, error)) : LOD_EXIT_OK;
    if (!error) {
        lod_daemon_ready(daemon);
        code = run_open(arguments, settings->mount, dataset, &progress, &cancel);
        lod_dataset_close(dataset);
    }
    lod_cancel_finish(&cancel);
    lod_progress_finish(&progress);
    return code;
}

static int start(const struct arguments *arguments, struct lod_warmup_settings *settings)
{
    struct lod_daemon daemon = {.pipe = -1};
    bool parent = false;
    int code = LOD_EXIT_OK;

    if (arguments->background) {
        signal(SIGPIPE, SIG_IGN);
        code = lod_daemon_start(&daemon, &parent);
        if (parent || code) {
            return code < 0 ? LOD_EXIT_FAILED : code;
        }
    }
    code = open_and_run(arguments, settings, &daemon);
    lod_daemon_fail(&daemon, code);
    return code;
}

static int run(int argc, char **argv)
{
    struct arguments arguments = {.path = "", .fidelity = LOD_FULL, .progress = -1};
    struct lod_warmup_settings settings = {.behind = NULL};
    int code = lod_arguments_parse(&lod_cmd_warmup, argc, argv, &arguments);

    code = code ? code : lod_warmup_settings_take(arguments.given, &arguments.words, &settings);
    code = code ? code : start(&arguments, &settings);
    lod_warmup_settings_finish(&settings);
    return code;
}

const struct lod_cmd lod_cmd_warmup = {
    .name = "warmup",
    .summary = "load a fidelity into the tier of a mount",
    .about = "Loads what a fidelity needs of all records, or of those with the files below PATH, "
             "into the tier: the folder of -o tier_dir, or that of the mount. Bytes in the "
             "tier are not loaded again. Exits with 3 if the tier has no room for all of it.",
    .options = warmup_options,
    .run = run,
};

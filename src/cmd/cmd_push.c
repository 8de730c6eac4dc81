/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs push STORE s3://BUCKET/KEY: copies a store to S3, whole or not at all. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/location.h"
#include "pack/parts/pack_part.h"
#include "push/push.h"
#include "remote/upload.h"
#include "terminal/arguments.h"
#include "terminal/store_options.h"
#include "terminal/verify_show.h"

#define THREADS 4u

struct arguments {
    const char *store, *url;
    struct lod_option_list words; /* of -o */
    unsigned threads;
    uint64_t request_bytes;
    const char *part;
    uint32_t part_number, parts;
    bool look_only, verify, quiet;
    int progress; /* 1: on, 0: off, -1: on if stderr is a terminal */
};

#define FIELD(member) LOD_FIELD(struct arguments, member)

static const struct lod_option push_options[] = {
    LOD_ROW_NUMBER(LOD_OPTION_NUMBER, FIELD(threads), 'j', "jobs", "N", 1, LOD_CONNECTIONS_MAX,
                   "send N objects at a time (default: 4)"),
    LOD_ROW_NUMBER(LOD_OPTION_SIZE, FIELD(request_bytes), 0, "request-size", "SIZE",
                   LOD_UPLOAD_PART_MIN, LOD_UPLOAD_PART_MAX,
                   "send objects above four times SIZE in requests of SIZE (default: 64M)"),
    LOD_ROW_FLAG(FIELD(look_only), 'n', "dry-run", "send nothing; print what would be sent"),
    LOD_ROW_FLAG(FIELD(verify), 0, "verify",
                 "afterwards read every byte from the bucket, and check its hash"),
    LOD_ROW_TEXT(LOD_OPTION_TEXT, FIELD(part), 0, "part", "K/N", 0,
                 "send part K of N of the records, K from 1. The same command without it then "
                 "sends what is missing, and the manifest"),
    LOD_ROW_QUIET(FIELD(quiet), "print nothing"),
    LOD_ROW_PROGRESS(FIELD(progress)),
    LOD_ROW_STORE_WORDS(FIELD(words)),
    LOD_ROW_OPERAND(FIELD(store), "STORE", 1, LOD_NAMES_FOLDERS),
    LOD_ROW_OPERAND(FIELD(url), "URL", 1, LOD_NAMES_NONE),
    LOD_ROW_END,
};

static int explain(const struct arguments *arguments, int error, const char *why)
{
    char shown[PATH_MAX];

    if (error == -EINTR) {
        return lod_fail(LOD_EXIT_INTERRUPTED, "interrupted: there is no store at the URL yet; run "
                                              "the same command again to continue");
    }
    return lod_fail(error == -ENOENT   ? LOD_EXIT_NO_STORE
                    : error == -EINVAL ? LOD_EXIT_USAGE
                                       : LOD_EXIT_FAILED,
                    "cannot push '%pE' to '%pE': %pE", arguments->store,
                    lod_location_show(arguments->url, shown, sizeof(shown)), why);
}

static void conclude(const struct arguments *arguments, const struct lod_push_counts *counts)
{
    char shown[PATH_MAX];

    lod_print(stdout, "'%pE': %s %" PRIu64 " objects, %" PRIu64 " bytes; %" PRIu64 " were there\n",
              lod_location_show(arguments->url, shown, sizeof(shown)),
              arguments->look_only ? "would send" : "sent", counts->sent, counts->sent_bytes,
              counts->there);
}

/* ---------------------------------------------------------------------------------- --verify */

static int check(const struct lod_push *push, struct lod_why *why)
{
    const struct lod_findings *findings = NULL;
    struct lod_verify *verify = NULL;

    int error = lod_verify_create(push->url, push->settings, &verify, why);
    if (error) {
        return error == -ENOENT ? -EIO : error;
    }
    lod_verify_hashes_only(verify);
    error = lod_verify_show(verify, push->threads, push->progress, push->cancel);
    error = error ? error : lod_verify_conclude(verify, &findings);
    if (!error && findings->damages) {
        error = lod_refuse(
            why, -EBADMSG,
            "it is there, but damaged; lodfs verify names the damage, there and in the folder");
    }
    lod_verify_destroy(verify);
    return error;
}

/* ---------------------------------------------------------------------------------- the command */

static bool is_cancelled(void *ctx)
{
    return lod_cancel_poll(ctx) != 0;
}

static int push(const struct arguments *arguments, struct lod_store_settings *settings)
{
    struct lod_progress progress;
    struct lod_cancel cancel;
    struct lod_push_counts counts = {0};
    const struct lod_push given = {.store = arguments->store,
                                   .url = arguments->url,
                                   .settings = settings,
                                   .threads = arguments->threads,
                                   .request_bytes = arguments->request_bytes,
                                   .part = arguments->part_number,
                                   .parts = arguments->parts,
                                   .look_only = arguments->look_only,
                                   .progress = &progress,
                                   .cancel = &cancel};
    struct lod_why why = {.text = ""};

    if (lod_location_is_url(arguments->store)) {
        return explain(arguments, -EINVAL, "a store is pushed from a folder; name that");
    }
    settings->is_over = is_cancelled;
    settings->over_ctx = &cancel;
    settings->connections = settings->connections ? settings->connections : LOD_CONNECTIONS_MAX;
    lod_progress_init(&progress, lod_progress_wanted(arguments->progress, arguments->quiet));
    lod_cancel_init(&cancel, &progress);
    int error = lod_push_run(&given, &counts, &why);
    if (!error && arguments->verify && !arguments->look_only) {
        settings->warn = NULL; /* the store is opened a second time */
        error = check(&given, &why);
    }
    lod_cancel_finish(&cancel);
    lod_progress_finish(&progress);
    if (error) {
        return explain(arguments, error, lod_why_text(&why, error));
    }
    if (!arguments->quiet) {
        conclude(arguments, &counts);
    }
    return LOD_EXIT_OK;
}

static int settle_part(struct arguments *arguments)
{
    if (!arguments->part) {
        return 0;
    }
    return arguments->verify
               ? lod_arguments_refuse(&lod_cmd_push, "--verify cannot go with --part: there is no "
                                                     "store to verify before the last push")
               : lod_arguments_part(&lod_cmd_push, arguments->part, LOD_PARTS_MAX,
                                    &arguments->part_number, &arguments->parts);
}

static int run(int argc, char **argv)
{
    struct arguments arguments = {
        .threads = THREADS, .request_bytes = LOD_UPLOAD_PART_BYTES, .progress = -1};
    struct lod_store_settings settings;
    char *text = NULL;

    int code = lod_arguments_parse(&lod_cmd_push, argc, argv, &arguments);
    code = code ? code : settle_part(&arguments);
    code = code ? code : lod_store_options_take(&arguments.words, &settings, &text);
    code = code ? code : push(&arguments, &settings);
    free(text);
    return code;
}

const struct lod_cmd lod_cmd_push = {
    .name = "push",
    .summary = "copy a store to S3, whole or not at all",
    .about = "Copies a store from its folder to s3://BUCKET/KEY. Sends records and index first, "
             "then manifest.json, without which there is no store. Objects that are there are "
             "not sent again: the same command continues an interrupted push. Never replaces one.",
    .options = push_options,
    .run = run,
};

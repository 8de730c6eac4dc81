/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs verify STORE|MOUNT: checks that a store is as pack wrote it. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "terminal/open_store.h"
#include "terminal/arguments.h"
#include "terminal/thread_count.h"
#include "terminal/verify_show.h"
#include "pack/parts/pack_part.h"
#include "terminal/progress.h"
#include "terminal/cancel.h"
#include "terminal/store_options.h"
#include "output/verify_report.h"
#include "clock.h"

struct arguments {
    const char *given;
    struct lod_option_list words; /* of -o */
    unsigned threads;
    const char *part;
    struct lod_verify_summary summary; /* part and parts */
    bool hashes, json, quiet;
    int progress; /* 1: on, 0: off, -1: on if stderr is a terminal */
};

#define FIELD(member) LOD_FIELD(struct arguments, member)

static const struct lod_option verify_options[] = {
    LOD_ROW_FLAG(FIELD(hashes), 0, "hashes",
                 "check the hashes only; this finds all damage of storage, in a fraction of the "
                 "time"),
    LOD_ROW_TEXT(LOD_OPTION_TEXT, FIELD(part), 0, "part", "K/N", 0,
                 "check part K of N of the records, K from 1; part 1 also index and manifest. N "
                 "processes find together what one finds"),
    LOD_ROW_JOBS(FIELD(threads)),
    LOD_ROW_QUIET(FIELD(quiet), "print nothing; exit with 0 if sound, 1 if damaged"),
    LOD_ROW_JSON(FIELD(json)),
    LOD_ROW_PROGRESS(FIELD(progress)),
    LOD_ROW_STORE_WORDS(FIELD(words)),
    LOD_ROW_OPERAND(FIELD(given), "STORE|MOUNT", 1, LOD_NAMES_FOLDERS),
    LOD_ROW_END,
};

struct work {
    struct lod_verify *verify;
    struct lod_progress progress;
    struct lod_cancel stop;
    struct lod_verify_summary summary;
};

static int run_steps(struct work *work, unsigned threads, const struct lod_findings **ret_findings)
{
    int error = lod_verify_show(work->verify, threads, &work->progress, &work->stop);

    work->summary.files = work->progress.files;
    work->summary.bytes = work->progress.bytes_in;
    work->summary.files_all = lod_verify_files(work->verify);
    work->summary.bytes_all = lod_verify_bytes(work->verify);
    work->summary.stopped = error == -EINTR;
    if (work->summary.stopped) {
        *ret_findings = lod_verify_so_far(work->verify);
    }
    return error ? error : lod_verify_conclude(work->verify, ret_findings);
}

/* Returns the reason why the store could not be checked: `why`, or the text of the errno. */
static const char *reason(int error, const char *why)
{
    if (error == -EMFILE) {
        return "this process has no free file descriptor; raise its limit (ulimit -n)";
    }
    if (error == -EACCES && !why[0]) {
        return "a record of it may not be read by this user; run it as the owner of the store";
    }
    return why[0] && error != -ENFILE ? why : strerrordesc_np(-error);
}

static int explain(const char *location, int error, const char *why)
{
    if (error == -EINTR) {
        return lod_fail(LOD_EXIT_INTERRUPTED, "interrupted: the store was not checked to its end");
    }
    return lod_fail(error == -ENOENT ? LOD_EXIT_NO_STORE : LOD_EXIT_FAILED,
                    "cannot verify the store '%pE': %s", location, reason(error, why));
}

static int report(const struct arguments *arguments, const struct lod_findings *findings,
                  const struct lod_verify_summary *summary)
{
    if (arguments->json) {
        lod_fail_as_json(false); /* the findings of an interrupted run are the document */
        lod_verify_json(findings, summary, stdout);
        return 0;
    }
    return arguments->quiet ? 0 : lod_verify_print(findings, summary, stdout);
}

static int verify(const struct arguments *arguments, const struct lod_store_settings *settings,
                  const char *location)
{
    const struct lod_findings *findings = NULL;
    struct work work = {.summary = arguments->summary};
    const uint64_t began_ns = lod_clock_ns();
    struct lod_why why = {.text = ""};

    int error = lod_verify_create(location, settings, &work.verify, &why);
    if (error) {
        return explain(location, error, why.text);
    }
    work.summary.store = location;
    if (arguments->hashes) {
        lod_verify_hashes_only(work.verify);
    }
    if (arguments->part) {
        error = lod_verify_take_part(work.verify, work.summary.part, work.summary.parts);
    }
    lod_progress_init(&work.progress, lod_progress_wanted(arguments->progress, arguments->quiet));
    lod_cancel_init(&work.stop, &work.progress);
    error = error ? error : run_steps(&work, arguments->threads, &findings);
    lod_cancel_finish(&work.stop);
    lod_progress_finish(&work.progress);
    work.summary.seconds = (double)(lod_clock_ns() - began_ns) / 1e9;
    if (findings) {
        int unsaid = report(arguments, findings, &work.summary);
        error = error ? error : unsaid;
    }
    int code = error               ? explain(location, error, "")
               : findings->damages ? LOD_EXIT_FAILED
                                   : LOD_EXIT_OK;
    lod_verify_destroy(work.verify);
    return code;
}

static int run(int argc, char **argv)
{
    struct arguments arguments = {.threads = lod_thread_count_default(), .progress = -1};
    char *mounted = NULL, *text = NULL;
    struct lod_store_settings settings;

    int code = lod_arguments_parse(&lod_cmd_verify, argc, argv, &arguments);
    if (!code && arguments.part) {
        code = lod_arguments_part(&lod_cmd_verify, arguments.part, LOD_PARTS_MAX,
                                  &arguments.summary.part, &arguments.summary.parts);
    }
    code = code ? code : lod_store_options_take(&arguments.words, &settings, &text);
    code = code ? code : lod_store_behind(arguments.given, &mounted);
    code = code ? code : verify(&arguments, &settings, mounted ? mounted : arguments.given);
    free(mounted);
    free(text);
    return code;
}

const struct lod_cmd lod_cmd_verify = {
    .name = "verify",
    .summary = "check every byte of a store",
    .about = "Reads every byte of a store and checks it against its hashes. Compares facts that "
             "are stored twice: in index, records and manifest, and in schema.json and shards of "
             "tables. Decodes and rebuilds every file once, as a mount does. Prints file, offset, "
             "fidelities and path of each damage. For a mount point it checks the mounted store. "
             "Writes nothing.",
    .options = verify_options,
    .run = run,
};

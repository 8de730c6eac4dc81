/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs verify STORE|MOUNT: is everything in a store as pack wrote it? */
#include "cmd.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobs.h"
#include "log.h"
#include "mounted.h"
#include "pool.h"
#include "progress.h"
#include "stop.h"
#include "store/format.h"
#include "verify/verify.h"
#include "verify_report.h"
#include "usage.h"

static const char help_text[] =
    "Reads every byte of a store, checks it against its hashes, compares what is\n"
    "said twice (index, records, tree list and manifest; schema.json and shards of\n"
    "tables), and makes once what a mount makes: source files, pixels, rows of\n"
    "tables. Names file, offset, fidelities and path of every damage. Of a mount\n"
    "point, the store behind it is checked. Writes nothing.\n"
    "\n"
    "      --hashes       make nothing: enough for damage of storage, in a fraction\n"
    "                     of the time\n"
    "  -j, --jobs=N       threads (default: one a processor)\n"
    "  -q, --quiet        only the exit code: 0 sound, 1 damaged\n"
    "      --json         one JSON document\n"
    "      --[no-]progress  the progress line (default: on a terminal)\n";

enum { OPT_HASHES = 256, OPT_JSON, OPT_PROGRESS, OPT_NO_PROGRESS };

static const struct option long_options[] = {
    {"hashes", no_argument, NULL, OPT_HASHES},
    {"jobs", required_argument, NULL, 'j'},
    {"json", no_argument, NULL, OPT_JSON},
    {"no-progress", no_argument, NULL, OPT_NO_PROGRESS},
    {"progress", no_argument, NULL, OPT_PROGRESS},
    {"quiet", no_argument, NULL, 'q'},
    {0},
};

struct arguments {
    const char *given;
    unsigned threads;
    bool hashes, json, quiet;
    int progress; /* -1: as the terminal says */
};

struct work {
    struct lod_verify *verify;
    struct lod_progress progress;
    struct lod_stop stop;
    struct lod_verify_summary summary;
};

static int parse(struct arguments *arguments, int argc, char **argv)
{
    int option;

    opterr = 0;
    optind = 0;
    while ((option = getopt_long(argc, argv, ":j:q", long_options, NULL)) != -1) {
        if (option == 'j' && !lod_jobs_parse(optarg, &arguments->threads)) {
            fputs("lodfs: -j takes 1 to 256 threads; see lodfs verify --help\n", stderr);
            return LOD_EXIT_USAGE;
        }
        if (option == '?' || option == ':') {
            return lod_usage_option("verify", option, argv);
        }
        arguments->hashes = arguments->hashes || option == OPT_HASHES;
        arguments->json = arguments->json || option == OPT_JSON;
        arguments->quiet = arguments->quiet || option == 'q';
        if (option == OPT_PROGRESS || option == OPT_NO_PROGRESS) {
            arguments->progress = option == OPT_PROGRESS;
        }
    }
    if (argc - optind != 1) {
        fputs("lodfs: verify takes one STORE or MOUNT; see lodfs verify --help\n", stderr);
        return LOD_EXIT_USAGE;
    }
    arguments->given = argv[optind];
    return LOD_EXIT_OK;
}

static int step(void *ctx, uint64_t index)
{
    struct work *work = ctx;
    uint64_t bytes = 0, files = 0;

    int error = lod_stop_poll(&work->stop);
    error = error ? error : lod_verify_step(work->verify, index, &bytes, &files);
    if (!error) {
        lod_progress_add(&work->progress, files, bytes, 0);
    }
    return error;
}

static int run_steps(struct work *work, unsigned threads, const struct lod_findings **ret_findings)
{
    struct lod_pool *pool = NULL;

    lod_progress_stage(&work->progress, "verifying", lod_verify_files(work->verify),
                       lod_verify_bytes(work->verify));
    int error = lod_pool_create(threads, &pool);
    error = error ? error : lod_pool_each(pool, lod_verify_steps(work->verify), step, work);
    lod_pool_destroy(pool);
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

static int explain(const char *location, int error, const char *why)
{
    char name[4 * LOD_PATH_MAX + 1];

    if (error == -EINTR) {
        fputs("lodfs: interrupted: the store was not checked to its end\n", stderr);
        return LOD_EXIT_INTERRUPTED;
    }
    lod_escape(location, strlen(location), name, sizeof(name));
    fprintf(stderr, "lodfs: cannot verify the store '%s': %s\n", name,
            why[0] ? why : strerrordesc_np(-error));
    return error == -ENOENT ? LOD_EXIT_NO_STORE : LOD_EXIT_FAILED;
}

static int report(const struct arguments *arguments, const struct lod_findings *findings,
                  const struct lod_verify_summary *summary)
{
    return arguments->json    ? lod_verify_json(findings, summary, stdout)
           : arguments->quiet ? 0
                              : lod_verify_print(findings, summary, stdout);
}

static int verify(const struct arguments *arguments, const char *location)
{
    const struct lod_findings *findings = NULL;
    struct work work = {.summary.store = location};
    const double began = lod_jobs_seconds();
    char why[256] = "";

    int error = lod_verify_create(location, &work.verify, why, sizeof(why));
    if (error) {
        return explain(location, error, why);
    }
    if (arguments->hashes) {
        lod_verify_hashes_only(work.verify);
    }
    lod_stop_init(&work.stop);
    lod_progress_init(&work.progress, arguments->progress < 0
                                          ? isatty(STDERR_FILENO) && !arguments->quiet
                                          : arguments->progress != 0);
    error = run_steps(&work, arguments->threads, &findings);
    lod_progress_finish(&work.progress);
    work.summary.seconds = lod_jobs_seconds() - began;
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
    struct arguments arguments = {.threads = lod_jobs_default(), .progress = -1};
    char *mounted = NULL;

    int code = parse(&arguments, argc, argv);
    if (code) {
        return code;
    }
    int error = lod_mounted_store(arguments.given, &mounted);
    code = error ? explain(arguments.given, error, "")
                 : verify(&arguments, mounted ? mounted : arguments.given);
    free(mounted);
    return code;
}

const struct lod_cmd lod_cmd_verify = {.name = "verify",
                                       .usage = "[OPTIONS] STORE|MOUNT",
                                       .summary = "check every byte of a store",
                                       .help = help_text,
                                       .run = run};

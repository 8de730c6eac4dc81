/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs pack SOURCE STORE: from its arguments to its last line and exit code. */
#include "cmd.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobs.h"
#include "pack/pack.h"
#include "pack_arguments.h"
#include "pack_help.h"
#include "summary.h"

static int explain(const struct lod_trouble *trouble, bool resumable, int error)
{
    if (error == -EINTR) {
        fprintf(stderr, "lodfs: interrupted: no store was made; run the same command again to %s\n",
                resumable ? "go on" : "start anew");
        return LOD_EXIT_INTERRUPTED;
    }
    fprintf(stderr, "lodfs: %s%s\n",
            trouble->text[0] ? trouble->text : strerrordesc_np(error < 0 ? -error : error),
            resumable ? "; run the same command again to go on" : "");
    return error == -EWOULDBLOCK ? LOD_EXIT_LOCKED : LOD_EXIT_FAILED;
}

static int conclude(const struct lod_pack_arguments *arguments,
                    const struct lod_pack_result *result, double seconds)
{
    int error = 0;

    if (arguments->json) {
        error = lod_summary_json(&arguments->pack, result, seconds, stdout);
    } else if (!arguments->quiet) {
        error = lod_summary_print(&arguments->pack, result, seconds, arguments->verbose, stdout);
    }
    if (error) {
        fprintf(stderr, "lodfs: the store is complete, but not its summary: %s\n",
                strerrordesc_np(-error));
        return LOD_EXIT_FAILED;
    }
    return result->unreadable ? LOD_EXIT_UNREADABLE : LOD_EXIT_OK;
}

/*
 * A shard, a photograph and a picture each take a dozen buffers of a megabyte, which are kept for
 * the next one: fresh pages of them were half of the time that dense tables took.
 */
static void keep_buffers(void)
{
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
}

static int pack(struct lod_pack_arguments *arguments)
{
    struct lod_trouble *trouble = malloc(sizeof(*trouble));
    struct lod_pack_result result;
    struct lod_progress progress;
    struct lod_stop stop;
    double began = lod_jobs_seconds();

    if (!trouble) {
        fputs("lodfs: out of memory\n", stderr);
        return LOD_EXIT_FAILED;
    }
    keep_buffers();
    lod_stop_init(&stop);
    lod_trouble_init(trouble, arguments->pack.skip_unreadable);
    lod_progress_init(&progress, arguments->progress < 0
                                     ? isatty(STDERR_FILENO) && !arguments->quiet
                                     : arguments->progress != 0);
    arguments->pack.stop = &stop;
    arguments->pack.progress = &progress;
    int error = lod_pack(&arguments->pack, trouble, &result);
    lod_progress_finish(&progress);
    int code = error ? explain(trouble, result.resumable, error)
                     : conclude(arguments, &result, lod_jobs_seconds() - began);
    lod_pack_finish(&result);
    lod_trouble_finish(trouble);
    free(trouble);
    return code;
}

static int run(int argc, char **argv)
{
    struct lod_pack_arguments arguments;
    int code = lod_pack_arguments_parse(&arguments, argc, argv);

    return code ? code : pack(&arguments);
}

const struct lod_cmd lod_cmd_pack = {.name = "pack",
                                     .usage = "[OPTIONS] SOURCE STORE",
                                     .summary = "make a store of a folder",
                                     .help = lod_pack_help,
                                     .run = run};

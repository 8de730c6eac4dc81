/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs pack SOURCE STORE: parses the arguments, packs, prints the summary,
 * chooses the exit code. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/location.h"
#include "terminal/cmd.h"
#include "terminal/thread_count.h"
#include "pack/pack.h"
#include "cmd/pack_arguments.h"
#include "output/part_report.h"
#include "output/summary.h"
#include "clock.h"

static int explain(const struct lod_pack_options *pack, const struct lod_first_error *first_error,
                   bool resumable, int error)
{
    const int code = error == -EWOULDBLOCK ? LOD_EXIT_LOCKED
                     : error == -ENODATA   ? LOD_EXIT_INCOMPLETE
                                           : LOD_EXIT_FAILED;
    const char *again = resumable ? "; run the same command again to continue" : "";

    if (error == -EINTR) {
        return lod_fail(LOD_EXIT_INTERRUPTED,
                        "interrupted: no store was made; run the same command again to %s",
                        resumable ? "continue" : "start over");
    }
    if (!first_error->text[0]) {
        return lod_fail(code, "cannot pack '%pE' into '%pE': %s%s", pack->source, pack->store,
                        strerrordesc_np(error < 0 ? -error : error), again);
    }
    return lod_fail(code, "%s%s", first_error->text, again);
}

static int conclude(const struct lod_pack_arguments *arguments,
                    const struct lod_pack_result *result, double seconds)
{
    const bool stage = arguments->pack.plan || arguments->pack.part.count;
    int error = 0;

    if (stage && arguments->json) {
        lod_part_report_json(&arguments->pack, result, seconds, stdout);
    } else if (stage && !arguments->quiet) {
        lod_part_report_print(&arguments->pack, result, seconds, stdout);
    } else if (stage) {
        return result->unreadable ? LOD_EXIT_UNREADABLE : LOD_EXIT_OK;
    } else if (arguments->json) {
        lod_summary_json(&arguments->pack, result, seconds, stdout);
    } else if (!arguments->quiet) {
        error = lod_summary_print(&arguments->pack, result, seconds, arguments->verbose, stdout);
    }
    if (error) {
        return lod_fail(LOD_EXIT_FAILED,
                        "the store is complete, but its summary cannot be printed: %s",
                        strerrordesc_np(-error));
    }
    return result->unreadable ? LOD_EXIT_UNREADABLE : LOD_EXIT_OK;
}

static int pack(struct lod_pack_arguments *arguments)
{
    struct lod_first_error *first_error = malloc(sizeof(*first_error));
    struct lod_pack_result result;
    struct lod_progress progress;
    struct lod_cancel stop;
    const uint64_t began_ns = lod_clock_ns();

    if (!first_error) {
        return lod_fail(LOD_EXIT_FAILED, "out of memory");
    }
    lod_first_error_init(first_error, arguments->pack.skip_unreadable);
    lod_progress_init(&progress, lod_progress_wanted(arguments->progress, arguments->quiet));
    lod_cancel_init(&stop, &progress);
    arguments->pack.stop = &stop;
    arguments->pack.progress = &progress;
    int error = lod_pack(&arguments->pack, first_error, &result);
    lod_cancel_finish(&stop);
    lod_progress_finish(&progress);
    int code = error ? explain(&arguments->pack, first_error, result.resumable, error)
                     : conclude(arguments, &result, (double)(lod_clock_ns() - began_ns) / 1e9);
    lod_pack_finish(&result);
    lod_first_error_finish(first_error);
    free(first_error);
    return code;
}

static int run(int argc, char **argv)
{
    struct lod_pack_arguments arguments;
    int code = lod_pack_arguments_parse(&lod_cmd_pack, &arguments, argc, argv);

    if (!code &&
        (lod_location_is_url(arguments.pack.source) || lod_location_is_url(arguments.pack.store))) {
        code = lod_fail(LOD_EXIT_USAGE,
                        "pack reads and writes folders: pack into one, then lodfs push it to "
                        "s3://BUCKET/KEY, or copy it to a web server, manifest.json last");
    }
    code = code ? code : pack(&arguments);
    lod_filter_finish(&arguments.pack.filter);
    return code;
}

const struct lod_cmd lod_cmd_pack = {
    .name = "pack",
    .summary = "pack a folder into a store",
    .about =
        "Packs the folder SOURCE into the new folder STORE. JPEGs are stored as they are, and "
        "again as scan groups: the first k groups are the photograph at fidelity qk. PNG, PPM, "
        "PGM and BMP files are stored as lossless patches, which are smaller and faster to "
        "decode. All other files are compressed where that pays. SOURCE is never changed.\n\n"
        "If a pack was stopped, the same command continues it.",
    .options = lod_pack_rows,
    .run = run,
};

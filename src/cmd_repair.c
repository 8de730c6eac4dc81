/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs repair STORE: index and manifest again, from the records alone. */
#include "cmd.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "repair/repair.h"
#include "report.h"
#include "stop.h"
#include "store/format.h"
#include "usage.h"

#define WHY_BYTES (LOD_PATH_MAX + 256)

static const char help_text[] =
    "Makes index and manifest.json again from the records, byte for byte as pack\n"
    "wrote them, and says what could not be saved. Where both are sound nothing is\n"
    "written, so the store need not be writable. Records are never changed: what is\n"
    "damaged in them stays damaged (lodfs verify names it). A damaged index that has\n"
    "names the new one has not is kept as index.old.\n"
    "\n"
    "Exit code 3: something in the records is damaged or missing, now or since an\n"
    "earlier repair.\n";

static const struct option long_options[] = {{0}};

static char *readable(const char *name, char text[4 * LOD_PATH_MAX + 1])
{
    return lod_escape(name, strlen(name), text, 4 * LOD_PATH_MAX + 1);
}

static int explain(const char *store, int error, const char *why)
{
    char name[4 * LOD_PATH_MAX + 1], *text = NULL;

    if (error == -EINTR) {
        fprintf(stderr, "lodfs: interrupted: nothing of '%s' was changed; repair it again\n",
                readable(store, name));
        return LOD_EXIT_INTERRUPTED;
    }
    text = malloc(4 * WHY_BYTES);
    fprintf(stderr, "lodfs: cannot repair the store '%s': %s\n", readable(store, name),
            text ? lod_escape(why, strlen(why), text, 4 * WHY_BYTES) : strerrordesc_np(-error));
    free(text);
    return error == -ENOENT        ? LOD_EXIT_NO_STORE
           : error == -EWOULDBLOCK ? LOD_EXIT_LOCKED
                                   : LOD_EXIT_FAILED;
}

static void print_losses(const struct lod_repair_report *report)
{
    char name[4 * LOD_PATH_MAX + 1];

    for (size_t i = 0; i < report->losses.count; i++) {
        const struct lod_loss *loss = &report->losses.at[i];
        printf("lost: %s%s%s", loss->name ? readable(loss->name, name) : "", loss->name ? ": " : "",
               loss->what);
        if (loss->items) {
            printf(" (%" PRIu64 " %s)", loss->items, loss->name ? "files" : "records");
        }
        putchar('\n');
    }
    if (report->losses_count > report->losses.count) {
        printf("and %" PRIu64 " more\n", report->losses_count - report->losses.count);
    }
}

static int conclude(const char *store, const struct lod_repair_report *report)
{
    char name[4 * LOD_PATH_MAX + 1], count[LOD_REPORT_TEXT];

    print_losses(report);
    readable(store, name);
    if (report->kept) {
        printf("'%s': index and manifest are sound and stay as they are; damage in records cannot "
               "be repaired\n",
               name);
        return LOD_EXIT_UNREADABLE;
    }
    if (!report->index_written && !report->manifest_written) {
        printf("'%s': nothing to repair\n", name);
    } else {
        printf("'%s': %s made again from %s %s", name,
               !report->manifest_written ? "the index was"
               : report->index_written   ? "index and manifest were"
                                         : "the manifest was",
               lod_report_count(report->records, count),
               lod_report_plural(report->records, "record", "records"));
        printf("; %s names\n", lod_report_count(report->names, count));
    }
    return report->losses_count ? LOD_EXIT_UNREADABLE : LOD_EXIT_OK;
}

static int poll(void *ctx)
{
    return lod_stop_poll(ctx);
}

static int run(int argc, char **argv)
{
    struct lod_repair_report report;
    struct lod_stop stop;
    char why[WHY_BYTES] = "";

    opterr = 0;
    optind = 0;
    int option = getopt_long(argc, argv, ":", long_options, NULL);
    if (option != -1) {
        return lod_usage_option("repair", option, argv);
    }
    if (argc - optind != 1) {
        fputs("lodfs: repair takes one STORE; see lodfs repair --help\n", stderr);
        return LOD_EXIT_USAGE;
    }
    lod_stop_init(&stop);
    int error = lod_repair(argv[optind], (struct lod_interrupt){.poll = poll, .ctx = &stop},
                           &report, why, sizeof(why));
    int code = error ? explain(argv[optind], error, why) : conclude(argv[optind], &report);
    lod_repair_report_finish(&report);
    return code;
}

const struct lod_cmd lod_cmd_repair = {.name = "repair",
                                       .usage = "STORE",
                                       .summary = "make index and manifest again",
                                       .help = help_text,
                                       .run = run};

/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs repair STORE: rebuilds index and manifest from the records. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "repair/repair.h"
#include "terminal/arguments.h"
#include "terminal/report.h"
#include "terminal/cancel.h"
#include "backend/format.h"
#include "backend/location.h"

struct arguments {
    const char *store;
    bool json;
};

static const struct lod_option repair_options[] = {
    LOD_ROW_JSON(LOD_FIELD(struct arguments, json)),
    LOD_ROW_OPERAND(LOD_FIELD(struct arguments, store), "STORE", 1, LOD_NAMES_FOLDERS),
    LOD_ROW_END,
};

static int explain(const char *store, int error, const char *why)
{
    if (error == -EINTR) {
        return lod_fail(LOD_EXIT_INTERRUPTED,
                        "interrupted: '%pE' is unchanged; run the same command again", store);
    }
    return lod_fail(error == -ENOENT        ? LOD_EXIT_NO_STORE
                    : error == -EWOULDBLOCK ? LOD_EXIT_LOCKED
                                            : LOD_EXIT_FAILED,
                    "cannot repair the store '%pE': %pE", store, why);
}

static void print_losses(const struct lod_repair_report *report)
{
    for (size_t i = 0; i < report->losses.count; i++) {
        const struct lod_loss *loss = &report->losses.at[i];
        lod_print(stdout, "lost: %pE%s%s", loss->name, loss->name ? ": " : "", loss->what);
        if (loss->of) {
            lod_print(stdout, ", '%pE'", loss->of);
        }
        if (loss->items) {
            printf(" (%" PRIu64 " %s)", loss->items,
                   lod_report_plural(loss->items, loss->name ? "file" : "record",
                                     loss->name ? "files" : "records"));
        }
        putchar('\n');
    }
    if (report->losses_count > report->losses.count) {
        printf("and %" PRIu64 " more\n", report->losses_count - report->losses.count);
    }
}

static int exit_code(const struct lod_repair_report *report)
{
    return report->kept || report->losses_count ? LOD_EXIT_UNREADABLE : LOD_EXIT_OK;
}

static int print_json(const char *store, const struct lod_repair_report *report)
{
    struct lod_json json = {.out = {.file = stdout}};

    lod_json_object(&json, NULL);
    lod_json_text(&json, "store", store);
    lod_json_bool(&json, "kept", report->kept);
    lod_json_bool(&json, "index_written", report->index_written);
    lod_json_bool(&json, "manifest_written", report->manifest_written);
    lod_json_number(&json, "records", (double)report->records);
    lod_json_number(&json, "names", (double)report->names);
    lod_json_number(&json, "losses_count", (double)report->losses_count);
    lod_json_array(&json, "losses");
    for (size_t i = 0; i < report->losses.count; i++) {
        const struct lod_loss *loss = &report->losses.at[i];
        lod_json_object(&json, NULL);
        if (loss->name) {
            lod_json_text(&json, "name", loss->name);
        }
        if (loss->of) {
            lod_json_text(&json, "of", loss->of);
        }
        lod_json_text(&json, "what", loss->what);
        lod_json_number(&json, "items", (double)loss->items);
        lod_json_end(&json);
    }
    lod_json_end(&json);
    lod_json_end(&json);
    return exit_code(report);
}

static int conclude(const char *store, const struct lod_repair_report *report)
{
    const struct lod_fact records = {NULL, "record", "records", report->records};
    const struct lod_fact names = {NULL, "name", "names", report->names};

    print_losses(report);
    lod_print(stdout, "'%pE': ", store);
    if (report->kept) {
        puts("index and manifest are sound and stay as they are; damage in records cannot be "
             "repaired; lodfs verify names the damaged files");
        return exit_code(report);
    }
    if (!report->index_written && !report->manifest_written) {
        puts("nothing to repair");
    } else {
        printf("%s rebuilt from ", !report->manifest_written ? "the index was"
                                   : report->index_written   ? "index and manifest were"
                                                             : "the manifest was");
        lod_facts_print(&records, 1, stdout);
        printf("; ");
        lod_facts_print(&names, 1, stdout);
        putchar('\n');
    }
    return exit_code(report);
}

static int poll(void *ctx)
{
    return lod_cancel_poll(ctx);
}

static int run(int argc, char **argv)
{
    struct arguments arguments = {.store = NULL};
    struct lod_repair_report report;
    struct lod_cancel stop;
    struct lod_why why = {.text = ""};
    int code = lod_arguments_parse(&lod_cmd_repair, argc, argv, &arguments);

    if (code) {
        return code;
    }
    if (lod_location_is_url(arguments.store)) {
        return lod_fail(LOD_EXIT_USAGE,
                        "repair works in a folder: copy the store into one, repair it there, then "
                        "copy index and manifest.json back");
    }
    lod_cancel_init(&stop, NULL);
    int error = lod_repair(arguments.store, (struct lod_interrupt){.poll = poll, .ctx = &stop},
                           &report, &why);
    lod_cancel_finish(&stop);
    code = error            ? explain(arguments.store, error, lod_why_text(&why, error))
           : arguments.json ? print_json(arguments.store, &report)
                            : conclude(arguments.store, &report);
    lod_repair_report_finish(&report);
    return code;
}

const struct lod_cmd lod_cmd_repair = {
    .name = "repair",
    .summary = "rebuild index and manifest from the records",
    .about = "Rebuilds index and manifest.json from the records, byte for byte as pack wrote them, "
             "and names everything that is lost. If both are sound it writes nothing, so the store "
             "need not be writable. Records are never changed: damage in them stays, and lodfs "
             "verify names it. A damaged index is kept as index.old if it may have names that the "
             "new one lacks.",
    .after = "Exit code 3: a part of the records is damaged or missing, perhaps since before an "
             "earlier repair.",
    .options = repair_options,
    .run = run,
};

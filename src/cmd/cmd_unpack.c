/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs unpack STORE FOLDER: parses the arguments, unpacks by src/unpack, and prints the result. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "terminal/arguments.h"
#include "terminal/thread_count.h"
#include "terminal/open_store.h"
#include "terminal/report.h"
#include "unpack/unpack.h"

#define NOTES_SHOWN 10

struct arguments {
    const char *store;
    struct lod_option_list words; /* of -o */
    struct lod_unpack_options unpack;
    enum lod_fidelity fidelity; /* 0: no --fidelity was given */
    bool quiet, verbose, json;
    int progress; /* 1: on, 0: off, -1: on if stderr is a terminal */
};

#define FIELD(member) LOD_FIELD(struct arguments, member)

static const struct lod_option unpack_options[] = {
    LOD_ROW_FIDELITY(
        FIELD(fidelity), "fidelity", LOD_ORIGINAL,
        "q1 .. q10, full, or original. Full writes every file, with the pixels of the source. "
        "Original leaves out files whose exact bytes the store does not have, lists them, and "
        "exits with 3. Without this option: original, and full for PNGs that have no original"),
    LOD_ROW_JOBS(FIELD(unpack.threads)),
    LOD_ROW_QUIET(FIELD(quiet), "no summary"),
    LOD_ROW_VERBOSE(FIELD(verbose), "list all files that are left out, not only the first"),
    LOD_ROW_JSON(FIELD(json)),
    LOD_ROW_PROGRESS(FIELD(progress)),
    LOD_ROW_STORE_WORDS(LOD_FIELD(struct arguments, words)),
    LOD_ROW_OPERAND(FIELD(store), "STORE|MOUNT", 1, LOD_NAMES_FOLDERS),
    LOD_ROW_OPERAND(FIELD(unpack.folder), "FOLDER", 1, LOD_NAMES_FOLDERS),
    LOD_ROW_END,
};

static int explain(const struct arguments *arguments, const struct lod_first_error *first_error,
                   int error)
{
    const char *folder = arguments->unpack.folder;

    if (error == -EINTR) {
        return lod_fail(LOD_EXIT_INTERRUPTED,
                        "interrupted: '%pE' is not complete, but every file in it is; run the same "
                        "command again to continue",
                        folder);
    }
    if (first_error->text[0]) {
        return lod_fail(LOD_EXIT_FAILED, "in '%pE': %s; run the same command again to continue",
                        folder, first_error->text);
    }
    return lod_fail(error == -EBUSY ? LOD_EXIT_LOCKED : LOD_EXIT_FAILED,
                    "cannot unpack into '%pE': %s", folder,
                    error == -ENOTEMPTY ? "it is not empty; name an empty or a new folder"
                    : error == -EEXIST  ? "it has the beginning of another unpack; continue that "
                                          "one, or remove the folder"
                    : error == -EDOM    ? "it lies in the store; name a folder outside of it"
                    : error == -EBUSY   ? "another unpack is writing to it"
                                        : strerrordesc_np(-error));
}

static void print_notes(const struct lod_unpack_result *result, bool failed, bool verbose)
{
    uint64_t all = failed ? result->failed : result->left_out, shown = 0;

    for (size_t i = 0; i < result->notes.count && (verbose || shown < NOTES_SHOWN); i++) {
        const struct lod_unpack_note *note = &result->notes.at[i];
        if (note->failed == failed) {
            lod_print(stdout, "%s: %pE%s%s\n", failed ? "failed" : "left out", note->path,
                      note->path[0] ? ": " : "", note->what);
            shown++;
        }
    }
    if (shown < all) {
        printf("and %llu more%s\n", (unsigned long long)(all - shown),
               verbose ? "" : " (-v lists them)");
    }
}

static int compare_notes(const void *a, const void *b)
{
    const struct lod_unpack_note *x = a, *y = b;

    return strcmp(x->path, y->path);
}

static void json_notes(struct lod_json *json, const struct lod_unpack_result *result, bool failed)
{
    lod_json_array(json, failed ? "failed" : "left_out");
    for (size_t i = 0; i < result->notes.count; i++) {
        const struct lod_unpack_note *note = &result->notes.at[i];
        if (note->failed == failed) {
            lod_json_object(json, NULL);
            lod_json_text(json, "path", note->path);
            lod_json_text(json, "why", note->what);
            lod_json_end(json);
        }
    }
    lod_json_end(json);
}

static void print_json(const struct arguments *arguments, const struct lod_unpack_result *result)
{
    struct lod_json json = {.out = {.file = stdout}};

    lod_json_object(&json, NULL);
    lod_json_text(&json, "fidelity", lod_fidelity_name(arguments->unpack.fidelity));
    lod_json_number(&json, "files", (double)result->files);
    lod_json_number(&json, "bytes", (double)result->bytes);
    lod_json_number(&json, "folders", (double)result->folders);
    lod_json_number(&json, "symlinks", (double)result->symlinks);
    lod_json_number(&json, "hard_links", (double)result->hard_links);
    lod_json_number(&json, "there_before", (double)result->there);
    lod_json_number(&json, "as_at_full", (double)result->at_full);
    lod_json_number(&json, "failed_count", (double)result->failed);
    lod_json_number(&json, "left_out_count", (double)result->left_out);
    json_notes(&json, result, true);
    json_notes(&json, result, false);
    lod_json_end(&json);
}

static void print_result(const struct arguments *arguments, const struct lod_unpack_result *result)
{
    const struct lod_fact files = {NULL, "file", "files", result->files};
    const struct lod_fact others[] = {
        {NULL, "folder", "folders", result->folders},
        {NULL, "symbolic link", "symbolic links", result->symlinks},
        {NULL, "hard link", "hard links", result->hard_links},
    };
    char a[LOD_REPORT_TEXT];

    print_notes(result, true, arguments->verbose);
    print_notes(result, false, arguments->verbose);
    lod_facts_print(&files, 1, stdout);
    printf(", %s, ", lod_report_bytes(result->bytes, a));
    lod_facts_print(others, sizeof(others) / sizeof(others[0]), stdout);
    printf(" at %s\n", lod_fidelity_name(arguments->unpack.fidelity));
    if (result->there) {
        printf("%s %s already there from an earlier run that did not end.\n",
               lod_report_count(result->there, a),
               lod_report_plural(result->there, "file was", "files were"));
    }
    if (result->at_full) {
        printf("%s %s written as at full: the store has the pixels and metadata, not the file's "
               "own bytes.\n",
               lod_report_count(result->at_full, a),
               lod_report_plural(result->at_full, "file was", "files were"));
    }
    if (result->failed) {
        puts("Run the same command again to retry the files that failed.");
    }
    if (result->left_out) {
        printf("%s %s left out: the store does not hold their exact bytes. With --fidelity=full "
               "every file is\nwritten, with the pixels of the source.\n",
               lod_report_count(result->left_out, a),
               lod_report_plural(result->left_out, "file was", "files were"));
    }
}

static int unpack(struct arguments *arguments)
{
    struct lod_first_error *first_error = malloc(sizeof(*first_error));
    struct lod_unpack_result result;
    struct lod_progress progress;
    struct lod_cancel stop;

    if (!first_error) {
        return lod_fail(LOD_EXIT_FAILED, "out of memory");
    }
    lod_first_error_init(first_error, false);
    lod_progress_init(&progress, lod_progress_wanted(arguments->progress, arguments->quiet));
    lod_cancel_init(&stop, &progress);
    arguments->unpack.stop = &stop;
    arguments->unpack.progress = &progress;
    int error = lod_unpack(&arguments->unpack, first_error, &result);
    lod_cancel_finish(&stop);
    lod_progress_finish(&progress);
    if (!error && result.notes.count) {
        qsort(result.notes.at, result.notes.count, sizeof(result.notes.at[0]), compare_notes);
    }
    if (!error && arguments->json) {
        print_json(arguments, &result);
    } else if (!error && !arguments->quiet) {
        print_result(arguments, &result);
    }
    if (!error && arguments->quiet && result.failed) {
        lod_fail(0, "%llu %s could not be unpacked; run it without -q to see the names",
                 (unsigned long long)result.failed,
                 lod_report_plural(result.failed, "name", "names"));
    }
    int code = error             ? explain(arguments, first_error, error)
               : result.failed   ? LOD_EXIT_FAILED
               : result.left_out ? LOD_EXIT_UNREADABLE
                                 : LOD_EXIT_OK;
    lod_unpack_finish(&result);
    lod_first_error_finish(first_error);
    free(first_error);
    return code;
}

static int run(int argc, char **argv)
{
    struct arguments arguments = {.unpack = {.threads = lod_thread_count_default(), .sync = true},
                                  .progress = -1};

    int code = lod_arguments_parse(&lod_cmd_unpack, argc, argv, &arguments);
    if (!code && arguments.json && arguments.quiet) {
        return lod_arguments_refuse(&lod_cmd_unpack, "--json and -q exclude each other");
    }
    arguments.unpack.else_full = !arguments.fidelity;
    arguments.unpack.fidelity = arguments.fidelity ? arguments.fidelity : LOD_ORIGINAL;
    code =
        code ? code : lod_open_store(arguments.store, &arguments.words, &arguments.unpack.dataset);
    if (!code) {
        code = unpack(&arguments);
    }
    lod_dataset_close(arguments.unpack.dataset);
    return code;
}

const struct lod_cmd lod_cmd_unpack = {
    .name = "unpack",
    .summary = "write the files of a store into a folder",
    .about =
        "Writes the tree of a store into FOLDER, which must be empty or absent. It restores names, "
        "modes, times, symbolic and hard links, and empty folders, and never writes outside "
        "FOLDER.\n\n"
        "Files have the source's own bytes. The exception are PNGs packed without "
        "--original=all: they are written with the same pixels and metadata, and counted.",
    .options = unpack_options,
    .run = run,
};

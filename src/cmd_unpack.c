/* SPDX-License-Identifier: Apache-2.0 */
/* lodfs unpack STORE FOLDER: the command line around src/unpack. */
#include "cmd.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobs.h"
#include "log.h"
#include "open_store.h"
#include "report.h"
#include "unpack/unpack.h"
#include "usage.h"

#define NOTES_SHOWN 10

enum { OPT_FIDELITY = 256, OPT_PROGRESS, OPT_NO_PROGRESS };

static const struct option long_options[] = {
    {"fidelity", required_argument, NULL, OPT_FIDELITY},
    {"jobs", required_argument, NULL, 'j'},
    {"no-progress", no_argument, NULL, OPT_NO_PROGRESS},
    {"progress", no_argument, NULL, OPT_PROGRESS},
    {"quiet", no_argument, NULL, 'q'},
    {"verbose", no_argument, NULL, 'v'},
    {0},
};

static const char help_text[] =
    "Writes the tree of a store into FOLDER, which is empty or absent: names, modes,\n"
    "times, symbolic and hard links, empty folders, bytes. Nothing outside FOLDER is\n"
    "written, whatever the store says.\n"
    "\n"
    "Files have the source's own bytes. PNGs of which the store has pixels and\n"
    "metadata only (packed without --original=all) are written as PNGs of those, and\n"
    "counted.\n"
    "\n"
    "      --fidelity=F     original: files without their exact bytes are listed and\n"
    "                       left out (exit code 3);  full: every file, with the\n"
    "                       pixels of the source;  q1 .. q10\n"
    "  -j, --jobs=N         threads (default: one a processor)\n"
    "  -q, --quiet          no summary\n"
    "  -v, --verbose        list all files left out, not only the first ones\n"
    "      --[no-]progress  the progress line (default: on a terminal)\n";

struct arguments {
    const char *store;
    struct lod_unpack_options unpack;
    bool quiet, verbose;
    int progress; /* -1: as the terminal says */
};

static int usage(const char *sentence)
{
    fprintf(stderr, "lodfs: %s; see lodfs unpack --help\n", sentence);
    return LOD_EXIT_USAGE;
}

static int parse_option(struct arguments *arguments, int option, char **argv)
{
    switch (option) {
    case OPT_FIDELITY:
        arguments->unpack.fidelity = lod_fidelity_parse(optarg, strlen(optarg));
        arguments->unpack.else_full = false;
        return arguments->unpack.fidelity ? 0 : usage("--fidelity is original, full or q1 .. q10");
    case 'j':
        return lod_jobs_parse(optarg, &arguments->unpack.threads)
                   ? 0
                   : usage("-j takes 1 to 256 threads");
    case 'q':
        arguments->quiet = true;
        return 0;
    case 'v':
        arguments->verbose = true;
        return 0;
    case OPT_PROGRESS:
    case OPT_NO_PROGRESS:
        arguments->progress = option == OPT_PROGRESS;
        return 0;
    default:
        return lod_usage_option("unpack", option, argv);
    }
}

static int parse(struct arguments *arguments, int argc, char **argv)
{
    int option, code = 0;

    opterr = 0;
    optind = 0;
    while (!code && (option = getopt_long(argc, argv, ":j:qv", long_options, NULL)) != -1) {
        code = parse_option(arguments, option, argv);
    }
    if (!code && argc - optind != 2) {
        code = usage("unpack takes a STORE and a FOLDER");
    }
    if (!code) {
        arguments->store = argv[optind];
        arguments->unpack.folder = argv[optind + 1];
    }
    return code;
}

static int explain(const struct arguments *arguments, const struct lod_trouble *trouble, int error)
{
    char name[4 * LOD_PATH_MAX + 1];
    const char *folder = arguments->unpack.folder;

    lod_escape(folder, strlen(folder), name, sizeof(name));
    if (error == -EINTR) {
        fprintf(stderr,
                "lodfs: interrupted: '%s' is not complete: every file that is there is whole; "
                "remove it "
                "and unpack again\n",
                name);
        return LOD_EXIT_INTERRUPTED;
    }
    if (trouble->text[0]) {
        fprintf(stderr, "lodfs: in '%s': %s\n", name, trouble->text);
    } else {
        fprintf(stderr, "lodfs: cannot unpack into '%s': %s%s\n", name, strerrordesc_np(-error),
                error == -ENOTEMPTY ? "; name an empty or a new folder" : "");
    }
    return LOD_EXIT_FAILED;
}

static void print_notes(const struct lod_unpack_result *result, bool failed, bool verbose)
{
    char name[4 * LOD_PATH_MAX + 1];
    uint64_t all = failed ? result->failed : result->left_out, shown = 0;

    for (size_t i = 0; i < result->notes.count && (verbose || shown < NOTES_SHOWN); i++) {
        const struct lod_unpack_note *note = &result->notes.at[i];
        if (note->failed == failed) {
            lod_escape(note->path, strlen(note->path), name, sizeof(name));
            printf("%s: %s%s%s\n", failed ? "failed" : "left out", name, name[0] ? ": " : "",
                   note->what);
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

static void print_result(const struct arguments *arguments, struct lod_unpack_result *result)
{
    char a[LOD_REPORT_TEXT], b[LOD_REPORT_TEXT];

    if (result->notes.count) {
        qsort(result->notes.at, result->notes.count, sizeof(result->notes.at[0]), compare_notes);
    }
    print_notes(result, true, arguments->verbose);
    print_notes(result, false, arguments->verbose);
    printf("%s %s, %s", lod_report_count(result->files, a),
           lod_report_plural(result->files, "file", "files"), lod_report_bytes(result->bytes, b));
    printf(", %s %s", lod_report_count(result->folders, a),
           lod_report_plural(result->folders, "folder", "folders"));
    printf(", %s %s", lod_report_count(result->symlinks, a),
           lod_report_plural(result->symlinks, "symbolic link", "symbolic links"));
    printf(", %s %s at %s\n", lod_report_count(result->hard_links, a),
           lod_report_plural(result->hard_links, "hard link", "hard links"),
           lod_fidelity_name(arguments->unpack.fidelity));
    if (result->at_full) {
        printf(
            "Of %s %s the store has pixels and metadata, not the file's own bytes: written as at "
            "full.\n",
            lod_report_count(result->at_full, a),
            lod_report_plural(result->at_full, "file", "files"));
    }
    if (result->left_out) {
        printf("%s %s left out: the store does not hold their exact bytes. With --fidelity=full "
               "every file is\nwritten, photographs with the pixels of the source.\n",
               lod_report_count(result->left_out, a),
               lod_report_plural(result->left_out, "file was", "files were"));
    }
}

static int unpack(struct arguments *arguments)
{
    struct lod_trouble *trouble = malloc(sizeof(*trouble));
    struct lod_unpack_result result;
    struct lod_progress progress;
    struct lod_stop stop;

    if (!trouble) {
        fputs("lodfs: out of memory\n", stderr);
        return LOD_EXIT_FAILED;
    }
    lod_stop_init(&stop);
    lod_trouble_init(trouble, false);
    lod_progress_init(&progress, arguments->progress < 0
                                     ? isatty(STDERR_FILENO) && !arguments->quiet
                                     : arguments->progress != 0);
    arguments->unpack.stop = &stop;
    arguments->unpack.progress = &progress;
    int error = lod_unpack(&arguments->unpack, trouble, &result);
    lod_progress_finish(&progress);
    if (!error && !arguments->quiet) {
        print_result(arguments, &result);
    }
    if (!error && arguments->quiet && result.failed) {
        fprintf(stderr, "lodfs: %llu %s could not be unpacked; without -q they are named\n",
                (unsigned long long)result.failed,
                lod_report_plural(result.failed, "name", "names"));
    }
    int code = error             ? explain(arguments, trouble, error)
               : result.failed   ? LOD_EXIT_FAILED
               : result.left_out ? LOD_EXIT_UNREADABLE
                                 : LOD_EXIT_OK;
    lod_unpack_finish(&result);
    lod_trouble_finish(trouble);
    free(trouble);
    return code;
}

static int run(int argc, char **argv)
{
    struct arguments arguments = {.unpack = {.fidelity = LOD_ORIGINAL,
                                             .else_full = true,
                                             .threads = lod_jobs_default(),
                                             .sync = true},
                                  .progress = -1};

    int code = parse(&arguments, argc, argv);
    code = code ? code : lod_open_store(arguments.store, &arguments.unpack.dataset);
    if (!code) {
        code = unpack(&arguments);
    }
    lod_dataset_close(arguments.unpack.dataset);
    return code;
}

const struct lod_cmd lod_cmd_unpack = {.name = "unpack",
                                       .usage = "[OPTIONS] STORE FOLDER",
                                       .summary = "write the files of a store into a folder",
                                       .help = help_text,
                                       .run = run};

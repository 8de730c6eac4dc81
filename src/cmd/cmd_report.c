/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lodfs report STORE|MOUNT: a page for people about the fidelities of a store and its contents. The
 * page itself is src/report.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backend/location.h"
#include "report/page.h"
#include "report/atomic_file.h"
#include "terminal/arguments.h"
#include "terminal/open_store.h"
#include "terminal/progress.h"
#include "terminal/report.h"
#include "terminal/store_options.h"
#include "terminal/survey_show.h"
#include "terminal/thread_count.h"

#define MILLION   1000000u
#define SIZES_MAX (LOD_SURVEY_INPUTS_MAX - 1) /* one more: the photographs' own size */

struct arguments {
    const char *given, *output;
    struct lod_option_list sizes, words;
    uint32_t target, sample; /* target in millionths */
    unsigned threads;
    bool force, no_pictures;
    int progress; /* -1: on if stderr is a terminal */
};

#define FIELD(member) LOD_FIELD(struct arguments, member)

static const struct lod_option report_options[] = {
    {.kind = LOD_OPTION_TEXT,
     .letter = 'o',
     .offers = LOD_NAMES_FILES,
     .field = FIELD(output),
     .name = "output",
     .value = "FILE",
     .help = "write the page here (default report.html); - is standard output"},
    LOD_ROW_FLAG(FIELD(force), 'f', "force", "replace FILE"),
    LOD_ROW_TEXT(LOD_OPTION_LIST, FIELD(sizes), 0, "size", "N", LOD_OPTION_LIST_MAX,
                 "the shorter side of the images that the network gets; up to 4 times, the first "
                 "is the answer's (default 224, and 112 and 384 beside it)"),
    LOD_ROW_NUMBER(LOD_OPTION_FRACTION, FIELD(target), 0, "target", "T", 10000, MILLION,
                   "the MS-SSIM to reach (default .95)"),
    LOD_ROW_NUMBER(LOD_OPTION_NUMBER, FIELD(sample), 0, "sample", "N", LOD_SURVEY_SAMPLE_MIN,
                   LOD_SURVEY_SAMPLE_MAX,
                   "photographs to begin with (default 128); up to 1,024 while undecided"),
    LOD_ROW_FLAG(FIELD(no_pictures), 0, "no-pictures", "a page without photographs"),
    LOD_ROW_JOBS(FIELD(threads)),
    LOD_ROW_PROGRESS(FIELD(progress)),
    {.kind = LOD_OPTION_LIST,
     .field = FIELD(words),
     .max = LOD_OPTION_LIST_MAX,
     .name = "store-options",
     .value = "OPTIONS",
     .help = "settings for a store behind a URL, which are -o of other commands; see below",
     .settings = lod_store_words},
    LOD_ROW_OPERAND(FIELD(given), "STORE|MOUNT", 1, LOD_NAMES_FOLDERS),
    LOD_ROW_END,
};

static int read_size(const char *text, uint32_t *ret_size)
{
    char *end = NULL;

    errno = 0;
    const unsigned long size = strtoul(text, &end, 10);
    if (errno || *text < '0' || *text > '9' || *end || size < LOD_SURVEY_SIZE_MIN ||
        size > LOD_SURVEY_SIZE_MAX) {
        return lod_arguments_refuse(&lod_cmd_report, "--size=%pE: takes %u to %u", text,
                                    LOD_SURVEY_SIZE_MIN, LOD_SURVEY_SIZE_MAX);
    }
    *ret_size = (uint32_t)size;
    return LOD_EXIT_OK;
}

/* Collects the given sizes without repetition, and the photographs' own size. */
static int read_sizes(const struct lod_option_list *given, struct lod_survey_options *options)
{
    static const uint32_t usual[] = {224, 112, 384};
    unsigned count = 0;
    int code = LOD_EXIT_OK;

    for (unsigned i = 0; given->count == 0 && i < sizeof(usual) / sizeof(usual[0]); i++) {
        options->inputs[count++].size = usual[i];
    }
    for (unsigned i = 0; !code && i < given->count; i++) {
        uint32_t size = 0;
        bool known = false;
        code = read_size(given->at[i], &size);
        for (unsigned k = 0; k < count; k++) {
            known |= options->inputs[k].size == size;
        }
        if (!code && !known && count == SIZES_MAX) {
            return lod_arguments_refuse(&lod_cmd_report, "--size: at most %u sizes", SIZES_MAX);
        }
        if (!code && !known) {
            options->inputs[count++].size = size;
        }
    }
    options->inputs[count++].size = 0;
    options->inputs_count = count;
    return code;
}

static int explain_output(const char *path, int error)
{
    switch (error) {
    case -EEXIST:
        return lod_fail(LOD_EXIT_FAILED, "'%pE' exists already; --force replaces it", path);
    case -ENOTSUP:
        return lod_fail(LOD_EXIT_FAILED, "'%pE' is not a regular file; nothing was written", path);
    default:
        return lod_fail(LOD_EXIT_FAILED, "cannot write '%pE': %s; nothing was written", path,
                        strerrordesc_np(-error));
    }
}

static int write_page(struct lod_dataset *dataset, const struct arguments *arguments,
                      struct lod_survey_options *options, struct lod_survey *surveys,
                      struct lod_atomic_file *file)
{
    const enum lod_progress_mode mode = lod_progress_wanted(arguments->progress, false);
    struct lod_store_facts facts;
    char shown[PATH_MAX];
    int error = lod_store_facts_collect(dataset, &facts);

    if (error) {
        return error;
    }
    struct lod_page page = {
        .out.file = file->out,
        .store = lod_location_show(lod_dataset_location(dataset), shown, sizeof(shown)),
        .facts = &facts,
        .options = options,
        .surveys = surveys,
        .pictures = !arguments->no_pictures};
    error = lod_survey_show(dataset, arguments->threads, mode, options, surveys);
    error = error ? error : lod_page_write(&page);
    lod_store_facts_finish(&facts);
    return error;
}

/* Prints the place and size of the page, unless it was written to standard output. */
static int conclude(const struct arguments *arguments, const struct lod_survey *survey)
{
    char bytes[LOD_REPORT_TEXT], why[LOD_SURVEY_WHY_BYTES];
    struct stat st;

    if (strcmp(arguments->output, "-") != 0 && stat(arguments->output, &st) == 0) {
        lod_print(stdout, "%pE: %s\n", arguments->output,
                  lod_report_bytes((uint64_t)st.st_size, bytes));
    }
    return survey->verdict == LOD_SURVEY_TOO_FEW
               ? lod_fail(LOD_EXIT_UNREADABLE, "the page names no fidelity: %s",
                          lod_survey_why(survey, why))
               : LOD_EXIT_OK;
}

static int report(const struct arguments *arguments, struct lod_survey_options *options)
{
    struct lod_survey surveys[LOD_SURVEY_INPUTS_MAX];
    struct lod_dataset *dataset = NULL;
    struct lod_atomic_file file;
    int code = lod_open_store(arguments->given, &arguments->words, &dataset);

    if (code) {
        return code;
    }
    int error = lod_atomic_file_open(arguments->output, arguments->force, &file);
    if (error) {
        lod_dataset_close(dataset);
        return explain_output(arguments->output, error);
    }
    error = write_page(dataset, arguments, options, surveys, &file);
    lod_dataset_close(dataset);
    if (error) {
        lod_atomic_file_abandon(&file);
        return error == -EINTR ? lod_fail(LOD_EXIT_INTERRUPTED, "interrupted: nothing was written")
                               : lod_store_failed(arguments->given, error);
    }
    error = lod_atomic_file_commit(&file);
    return error ? explain_output(arguments->output, error) : conclude(arguments, &surveys[0]);
}

static int run(int argc, char **argv)
{
    struct arguments arguments = {.output = "report.html",
                                  .target = (uint32_t)(LOD_SURVEY_TARGET * MILLION),
                                  .sample = LOD_SURVEY_SAMPLE,
                                  .threads = lod_thread_count_default(),
                                  .progress = -1};
    struct lod_survey_options options = {.inputs_count = 0};
    int code = lod_arguments_parse(&lod_cmd_report, argc, argv, &arguments);

    code = code ? code : read_sizes(&arguments.sizes, &options);
    options.target = (double)arguments.target / MILLION;
    options.sample = arguments.sample;
    return code ? code : report(&arguments, &options);
}

const struct lod_cmd lod_cmd_report = {
    .name = "report",
    .summary = "write a page with the fidelities, to look at",
    .about =
        "Writes one HTML file with the answer of `lodfs fidelity` in a sentence, for several "
        "sizes; the curve of likeness against bytes; photographs of the store at rising "
        "fidelities, with a part of each enlarged; and the contents of the store. The file has no "
        "script and loads nothing, so it can be mailed. It appears when it is complete. Of a "
        "mount point, the store behind it is shown. Writes nothing else.",
    .options = report_options,
    .run = run,
};

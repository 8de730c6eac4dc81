/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lodfs fidelity STORE|MOUNT: the lowest fidelity at which photographs, resized as for a network,
 * are hardly different from the full ones. `info` shows the likeness at their own size.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/location.h"
#include "output/fidelity_report.h"
#include "survey/survey.h"
#include "terminal/arguments.h"
#include "terminal/open_store.h"
#include "terminal/progress.h"
#include "terminal/store_options.h"
#include "terminal/survey_show.h"
#include "terminal/thread_count.h"
#include "totals/store_facts.h"

#define MILLION 1000000u

struct arguments {
    const char *given;
    struct lod_option_list words;        /* of -o */
    uint32_t size, crop, target, sample; /* crop and target in millionths */
    unsigned threads;
    bool json, quiet;
    int progress; /* -1: on if stderr is a terminal */
};

#define FIELD(member) LOD_FIELD(struct arguments, member)

static const struct lod_option fidelity_options[] = {
    LOD_ROW_NUMBER(LOD_OPTION_NUMBER, FIELD(size), 0, "size", "N", LOD_SURVEY_SIZE_MIN,
                   LOD_SURVEY_SIZE_MAX,
                   "the shorter side of the images that the network gets (default: their own)"),
    LOD_ROW_NUMBER(LOD_OPTION_FRACTION, FIELD(crop), 0, "crop", "MIN", 10000, MILLION,
                   "random crops of MIN to 1 of the area, brought to N x N: .08 in torchvision"),
    LOD_ROW_NUMBER(LOD_OPTION_FRACTION, FIELD(target), 0, "target", "T", 10000, MILLION,
                   "the MS-SSIM to reach (default .95)"),
    LOD_ROW_NUMBER(LOD_OPTION_NUMBER, FIELD(sample), 0, "sample", "N", LOD_SURVEY_SAMPLE_MIN,
                   LOD_SURVEY_SAMPLE_MAX,
                   "photographs to begin with (default 128); up to 1,024 while undecided"),
    LOD_ROW_JOBS(FIELD(threads)),
    LOD_ROW_QUIET(FIELD(quiet), "only the name, as in auto=$(lodfs fidelity -q --size=224 M)"),
    LOD_ROW_JSON(FIELD(json)),
    LOD_ROW_PROGRESS(FIELD(progress)),
    LOD_ROW_STORE_WORDS(FIELD(words)),
    LOD_ROW_OPERAND(FIELD(given), "STORE|MOUNT", 1, LOD_NAMES_FOLDERS),
    LOD_ROW_END,
};

static int report(const char *location, const struct arguments *arguments,
                  const struct lod_survey_options *options, const struct lod_survey *survey)
{
    if (arguments->quiet) {
        return puts(lod_fidelity_name(lod_survey_fidelity(survey))) < 0 ? -EIO : 0;
    }
    if (arguments->json) {
        lod_fidelity_report_json(location, options, survey, stdout);
        return 0;
    }
    return lod_fidelity_report_print(location, options, survey, stdout);
}

/*
 * Sets *ret_hint to a sentence about lossless images, which a survey leaves out. It is "" if they
 * are a minority of the store, and for outputs without sentences (-q, --json). Reads the whole
 * index.
 */
static int find_hint(struct lod_dataset *dataset, const struct arguments *arguments,
                     const struct lod_survey *survey, const char **ret_hint)
{
    const bool bare = arguments->quiet || arguments->json;
    struct lod_store_facts facts;

    *ret_hint = "";
    if (bare && survey->verdict == LOD_SURVEY_CHOSEN) {
        return 0;
    }
    int error = lod_store_facts_collect(dataset, &facts);
    if (!error) {
        *ret_hint = lod_store_facts_want_levels(&facts)
                        ? "most bytes are lossless images, the same at each fidelity; photographs "
                          "among them get lower ones from pack --levels=GLOB"
                        : "";
        lod_store_facts_finish(&facts);
    }
    return error;
}

static int measure(const char *location, const struct arguments *arguments)
{
    struct lod_survey_options options = {
        .inputs = {{.size = arguments->size, .crop = (double)arguments->crop / MILLION}},
        .inputs_count = 1,
        .target = (double)arguments->target / MILLION,
        .sample = arguments->sample};
    const enum lod_progress_mode mode = lod_progress_wanted(arguments->progress, arguments->quiet);
    struct lod_dataset *dataset = NULL;
    struct lod_survey survey;
    char why[LOD_SURVEY_WHY_BYTES], shown[PATH_MAX];
    const char *hint;
    int code = lod_open_store(location, &arguments->words, &dataset);

    if (code) {
        return code;
    }
    int error = lod_survey_show(dataset, arguments->threads, mode, &options, &survey);
    error = error ? error : find_hint(dataset, arguments, &survey, &hint);
    if (error == -EINTR) {
        code = lod_fail(LOD_EXIT_INTERRUPTED, "interrupted: no fidelity was chosen");
    } else if (error) {
        code = lod_store_failed(location, error);
    } else if (survey.verdict != LOD_SURVEY_CHOSEN) {
        code = lod_fail(LOD_EXIT_FAILED, "no fidelity can be chosen for '%pE': %s%s%s",
                        lod_location_show(location, shown, sizeof(shown)),
                        lod_survey_why(&survey, why), hint[0] ? "; " : "", hint);
    } else {
        lod_location_show(location, shown, sizeof(shown));
        error = report(shown, arguments, &options, &survey);
        if (!error && hint[0]) {
            printf("Note: %s.\n", hint);
        }
        code = error ? lod_fail(LOD_EXIT_FAILED, "cannot print: %s", strerrordesc_np(-error)) : 0;
    }
    lod_dataset_close(dataset);
    return code;
}

static int run(int argc, char **argv)
{
    struct arguments arguments = {.target = (uint32_t)(LOD_SURVEY_TARGET * MILLION),
                                  .sample = LOD_SURVEY_SAMPLE,
                                  .threads = lod_thread_count_default(),
                                  .progress = -1};
    char *mounted = NULL;
    int code = lod_arguments_parse(&lod_cmd_fidelity, argc, argv, &arguments);

    if (code) {
        return code;
    }
    if (arguments.crop && !arguments.size) {
        return lod_arguments_refuse(&lod_cmd_fidelity, "--crop needs --size=N");
    }
    if (arguments.json && arguments.quiet) {
        return lod_arguments_refuse(&lod_cmd_fidelity, "--json and -q exclude each other");
    }
    code = lod_store_behind(arguments.given, &mounted);
    code = code ? code : measure(mounted ? mounted : arguments.given, &arguments);
    free(mounted);
    return code;
}

const struct lod_cmd lod_cmd_fidelity = {
    .name = "fidelity",
    .summary = "name the fidelity to train at, for images of a size",
    .about =
        "Compares photographs of a store at every fidelity with the full ones by MS-SSIM (1 is "
        "equal), after the resize that training applies. Names the "
        "lowest fidelity whose mean, less two standard errors, reaches the target. The sample "
        "lies evenly over the store and doubles while it does not decide. Of a mount point, "
        "the store behind it is measured. Writes nothing. `info` shows the MS-SSIM at the "
        "photographs' own size, which asks for more bytes.",
    .options = fidelity_options,
    .run = run,
};

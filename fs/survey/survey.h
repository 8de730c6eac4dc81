/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A survey: how alike the fidelities of a store look to a network that is trained on it, measured
 * on a sample. Each photograph is decoded once at every fidelity. For each of some inputs it is
 * resized as training does, and compared with the resized full image by MS-SSIM. It reads the
 * store's decoded forms, so it knows no codec. Nothing is stored. Starts no threads: the caller
 * passes a pool.
 */
#ifndef LOD_SURVEY_H
#define LOD_SURVEY_H

#include <stdbool.h>
#include <stdint.h>

#include "codec.h"
#include "compiler.h"

#define LOD_SURVEY_SIZE_MIN   11u /* a window of MS-SSIM */
#define LOD_SURVEY_SIZE_MAX   4096u
#define LOD_SURVEY_SAMPLE     128u
#define LOD_SURVEY_SAMPLE_MIN 2u
#define LOD_SURVEY_SAMPLE_MAX 65536u
#define LOD_SURVEY_DOUBLED    1024u /* an undecided sample is doubled, up to this size */
#define LOD_SURVEY_TARGET     .95
#define LOD_SURVEY_INPUTS_MAX 5u
#define LOD_SURVEY_EXAMPLES   4u

/* Calls during a survey, on any thread; each may be NULL. */
struct lod_survey_watch {
    void *ctx;
    void (*begin)(void *ctx, uint32_t photographs); /* before that many photographs are measured */
    int (*step)(void *ctx); /* after each photograph; an error ends the survey */
};

/* The images that a network gets. */
struct lod_survey_input {
    uint32_t size; /* their shorter side; 0: they keep their size */
    double crop;   /* with `size`: the smallest area of a random crop, as a share of the image; 0:
                      no crops */
};

struct lod_survey_options {
    /* The sample grows while it does not decide for the first input. */
    struct lod_survey_input inputs[LOD_SURVEY_INPUTS_MAX];
    unsigned inputs_count;
    double target;   /* MS-SSIM to reach, up to 1 */
    uint32_t sample; /* photographs to begin with */
    struct lod_survey_watch watch;
};

/* Adjacent fidelities first .. last that show the same bytes. */
struct lod_survey_level {
    enum lod_fidelity first, last;
    double bytes; /* read from the store for one photograph: the mean over all of them */
    double mssim; /* mean over the sample */
    double
        error; /* two standard errors of that mean; 0: all that are not too large were compared */
    double worst_tenth; /* the worst tenth of the photographs has at most this */
};

/* A photograph of the sample, for people to look at. */
struct lod_survey_example {
    uint32_t item;
    unsigned percent;           /* share of the sample that is less like full than this one */
    double mssim[LOD_FULL + 1]; /* at q1 .. full; [0] unused */
};

enum lod_survey_verdict {
    LOD_SURVEY_CHOSEN,
    LOD_SURVEY_NOTHING, /* no item is smaller at q1 than at full */
    LOD_SURVEY_TOO_FEW, /* more than one in 20 of the sample could not be compared, or more than
                           half of all photographs are too large to decode */
};

/* The result for one input. */
struct lod_survey {
    enum lod_survey_verdict verdict;
    uint64_t photographs; /* items of the store that are smaller at q1 than at full */
    uint64_t large;       /* of these: no decoded form, so they are not in the sample */
    uint32_t compared;
    uint32_t unreadable, small; /* left out: no pixels of 8 bits; a side below 11 pixels */
    unsigned count;             /* of levels, the lowest first */
    struct lod_survey_level levels[LOD_FULL];
    unsigned chosen; /* the level to take */
    bool decided;    /* false: a larger sample might show that a lower level is enough */
    unsigned examples_count;
    /* They differ in likeness at the chosen level, or at the one below if that is the highest. */
    struct lod_survey_example examples[LOD_SURVEY_EXAMPLES];
};

/* Returns the lowest fidelity of the chosen level; full for the highest level. */
enum lod_fidelity lod_survey_fidelity(const struct lod_survey *survey);

/* Writes why there is no choice, for a verdict that is not CHOSEN. Returns `text`. */
#define LOD_SURVEY_WHY_BYTES 192
const char *lod_survey_why(const struct lod_survey *survey, char text[LOD_SURVEY_WHY_BYTES]);

/*
 * Runs a survey; ret_surveys has a place for each input. Returns -EINVAL for options outside the
 * limits above, an error of `step`, -ENOMEM, or an error of reading the index. Photographs that
 * cannot be read are counted and are no error.
 */
struct lod_dataset;
struct lod_reader;
struct lod_pool;
LOD_MUST_CHECK int lod_survey_run(struct lod_dataset *dataset, struct lod_reader *reader,
                                  struct lod_pool *pool, const struct lod_survey_options *options,
                                  struct lod_survey *ret_surveys);

#endif

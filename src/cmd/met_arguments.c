/* SPDX-License-Identifier: Apache-2.0 */
/* See met_arguments.h. */
#include "cmd/met_arguments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "index/manifest.h"
#include "order/read_order.h"
#include "terminal/arguments.h"

#define BYTES_MAX ((uint64_t)1 << 50)
#define MILLION   1000000

#define FIELD(member) LOD_FIELD(struct lod_met_arguments, member)
#define ROW_STATE     LOD_ROW_OPERAND(FIELD(state), "STATE", 1, LOD_NAMES_FILES)

static const char *const shapes[] = {"default", "slide", "block", NULL};
static const char *const waits[] = {"repeat", "wait", NULL};

const struct lod_option lod_met_plan_options[] = {
    LOD_ROW_NUMBER(LOD_OPTION_NUMBER, FIELD(rate), 0, "rate", "N", 1, BYTES_MAX,
                   "pictures that the trainer takes a second"),
    LOD_ROW_NUMBER(LOD_OPTION_SIZE, FIELD(speed), 0, "speed", "SIZE", 1, BYTES_MAX,
                   "bytes that the store gives a second (default: as the mount measured)"),
    LOD_ROW_NUMBER(LOD_OPTION_SIZE, FIELD(room), 0, "room", "SIZE", 1, BYTES_MAX,
                   "bytes of memory that the job may use (default: all of the mount's)"),
    LOD_ROW_TEXT(LOD_OPTION_TEXT, FIELD(epochs), 0, "epochs", "N", 0, "length of the training"),
    LOD_ROW_JSON(FIELD(json)),
    LOD_ROW_OPERAND(FIELD(folder), "MOUNT", 1, LOD_NAMES_MOUNTS),
    LOD_ROW_END,
};

const struct lod_option lod_met_begin_options[] = {
    LOD_ROW_TEXT(LOD_OPTION_TEXT, FIELD(rf), 0, "rf", "RF", 0,
                 "repeats of a part: auto (default), score, bollinger, a number, or a list of "
                 "EPOCH:NUMBER with commas"),
    LOD_ROW_TEXT(LOD_OPTION_TEXT, FIELD(epochs), 0, "epochs", "N", 0,
                 "lists end after N epochs; an eighth of N limits the repeats"),
    LOD_ROW_NUMBER(LOD_OPTION_NUMBER, FIELD(rf_min), 0, "rf-min", "N", 1, LOD_MET_RF_MAX,
                   "at least N repeats (default 1)"),
    LOD_ROW_NUMBER(LOD_OPTION_NUMBER, FIELD(rf_max), 0, "rf-max", "N", 1, LOD_MET_RF_MAX,
                   "at most N repeats (default 8)"),
    LOD_ROW_NUMBER(LOD_OPTION_NUMBER, FIELD(patience), 0, "patience", "N", 1, LOD_MET_RF_MAX,
                   "score: leave a part after N repeats without a better one (default 1)"),
    LOD_ROW_NUMBER(LOD_OPTION_NUMBER, FIELD(band_scores), 0, "band-scores", "N", LOD_MET_BAND_MIN,
                   LOD_MET_SCORES_MAX, "bollinger: the band is of N scores (default 20)"),
    LOD_ROW_NUMBER(LOD_OPTION_FRACTION, FIELD(band_width), 0, "band-width", "K", 1, 100 * MILLION,
                   "bollinger: it ends K standard deviations below their mean (default 2)"),
    LOD_ROW_CHOICE(FIELD(on_wait), "on-wait", waits,
                   "if the next part is due and not loaded: repeat, or wait for it"),
    LOD_ROW_CHOICE(FIELD(shape), "shape", shapes,
                   "slide: a part of the window is replaced at a time; block: all of it"),
    LOD_ROW_NUMBER(LOD_OPTION_NUMBER, FIELD(seed), 0, "seed", "N", 0, LOD_SEED_MAX,
                   "seed of the order (default 0)"),
    LOD_ROW_TEXT(LOD_OPTION_TEXT, FIELD(rank), 0, "rank", "K/N", 0,
                 "process K of N, from 0: each has pictures of its own"),
    LOD_ROW_NUMBER(LOD_OPTION_SIZE, FIELD(room), 0, "room", "SIZE", 1, BYTES_MAX,
                   "bytes of memory that the job may use (default: all of the mount's)"),
    LOD_ROW_FLAG(FIELD(any_order), 0, "any-order", "take a store that was packed by path"),
    ROW_STATE,
    LOD_ROW_OPERAND(FIELD(folder), "FOLDER", 1, LOD_NAMES_FOLDERS),
    LOD_ROW_END,
};

const struct lod_option lod_met_next_options[] = {
    LOD_ROW_TEXT(LOD_OPTION_TEXT, FIELD(score), 0, "score", "X", 0,
                 "score of the last list, for score and bollinger; higher is better"),
    LOD_ROW_FLAG(FIELD(again), 0, "again", "print the last list again"),
    LOD_ROW_FLAG(FIELD(nul), '0', "null", "end each path with a NUL instead of a newline"),
    ROW_STATE,
    LOD_ROW_END,
};

const struct lod_option lod_met_status_options[] = {LOD_ROW_JSON(FIELD(json)), ROW_STATE,
                                                    LOD_ROW_END};
const struct lod_option lod_met_end_options[] = {ROW_STATE, LOD_ROW_END};

struct lod_met_arguments lod_met_arguments_default(void)
{
    const struct lod_met_rules rules = lod_met_rules_of(LOD_MET_AUTO);

    return (struct lod_met_arguments){.rf = "auto",
                                      .rf_min = rules.rf_min,
                                      .rf_max = rules.rf_max,
                                      .patience = rules.patience,
                                      .band_scores = rules.band_scores,
                                      .band_width = (uint64_t)(rules.band_width * MILLION)};
}

/* ------------------------------------------------------------------------------------ values */

/* A finite decimal number of at least 0. */
static bool parse_epoch(const char *text, char end, double *ret_value, const char **ret_end)
{
    char *stop = NULL;

    *ret_value = strtod(text, &stop);
    *ret_end = stop;
    return stop != text && *stop == end && isfinite(*ret_value) && *ret_value >= 0;
}

/* "4", or "0:1,5:4". */
static bool parse_steps(const char *text, struct lod_met_rules *rules)
{
    const bool list = strchr(text, ':');

    for (rules->steps_count = 0; rules->steps_count < LOD_MET_STEPS_MAX;) {
        struct lod_met_step *step = &rules->steps[rules->steps_count];
        char *stop = NULL;
        if (list && !parse_epoch(text, ':', &step->epoch, &text)) {
            return false;
        }
        text += list;
        const unsigned long rf = strtoul(text, &stop, 10);
        if (stop == text || *text < '0' || *text > '9' || rf > LOD_MET_RF_MAX) {
            return false;
        }
        step->rf = (uint32_t)rf;
        rules->steps_count++;
        if (!*stop || !list || *stop != ',') {
            return !*stop;
        }
        text = stop + 1;
    }
    return false;
}

int lod_met_arguments_epochs(const struct lod_cmd *cmd, const struct lod_met_arguments *met,
                             double *ret_epochs)
{
    const char *end;

    return met->epochs && !parse_epoch(met->epochs, '\0', ret_epochs, &end)
               ? lod_arguments_refuse(cmd, "--epochs takes a number, not '%pE'", met->epochs)
               : LOD_EXIT_OK;
}

int lod_met_arguments_rules(const struct lod_cmd *cmd, const struct lod_met_arguments *met,
                            struct lod_met_rules *ret_rules)
{
    unsigned policy = LOD_MET_FIXED;
    const char *why = NULL;

    for (unsigned i = 0; lod_met_policy_name(i); i++) {
        policy = i != LOD_MET_FIXED && strcmp(met->rf, lod_met_policy_name(i)) == 0 ? i : policy;
    }
    struct lod_met_rules rules = lod_met_rules_of((enum lod_met_policy)policy);
    if (policy == LOD_MET_FIXED && !parse_steps(met->rf, &rules)) {
        return lod_arguments_refuse(cmd,
                                    "--rf takes auto, score, bollinger, a number from 1 to 10000, "
                                    "or a list such as 0:1,5:4, not '%pE'",
                                    met->rf);
    }
    if (lod_met_arguments_epochs(cmd, met, &rules.epochs)) {
        return LOD_EXIT_USAGE;
    }
    rules.rf_min = met->rf_min;
    rules.rf_max = met->rf_max;
    rules.patience = met->patience;
    rules.band_scores = met->band_scores;
    rules.band_width = (double)met->band_width / MILLION;
    rules.wait = met->on_wait;
    rules.shape = met->shape;
    if (lod_met_rules_check(&rules, &why)) {
        return lod_arguments_refuse(cmd, "%s", why);
    }
    *ret_rules = rules;
    return LOD_EXIT_OK;
}

int lod_met_arguments_rank(const struct lod_cmd *cmd, const struct lod_met_arguments *met,
                           uint32_t *ret_node, uint32_t *ret_nodes)
{
    *ret_node = 0;
    *ret_nodes = 1;
    return met->rank ? lod_arguments_rank(cmd, met->rank, LOD_NODES_OF_JOB_MAX, ret_node, ret_nodes)
                     : LOD_EXIT_OK;
}

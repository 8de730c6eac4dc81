/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mini-epochs, the verdict: whether a job repeats the part that it has just read, or moves to the
 * next part. Pure functions of the rules, the scores and a few numbers. The rules follow sections
 * III.A and III.C of "Mini-epoch training" (MET); decision 901 lists the differences. FORMAT.md
 * does not depend on it.
 */
#ifndef LOD_MET_VERDICT_H
#define LOD_MET_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"

#define LOD_MET_RF_MAX       10000u /* limit of repeats, of any rule */
#define LOD_MET_SLIDE_RF_MAX 48u    /* in a sliding window: its state has a pair for each repeat */
#define LOD_MET_SCORES_MAX   20u
#define LOD_MET_BAND_MIN     4u /* scores before there is a band */
#define LOD_MET_STEPS_MAX    16u

enum lod_met_policy {
    LOD_MET_AUTO,      /* move on as soon as the next part is loaded */
    LOD_MET_FIXED,     /* repeat a number of times, which may change with the epoch */
    LOD_MET_SCORE,     /* move on when the score stops growing */
    LOD_MET_BOLLINGER, /* move on when the score falls below its band */
    LOD_MET_POLICIES,
};

enum lod_met_shape {
    LOD_MET_SHAPE_DEFAULT, /* slide for auto and fixed up to LOD_MET_SLIDE_RF_MAX, else block */
    LOD_MET_SLIDE,         /* a part of the window is replaced at a time */
    LOD_MET_BLOCK,         /* all of the window is replaced */
    LOD_MET_SHAPES,
};

enum lod_met_verdict { LOD_MET_REPEAT, LOD_MET_ADVANCE, LOD_MET_WAIT };

/* From this epoch on, each part is repeated `rf` times. */
struct lod_met_step {
    double epoch;
    uint32_t rf;
};

struct lod_met_rules {
    enum lod_met_policy policy;
    enum lod_met_shape shape;
    uint32_t rf_min, rf_max; /* not of LOD_MET_FIXED */
    uint32_t patience;       /* of LOD_MET_SCORE: repeats without a better score */
    uint32_t band_scores;    /* of LOD_MET_BOLLINGER: N, */
    double band_width;       /* and K */
    double epochs;           /* of the whole training; 0: not known */
    bool wait;               /* if the next part is due and not loaded: wait, or else repeat */
    uint32_t steps_count;
    struct lod_met_step steps[LOD_MET_STEPS_MAX]; /* of LOD_MET_FIXED, by epoch, the first at 0 */
};

/* Returns "auto", "fixed", ..; "slide", ... NULL past the last. */
const char *lod_met_policy_name(unsigned policy);
const char *lod_met_shape_name(unsigned shape);

/* Returns the default rules of a policy. */
struct lod_met_rules lod_met_rules_of(enum lod_met_policy policy);

/*
 * Replaces the default shape by the one that fits the policy. Returns -EINVAL and a sentence for
 * rules that contradict themselves.
 */
LOD_MUST_CHECK int lod_met_rules_check(struct lod_met_rules *rules, const char **ret_why);

/*
 * Returns the most repeats at an epoch. Where the number of epochs is known, it is at most an
 * eighth of them, since fewer than eight passes over the data cost accuracy. LOD_MET_FIXED has its
 * own number.
 */
uint32_t lod_met_rules_rf_max(const struct lod_met_rules *rules, double epoch);

/* Scores of repeats, the newest last, to 9 digits. All zero: none yet. */
struct lod_met_scores {
    double at[LOD_MET_SCORES_MAX];
    uint32_t count;
    double best;        /* of this window */
    bool has_best;      /* one score of this window was finite */
    bool below;         /* the newest is below the band of those before it */
    bool reported;      /* for the repeat that ended */
    uint32_t worse_run; /* the newest scores in a row that did not beat the best */
};

/* Adds the score of a repeat; higher is better. A score that is not finite counts as worse than all
 * others, and is not stored. */
void lod_met_scores_add(struct lod_met_scores *scores, const struct lod_met_rules *rules,
                        double score);
/* Begins another window. */
void lod_met_scores_renew(struct lod_met_scores *scores);

/* Decides after `done` repeats. `loaded`: the part that would follow can be read
 * without waiting. */
enum lod_met_verdict lod_met_decide(const struct lod_met_rules *rules,
                                    const struct lod_met_scores *scores, uint32_t done,
                                    double epoch, bool loaded);

#endif

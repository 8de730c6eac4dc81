/* SPDX-License-Identifier: Apache-2.0 */
/* liblodfs, mini-epochs: a thin wrapper of fs/order/met.h. */
#include "api/lodfs_met.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/lodfs_error.h"
#include "api/lodfs_made_order.h"
#include "json_whole.h"
#include "order/met.h"

_Static_assert(LODFS_MET_STATE_BYTES == LOD_MET_STATE_BYTES, "one limit");
_Static_assert(sizeof(((struct lodfs_met_options *)0)->steps) / sizeof(struct lodfs_met_step) ==
                   LOD_MET_STEPS_MAX,
               "one limit");
_Static_assert(LODFS_MET_REPEAT == (int)LOD_MET_REPEAT &&
                   LODFS_MET_ADVANCE == (int)LOD_MET_ADVANCE && LODFS_MET_WAIT == (int)LOD_MET_WAIT,
               "the same numbers");

struct lodfs_met {
    struct lod_met made;
};

/*
 * Returns the index of the word among the names, or `none`. The word is NUL-terminated within its
 * struct member.
 */
static unsigned word_of(const char *word, size_t room, const char *(*name)(unsigned), unsigned none)
{
    for (unsigned i = 0; name(i); i++) {
        if (strncmp(word, name(i), room) == 0) {
            return i;
        }
    }
    return none;
}

int lodfs_met_options(struct lodfs_met_options *ret_options, const char *policy,
                      struct lodfs_error *error)
{
    const unsigned chosen =
        word_of(policy, strlen(policy) + 1, lod_met_policy_name, LOD_MET_POLICIES);

    if (chosen == LOD_MET_POLICIES) {
        return lod_say(error, -EINVAL,
                       "there is no policy '%pE'; use auto, fixed, score or bollinger", policy);
    }
    const struct lod_met_rules rules = lod_met_rules_of((enum lod_met_policy)chosen);
    *ret_options = (struct lodfs_met_options){.shape = "default",
                                              .band_width = rules.band_width,
                                              .band_scores = rules.band_scores,
                                              .rf_min = rules.rf_min,
                                              .rf_max = rules.rf_max,
                                              .patience = rules.patience,
                                              .steps_count = rules.policy == LOD_MET_FIXED,
                                              .steps = {{.rf = 1}}};
    snprintf(ret_options->policy, sizeof(ret_options->policy), "%s", policy);
    return 0;
}

static int rules_of(const struct lodfs_met_options *options, struct lod_met_rules *ret_rules,
                    struct lodfs_error *error)
{
    const char *why = "a list of repeats has up to 16 steps";
    struct lod_met_rules rules = {
        .policy = word_of(options->policy, sizeof(options->policy), lod_met_policy_name,
                          LOD_MET_POLICIES),
        .shape =
            word_of(options->shape, sizeof(options->shape), lod_met_shape_name, LOD_MET_SHAPES),
        .rf_min = options->rf_min,
        .rf_max = options->rf_max,
        .patience = options->patience,
        .band_scores = options->band_scores,
        .band_width = options->band_width,
        .epochs = options->epochs,
        .wait = options->wait,
        .steps_count = options->steps_count,
    };
    int result = rules.steps_count > LOD_MET_STEPS_MAX ? -EINVAL : 0;

    for (uint32_t i = 0; !result && i < rules.steps_count; i++) {
        rules.steps[i] =
            (struct lod_met_step){.epoch = options->steps[i].epoch, .rf = options->steps[i].rf};
    }
    result = result ? result : lod_met_rules_check(&rules, &why);
    if (result) {
        return lod_say(error, result, "%s", why);
    }
    *ret_rules = rules;
    return 0;
}

static int say_begin(struct lodfs_error *error, int result, uint64_t largest, uint64_t room)
{
    if (result == -EFBIG) {
        return lod_say(
            error, result,
            "%" PRIu64 " bytes are the smallest part that can be loaded, but half of the job's "
            "memory is %" PRIu64
            ": give the mount a larger cache_size or tier_size, take a lower fidelity, or "
            "pack with a smaller --record-size",
            largest, room / 2);
    }
    if (result == -ENODATA) {
        return lod_say(error, result,
                       "this process has nothing to read: the store has fewer parts than the job "
                       "has processes");
    }
    return lod_say(error, result, "cannot plan mini-epochs: %s", lod_why(result));
}

int lodfs_met_open(const struct lodfs_order *order, uint32_t node, uint32_t nodes,
                   const struct lodfs_met_options *options, int fidelity, uint64_t room,
                   struct lodfs_met **ret_met, struct lodfs_error *error)
{
    const enum lod_fidelity at = (enum lod_fidelity)fidelity;
    struct lod_met_rules rules;
    uint64_t largest = 0;
    int result = rules_of(options, &rules, error);

    if (result) {
        return result;
    }
    if (!lod_fidelity_name(at) || node >= nodes || nodes > LOD_NODES_OF_JOB_MAX ||
        room > LOD_WHOLE_MAX) {
        return lod_say(error, -EINVAL, "the fidelity, node or room is out of its range");
    }
    struct lodfs_met *met = calloc(1, sizeof(*met));
    result = met ? lod_met_begin(&met->made, lod_made_order(order), node, nodes, &rules, at, room,
                                 &largest)
                 : -ENOMEM;
    if (result) {
        free(met);
        return say_begin(error, result, largest, room);
    }
    *ret_met = met;
    return 0;
}

int lodfs_met_load(const struct lodfs_order *order, const char *state, size_t bytes,
                   struct lodfs_met **ret_met, struct lodfs_error *error)
{
    struct lod_met_state read;
    const char *why = "there is too little memory";
    struct lodfs_met *met = calloc(1, sizeof(*met));
    int result = met ? lod_met_state_read(state, bytes, &read, &why) : -ENOMEM;

    result = result ? result : lod_met_resume(&met->made, lod_made_order(order), &read, &why);
    if (result == -ESTALE && met && strstr(why, "store")) {
        char own[LOD_ID_TEXT_BYTES], other[LOD_ID_TEXT_BYTES];
        lod_id_text(lod_made_order(order)->store, own);
        lod_id_text(read.store, other);
        lod_say(error, result, "the state is of store %s, not of %s", other, own);
    } else if (result) {
        lod_say(error, result, "the state cannot be used: %s", why);
    }
    if (result) {
        free(met);
        return result;
    }
    *ret_met = met;
    return 0;
}

void lodfs_met_close(struct lodfs_met *met)
{
    if (met) {
        lod_met_finish(&met->made);
        free(met);
    }
}

int lodfs_met_state(const struct lodfs_met *met, uint64_t dealt, char *into, size_t room,
                    struct lodfs_error *error)
{
    struct lod_met_state state = met->made.state;
    char text[LOD_MET_STATE_BYTES];

    if (dealt > lod_met_values(&met->made)) {
        return lod_say(error, -EINVAL, "`dealt` is larger than the number of items of the repeat");
    }
    state.dealt = dealt;
    const int length = lod_met_state_write(&state, text);
    if (length < 0 || (size_t)length >= room) {
        return lod_say(error, length < 0 ? length : -ERANGE, "the state is too long");
    }
    memcpy(into, text, (size_t)length + 1);
    return 0;
}

double lodfs_met_epoch(const struct lodfs_met *met, uint64_t dealt)
{
    return lod_met_epoch(&met->made, dealt);
}

uint64_t lodfs_met_count(const struct lodfs_met *met)
{
    return lod_met_values(&met->made);
}

int lodfs_met_items(const struct lodfs_met *met, uint32_t *items, size_t room, size_t *ret_count,
                    struct lodfs_error *error)
{
    int result = lod_met_items(&met->made, items, room, ret_count);

    return result ? lod_say(error, result, "cannot list a repeat: %s", lod_why(result)) : 0;
}

void lodfs_met_records(const struct lodfs_met *met, uint32_t *records, size_t room,
                       size_t *ret_count, size_t *ret_window)
{
    lod_met_records(&met->made, records, room, ret_count, ret_window);
}

int lodfs_met_report(struct lodfs_met *met, double score, struct lodfs_error *error)
{
    int result = lod_met_report(&met->made, score);

    return result ? lod_say(error, result, "this repeat has a score already") : 0;
}

int lodfs_met_next(struct lodfs_met *met, int fidelity, uint64_t room, uint32_t loaded,
                   uint32_t tired, int32_t *ret_verdict, struct lodfs_error *error)
{
    const struct lod_met_now now = {.fidelity = (enum lod_fidelity)fidelity,
                                    .room = room,
                                    .loaded_records = loaded,
                                    .tired = tired};
    enum lod_met_verdict verdict = LOD_MET_REPEAT;

    if (!lod_fidelity_name(now.fidelity) || !room || room > LOD_WHOLE_MAX) {
        return lod_say(error, -EINVAL, "the fidelity or room is out of its range");
    }
    int result = lod_met_next(&met->made, &now, &verdict);
    if (result == -ENODATA) {
        return lod_say(error, result, "the policy '%s' needs the score of this repeat: report it",
                       lod_met_policy_name(met->made.state.rules.policy));
    }
    if (result) {
        return lod_say(error, result, "cannot continue: %s", lod_why(result));
    }
    *ret_verdict = (int32_t)verdict;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * liblodfs, mini-epochs: a job on a slow store repeats the part of the data that it has in memory,
 * the window, while the next part is loaded. So it reads a fraction of the bytes. Errors, strings
 * and forks are as lodfs.h says. A handle is used by one thread at a time.
 *
 *     lodfs_met_options(&options, "auto", &error);
 *     lodfs_met_open(order, 0, 1, &options, 4, room, &met, &error);
 *     while (lodfs_met_epoch(met, 0) < 90) {
 *         lodfs_met_records(..);   send them to the mount (LOD_IOC_AHEAD): it says how many it has
 *         lodfs_met_items(..);     train
 *         lodfs_met_next(..);
 *     }
 */
#ifndef LODFS_MET_H
#define LODFS_MET_H

#include "lodfs_order.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From this epoch on, each part is repeated `rf` times. */
struct lodfs_met_step {
    double epoch;
    uint32_t rf;
    uint32_t reserved; /* 0 */
};

/* `rf` stands for how often a part is repeated. */
struct lodfs_met_options {
    char policy[16];      /* "auto", "fixed", "score", "bollinger" */
    char shape[16];       /* "default", "slide", "block" */
    double epochs;        /* of the training; rf is at most an eighth of them; 0: no limit */
    double band_width;    /* bollinger: in standard deviations, */
    uint32_t band_scores; /* of 4 to 20 scores */
    uint32_t rf_min, rf_max;
    uint32_t patience; /* score: repeats without a better score, after which the part changes */
    uint32_t wait;     /* 1: wait instead of repeating while the next part is not loaded */
    uint32_t steps_count;
    struct lodfs_met_step steps[16]; /* fixed: by epoch, the first at 0 */
};

/*
 * Fills in the defaults of a policy:
 *
 * - "auto": Moves to the next part as soon as it is loaded, after 1 to 8 repeats. If the store is
 *   too slow for that, an eighth of the window is replaced after each repeat, loaded or not.
 * - "fixed": Repeats each part steps[].rf times. The default is once.
 * - "score": Moves on when the score of a repeat is not better than the best score of its window.
 * - "bollinger": Moves on when a score is 2 standard deviations below the mean of the 20 scores
 *   before it.
 */
LODFS_EXPORT int lodfs_met_options(struct lodfs_met_options *ret_options, const char *policy,
                                   struct lodfs_error *error);

/*
 * Begins a job of node `node` of `nodes`: each has records of its own. `room` is how many bytes the
 * mount can hold for this job, the window and the next part together. If all data fits, the window
 * is the whole pass.
 *
 * -EINVAL   options that contradict themselves
 * -EFBIG    a part that is read as one exceeds half of the room
 * -ENODATA  the node has nothing to read
 */
struct lodfs_met;
LODFS_EXPORT int lodfs_met_open(const struct lodfs_order *order, uint32_t node, uint32_t nodes,
                                const struct lodfs_met_options *options, int fidelity,
                                uint64_t room, struct lodfs_met **ret_met,
                                struct lodfs_error *error);

/*
 * Writes the state that a job needs to continue, as JSON with a NUL in up to LODFS_MET_STATE_BYTES.
 * `dealt` is the number of items of the current repeat that were used. lodfs_met_load continues
 * from such a text of `bytes` bytes. -ESTALE: it is of another order. -EILSEQ, -E2BIG, -ENOTSUP: it
 * is damaged, or of another version.
 */
#define LODFS_MET_STATE_BYTES 2048
LODFS_EXPORT int lodfs_met_state(const struct lodfs_met *met, uint64_t dealt, char *into,
                                 size_t room, struct lodfs_error *error);
LODFS_EXPORT int lodfs_met_load(const struct lodfs_order *order, const char *state, size_t bytes,
                                struct lodfs_met **ret_met, struct lodfs_error *error);
/* Call it before lodfs_order_close. Accepts NULL. */
LODFS_EXPORT void lodfs_met_close(struct lodfs_met *met);

/* Returns the epochs that were read so far. An epoch has as many items as the order, divided by the
 * number of nodes. */
LODFS_EXPORT double lodfs_met_epoch(const struct lodfs_met *met, uint64_t dealt);
/* Returns the number of items of the current repeat, which lodfs_met_items needs as `room`. An item
 * that was listed twice counts twice. */
LODFS_EXPORT uint64_t lodfs_met_count(const struct lodfs_met *met);
/* Writes the items of the current repeat, shuffled.
 * An item can come twice near the end of a pass. */
LODFS_EXPORT int lodfs_met_items(const struct lodfs_met *met, uint32_t *items, size_t room,
                                 size_t *ret_count, struct lodfs_error *error);
/*
 * Writes the numbers of the window's records, then of those that follow it as far as memory
 * reaches. *ret_window is the number of records in the window, and *ret_count that of all. At most
 * `room` are written.
 */
LODFS_EXPORT void lodfs_met_records(const struct lodfs_met *met, uint32_t *records, size_t room,
                                    size_t *ret_count, size_t *ret_window);

/* Sets the score of the current repeat; higher is better. -EALREADY: it has a score. */
LODFS_EXPORT int lodfs_met_report(struct lodfs_met *met, double score, struct lodfs_error *error);

enum lodfs_met_verdict { LODFS_MET_REPEAT = 0, LODFS_MET_ADVANCE = 1, LODFS_MET_WAIT = 2 };

/*
 * Ends the current repeat and begins the next. `loaded`: how many of the first records of
 * lodfs_met_records are in memory. LODFS_MET_WAIT: nothing has changed, since the next part is not
 * loaded; call again when it is, or with `tired` 1 when nothing is loaded any more. `fidelity` and
 * `room` may change. -ENODATA: a score is missing.
 */
LODFS_EXPORT int lodfs_met_next(struct lodfs_met *met, int fidelity, uint64_t room, uint32_t loaded,
                                uint32_t tired, int32_t *ret_verdict, struct lodfs_error *error);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of `lodfs met begin` and the other commands of `met`: their tables, and the rules
 * of a job that they set. */
#ifndef LOD_MET_ARGUMENTS_H
#define LOD_MET_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "order/met_verdict.h"
#include "terminal/cmd.h"

struct lod_met_arguments {
    const char *state, *folder, *rf, *epochs, *score, *rank;
    uint64_t seed, room, speed, rate, band_width;
    uint32_t rf_min, rf_max, patience, band_scores;
    enum lod_met_shape shape;
    uint8_t on_wait;
    bool any_order, again, nul, json;
};

/* All members with their defaults. */
struct lod_met_arguments lod_met_arguments_default(void);

extern const struct lod_option lod_met_plan_options[], lod_met_begin_options[],
    lod_met_next_options[], lod_met_status_options[], lod_met_end_options[];

/* Both return LOD_EXIT_OK, or LOD_EXIT_USAGE after a message that names `cmd`. */
LOD_MUST_CHECK int lod_met_arguments_rules(const struct lod_cmd *cmd,
                                           const struct lod_met_arguments *met,
                                           struct lod_met_rules *ret_rules);
LOD_MUST_CHECK int lod_met_arguments_rank(const struct lod_cmd *cmd,
                                          const struct lod_met_arguments *met, uint32_t *ret_node,
                                          uint32_t *ret_nodes);
LOD_MUST_CHECK int lod_met_arguments_epochs(const struct lod_cmd *cmd,
                                            const struct lod_met_arguments *met,
                                            double *ret_epochs);

#endif

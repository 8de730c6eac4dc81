/* SPDX-License-Identifier: Apache-2.0 */
/* Checked rules of mini-epochs, for tests. */
#ifndef LOD_MET_RULES_H
#define LOD_MET_RULES_H

#include <criterion/criterion.h>

#include "order/met_verdict.h"

#define REPEAT  LOD_MET_REPEAT
#define ADVANCE LOD_MET_ADVANCE
#define WAIT    LOD_MET_WAIT

static inline struct lod_met_rules fixed(uint32_t rf)
{
    struct lod_met_rules rules = lod_met_rules_of(LOD_MET_FIXED);
    const char *why = NULL;

    rules.steps_count = 1;
    rules.steps[0].rf = rf;
    cr_assert_eq(lod_met_rules_check(&rules, &why), 0);
    return rules;
}

static inline struct lod_met_rules rules_of(enum lod_met_policy policy)
{
    struct lod_met_rules rules = lod_met_rules_of(policy);
    const char *why = NULL;

    cr_assert_eq(lod_met_rules_check(&rules, &why), 0);
    return rules;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Runs verify on the store being served, and compares its findings with the damage done. */
#ifndef LOD_VERDICT_H
#define LOD_VERDICT_H

#include <stddef.h>

#include "mem_store.h"
#include "truth.h"
#include "verify/findings.h"

#define VERDICT_REFUSED UINT64_MAX

struct verdict {
    uint64_t damages;  /* findings; VERDICT_REFUSED: verify refuses the store */
    uint64_t schemas;  /* findings of a schema.json */
    uint32_t unnamed;  /* first item of `refused` that no finding names; LOD_NO_ITEM: none */
    const char *stray; /* a finding that does not follow from the change; NULL: all do */
    size_t peak_bytes;
};

/* Returns the files of `now` that differ from those of `sound`: bit i is file i. */
uint32_t verdict_changed(const struct mem_store *sound, const struct mem_store *now);

/*
 * Runs verify. Each item of `refused` must be named by a finding, and each finding must follow from
 * the files `changed` of `store`. Without `refused` neither is checked.
 */
struct verdict verdict_of(const struct truth *truth, const struct compared *refused,
                          const struct mem_store *store, uint32_t changed);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The facts about a store that its index and manifest hold, for `lodfs info` and `lodfs report`. */
#ifndef LOD_STORE_FACTS_H
#define LOD_STORE_FACTS_H

#include <stdint.h>

#include "compiler.h"
#include "dataset/dataset.h"
#include "list.h"
#include "totals/store_totals.h"

struct lod_store_facts {
    struct lod_dataset *dataset;
    struct lod_index *index;
    const struct lod_manifest *manifest;
    struct lod_store_totals totals;
    uint64_t folders, symlinks, aliases;
    uint64_t record_bytes;
    uint32_t *names;          /* for each item: how many files share it */
    LOD_LIST(uint32_t) whole; /* nodes of the files that are stored whole */
};

/* Reads the index. Borrows the dataset. Returns -ENOMEM, or an error of reading the index. */
LOD_MUST_CHECK int lod_store_facts_collect(struct lod_dataset *dataset,
                                           struct lod_store_facts *ret_facts);
/* Returns whether most bytes of the source are those of lossless images, and pack was not told
 * which of them get lower fidelities. */
bool lod_store_facts_want_levels(const struct lod_store_facts *facts);

void lod_store_facts_finish(struct lod_store_facts *facts);

#endif

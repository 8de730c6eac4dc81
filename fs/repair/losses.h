/* SPDX-License-Identifier: Apache-2.0 */
/* What a repair found and did, and what could not be saved. */
#ifndef LOD_LOSSES_H
#define LOD_LOSSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "list.h"

/* What could not be saved. Past LOD_LOSSES_MAX they are only counted. */
#define LOD_LOSSES_MAX 10000u

struct lod_loss {
    char *name;       /* of a record file or of a source's file; NULL: of the store as a whole */
    const char *what; /* a static text */
    uint64_t items;   /* of a lost record, if its header tells; else 0 */
};

/* All zero to begin; finish frees the list. */
struct lod_repair_report {
    bool index_written, manifest_written; /* neither: they were as they should be */
    bool kept; /* records are damaged, but index and manifest are sound: nothing was written */
    uint64_t records, items, names;   /* in the index */
    LOD_LIST(struct lod_loss) losses; /* LOD_LOSSES_MAX at most */
    uint64_t losses_count;
};

void lod_repair_report_finish(struct lod_repair_report *report);

/* Adds a loss; `name` is copied and may be NULL. -ENOMEM. */
LOD_MUST_CHECK int lod_repair_lose(struct lod_repair_report *report, const char *name,
                                   const char *what, uint64_t items);

#endif

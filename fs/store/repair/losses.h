/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a repair, and its losses. */
#ifndef LOD_LOSSES_H
#define LOD_LOSSES_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "list.h"

/* A loss. After LOD_LOSSES_MAX losses are only counted. */
#define LOD_LOSSES_MAX 10000u

struct lod_loss {
    char *name;       /* name of a record file or of a source's file; NULL: the store itself */
    char *of;         /* the lost file that it is another name of, or NULL */
    const char *what; /* a static text */
    uint64_t items;   /* items of a lost record, if its header can be read; else 0 */
};

/* Begins as all zero; finish frees the list. */
struct lod_repair_report {
    bool index_written, manifest_written; /* both false: they were right already */
    bool kept; /* records are damaged, but index and manifest are sound, so nothing was written */
    uint64_t records, items, names;   /* in the index */
    LOD_LIST(struct lod_loss) losses; /* at most LOD_LOSSES_MAX */
    uint64_t losses_count;
};

void lod_repair_report_finish(struct lod_repair_report *report);

/* Adds a loss; `name` is copied and may be NULL. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_repair_add_loss(struct lod_repair_report *report, const char *name,
                                       const char *what, uint64_t items);

/* Adds another name of a lost file; both are copied. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_repair_add_lost_name(struct lod_repair_report *report, const char *name,
                                            const char *of);

#endif

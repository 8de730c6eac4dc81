/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Index and manifest made again from the records of a local store: the same bytes that pack wrote.
 * Records are never touched: what is damaged in them stays so. Memory: about 100 bytes a name and
 * its path, and 64 an item.
 */
#ifndef LOD_REPAIR_H
#define LOD_REPAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"

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
    uint64_t records, items, names; /* in the index */
    struct lod_loss *losses;
    size_t losses_kept, losses_room;
    uint64_t losses_count;
};

/*
 * 0: index and manifest are whole (again); the report has what is missing from them. -ENOENT: no
 * store there, or one that pack did not finish; -EWOULDBLOCK: a pack works there; -EEXIST,
 * -ENOTDIR, -EINVAL: the records do not make one tree; else what failed. `why` gets a sentence;
 * nothing was changed then, unless the error is of the last step, the renaming.
 */
LOD_MUST_CHECK int lod_repair(const char *location, struct lod_repair_report *ret_report, char *why,
                              size_t why_room);
void lod_repair_report_finish(struct lod_repair_report *report);

/* Adds a loss; `name` is copied and may be NULL. -ENOMEM. */
LOD_MUST_CHECK int lod_repair_lose(struct lod_repair_report *report, const char *name,
                                   const char *what, uint64_t items);

#endif

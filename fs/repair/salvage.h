/* SPDX-License-Identifier: Apache-2.0 */
/* What the records of a store say about its tree, gathered for the index; repair.c alone uses it.
 */
#ifndef LOD_SALVAGE_H
#define LOD_SALVAGE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "repair/repair.h"
#include "store/index_write.h"
#include "store/store.h"

/* All zero to begin. */
struct lod_salvage {
    struct lod_entry *entries; /* paths and targets are owned by `texts` */
    size_t entries_count, entries_room;
    struct lod_entry_record *records; /* in record order; rows are owned */
    size_t records_count, records_room;
    uint64_t items, source_bytes;
    uint64_t records_lost;
    cJSON *pack, *scans; /* of the tree record; NULL: lost */
    bool tree_seen;      /* a tree record that could be opened */
    bool tree_whole;     /* and all of its list was read */
    struct lod_salvage_text *texts;
};

/*
 * Reads every record file of the store. What cannot be read is a loss in the report, not an error.
 * -ENOMEM; -ENOENT: there is no folder of records; -ENOTSUP: a record of another version; -E2BIG.
 */
LOD_MUST_CHECK int lod_salvage(struct lod_store *store, struct lod_salvage *salvage,
                               struct lod_repair_report *report);
void lod_salvage_finish(struct lod_salvage *salvage);

#endif

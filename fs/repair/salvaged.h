/* SPDX-License-Identifier: Apache-2.0 */
/* The entries and records that were gathered, and the texts that they point to. */
#ifndef LOD_SALVAGED_H
#define LOD_SALVAGED_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "list.h"
#include "store/index_write.h"

/* All zero to begin. */
struct lod_salvage {
    LOD_LIST(struct lod_entry) entries;        /* paths and targets are owned by `texts` */
    LOD_LIST(struct lod_entry_record) records; /* in record order; rows are owned */
    uint64_t items, source_bytes;
    uint64_t records_lost;
    cJSON *pack, *scans; /* of the tree record; NULL: lost */
    bool tree_seen;      /* a tree record that could be opened */
    bool tree_whole;     /* and all of its list was read */
    struct lod_salvage_text *texts;
};

void lod_salvage_finish(struct lod_salvage *salvage);

/* A copy of a text that is kept; NULL: no memory. */
const char *lod_salvage_keep(struct lod_salvage *salvage, const char *text, size_t bytes);

/* One more entry. -ENOMEM. */
LOD_MUST_CHECK int lod_salvage_add(struct lod_salvage *salvage, const struct lod_entry *entry);

#endif

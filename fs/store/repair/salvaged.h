/* SPDX-License-Identifier: Apache-2.0 */
/* The gathered entries and records, and their texts. */
#ifndef LOD_SALVAGED_H
#define LOD_SALVAGED_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "list.h"
#include "index/index_write.h"

/* Begins as all zero. */
struct lod_salvage {
    LOD_LIST(struct lod_entry) entries;        /* paths and targets are owned by `texts` */
    LOD_LIST(struct lod_entry_record) records; /* in record order; their pointers are owned */
    uint64_t items, source_bytes;
    uint64_t records_lost;
    cJSON *pack, *scans; /* of the tree record; NULL if lost */
    bool tree_seen;      /* a tree record could be opened */
    bool tree_whole;     /* and its list was read completely */
    struct lod_salvage_text *texts;
};

void lod_salvage_finish(struct lod_salvage *salvage);

/* Returns a copy of a text that lives as long as `salvage`; NULL if memory is exhausted. */
const char *lod_salvage_keep(struct lod_salvage *salvage, const char *text, size_t bytes);

/* Adds an entry. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_salvage_add(struct lod_salvage *salvage, const struct lod_entry *entry);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Compares a table's schema.json with its shards (FORMAT.md, Tables). It opens no files. */
#ifndef LOD_SCHEMA_H
#define LOD_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

#include "codec.h"

/* The folder of a table, its shards sorted by number. */
struct lod_schema_shards {
    const struct lod_shard_facts *at;
    size_t count;
    bool labels; /* the folder has a labels.npy */
};

/* Upper bounds of the memory that a comparison takes: for each byte of a text, and for a given
 * text. */
#define LOD_SCHEMA_COST_A_BYTE 170u
uint64_t lod_schema_cost(struct lod_span text);

/* Returns NULL if the text agrees with the shards, else the fault, a static text. */
const char *lod_schema_judge(struct lod_span text, const struct lod_schema_shards *shards);

#endif

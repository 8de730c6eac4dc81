/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table's schema.json held against what its shards say of themselves (FORMAT.md, Tables). No
 * files: text in, verdict out.
 */
#ifndef LOD_SCHEMA_H
#define LOD_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

#include "codec.h"
#include "compiler.h"

/* The folder of a table, its shards sorted by number. */
struct lod_schema_shards {
    const struct lod_shard_facts *at;
    size_t count;
    bool labels; /* there is a labels.npy */
};

/* Memory that comparing takes at most, from the text's own bytes; and for each of any text. */
#define LOD_SCHEMA_COST_A_BYTE 170u
uint64_t lod_schema_cost(struct lod_span text);

/* NULL: it says what the shards say. Else what is wrong, a static text. */
const char *lod_schema_judge(struct lod_span text, const struct lod_schema_shards *shards);

#endif

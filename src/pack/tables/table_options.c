/* SPDX-License-Identifier: Apache-2.0 */
/* See table_options.h. */
#include "pack/tables/table_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "pack/source/globs.h"

void lod_table_options_lines(const struct lod_tables_options *options,
                             char text[LOD_TABLE_OPTIONS_ROOM])
{
    const struct lod_table_options *cut = &options->text.cut;
    size_t at = lod_globs_line("tables", &options->globs, text, LOD_TABLE_OPTIONS_ROOM);

    if (options->text.one_hot) {
        at += (size_t)snprintf(text + at, LOD_TABLE_OPTIONS_ROOM - at, "--one-hot\n");
    }
    if (cut->batch_rows) {
        at += (size_t)snprintf(text + at, LOD_TABLE_OPTIONS_ROOM - at, "--batch-rows=%" PRIu32 "\n",
                               cut->batch_rows);
    }
    if (cut->shard_rows) {
        snprintf(text + at, LOD_TABLE_OPTIONS_ROOM - at, "--shard-rows=%" PRIu32 "\n",
                 cut->shard_rows);
    }
}

int lod_table_options_json(const struct lod_tables_options *options, cJSON *into)
{
    const struct lod_table_options *cut = &options->text.cut;
    int error = lod_globs_json("tables", &options->globs, into);

    if (!error && options->text.one_hot && !cJSON_AddTrueToObject(into, "one_hot")) {
        error = -ENOMEM;
    }
    if (!error && cut->batch_rows &&
        !cJSON_AddNumberToObject(into, "batch_rows", cut->batch_rows)) {
        error = -ENOMEM;
    }
    if (!error && cut->shard_rows &&
        !cJSON_AddNumberToObject(into, "shard_rows", cut->shard_rows)) {
        error = -ENOMEM;
    }
    return error;
}

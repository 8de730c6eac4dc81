/* SPDX-License-Identifier: Apache-2.0 */
/* See table_options.h. */
#include "pack/tables/table_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hash.h"

#define GLOB_SHOWN 256 /* bytes of a pattern that are printed */

/* Prints the first pattern, and a hash of all. */
static size_t print_globs(const struct lod_option_list *globs, char *text, size_t room)
{
    char shown[GLOB_SHOWN + 1];
    uint64_t hash = 0;

    for (unsigned i = 0; i < globs->count; i++) {
        hash = lod_hash64(globs->at[i], strlen(globs->at[i]) + 1, hash);
    }
    lod_format(shown, sizeof(shown), "%pE", globs->at[0]);
    return lod_format(text, room, "--tables=%s (%u of hash %016" PRIx64 ")\n", shown, globs->count,
                      hash);
}

void lod_table_options_lines(const struct lod_tables_options *options,
                             char text[LOD_TABLE_OPTIONS_ROOM])
{
    const struct lod_table_options *cut = &options->text.cut;
    size_t at = 0;

    text[0] = '\0';
    if (options->globs.count) {
        at += print_globs(&options->globs, text, LOD_TABLE_OPTIONS_ROOM);
    }
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

static int json_globs(const struct lod_option_list *globs, cJSON *into)
{
    char text[4 * 4096 + 1];
    cJSON *array = cJSON_AddArrayToObject(into, "tables");
    bool good = array;

    for (unsigned i = 0; good && i < globs->count; i++) {
        lod_escape(globs->at[i], strlen(globs->at[i]), text, sizeof(text));
        good = cJSON_AddItemToArray(array, cJSON_CreateString(text));
    }
    return good ? 0 : -ENOMEM;
}

int lod_table_options_json(const struct lod_tables_options *options, cJSON *into)
{
    const struct lod_table_options *cut = &options->text.cut;
    int error = options->globs.count ? json_globs(&options->globs, into) : 0;

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

/* SPDX-License-Identifier: Apache-2.0 */
/* See table_options.h. */
#include "pack/table_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hash.h"
#include "log.h"

#define GLOB_SHOWN 64 /* bytes of a pattern in a line */

/* The first pattern, and all of them by their hash. */
static int print_globs(const struct lod_tables_options *options, char *text, size_t room)
{
    char shown[4 * GLOB_SHOWN + 1];
    const char *first = options->globs[0];
    const size_t bytes = strlen(first) < GLOB_SHOWN ? strlen(first) : GLOB_SHOWN;
    uint64_t hash = 0;

    for (unsigned i = 0; i < options->globs_count; i++) {
        hash = lod_hash64(options->globs[i], strlen(options->globs[i]) + 1, hash);
    }
    lod_escape(first, bytes, shown, sizeof(shown));
    return snprintf(text, room, "--tables=%s (%u of hash %016" PRIx64 ")\n", shown,
                    options->globs_count, hash);
}

void lod_table_options_lines(const struct lod_tables_options *options,
                             char text[LOD_TABLE_OPTIONS_ROOM])
{
    const struct lod_table_options *cut = &options->text.cut;
    size_t at = 0;

    text[0] = '\0';
    if (options->globs_count) {
        at += (size_t)print_globs(options, text, LOD_TABLE_OPTIONS_ROOM);
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

static int json_globs(const struct lod_tables_options *options, cJSON *into)
{
    char text[4 * 4096 + 1];
    cJSON *array = cJSON_AddArrayToObject(into, "tables");
    int error = array ? 0 : -ENOMEM;

    for (unsigned i = 0; !error && i < options->globs_count; i++) {
        lod_escape(options->globs[i], strlen(options->globs[i]), text, sizeof(text));
        cJSON *glob = cJSON_CreateString(text);
        if (!glob || !cJSON_AddItemToArray(array, glob)) {
            cJSON_Delete(glob);
            error = -ENOMEM;
        }
    }
    return error;
}

int lod_table_options_json(const struct lod_tables_options *options, cJSON *into)
{
    const struct lod_table_options *cut = &options->text.cut;
    int error = options->globs_count ? json_globs(options, into) : 0;

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

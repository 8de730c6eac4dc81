/* SPDX-License-Identifier: Apache-2.0 */
/* See pack_describe.h. */
#include "pack/pack_describe.h"

#include <string.h>

#include "pack/source/globs.h"

/* Numbers in JSON are doubles, so seeds are limited to 53 bits. */
cJSON *lod_pack_describe(const struct lod_pack_options *options, uint64_t record_bytes)
{
    const char *top = options->top ? lod_fidelity_name((enum lod_fidelity)options->top) : "q10";
    cJSON *json = cJSON_CreateObject();

    if (json &&
        (!cJSON_AddStringToObject(json, "order", options->order.by_path ? "path" : "shuffle") ||
         !cJSON_AddNumberToObject(json, "seed", (double)options->order.seed) ||
         !cJSON_AddNumberToObject(json, "record_size", (double)record_bytes) ||
         !cJSON_AddStringToObject(json, "scans", options->scans_name) ||
         !cJSON_AddStringToObject(json, "full", options->top ? "source" : "scans") ||
         !cJSON_AddStringToObject(json, "top", top) ||
         !cJSON_AddStringToObject(json, "l3", options->l3_name) ||
         !cJSON_AddStringToObject(json, "raw", options->raw_plain ? "plain" : "zstd") ||
         !cJSON_AddStringToObject(json, "original", options->keep ? "all" : "auto") ||
         !cJSON_AddStringToObject(json, "symlinks", options->follow ? "follow" : "keep") ||
         (options->from && !cJSON_AddStringToObject(json, "from", options->from->name)) ||
         (options->labels && !cJSON_AddStringToObject(json, "labels", "file")) ||
         (options->splits.text &&
          !cJSON_AddStringToObject(json, "splits", options->splits.count ? "named" : "none")))) {
        cJSON_Delete(json);
        json = NULL;
    }
    if (json && (lod_table_options_json(&options->tables, json) ||
                 lod_globs_json("levels", &options->levels, json))) {
        cJSON_Delete(json);
        json = NULL;
    }
    return json;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What a store holds, as one JSON document; see info.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "info.h"
#include "log.h"
#include "report.h"
#include "scan_report.h"

static int json_whole(const struct lod_info *info, cJSON *json)
{
    cJSON *array = cJSON_AddArrayToObject(json, "whole");
    char path[LOD_PATH_MAX + 1], text[4 * LOD_PATH_MAX + 1];
    struct lod_node node;
    int error = array ? 0 : -ENOMEM;

    for (size_t i = 0; !error && i < info->whole.count; i++) {
        error = lod_index_node(info->index, info->whole.at[i], &node);
        error = error ? error : lod_dataset_path(info->dataset, &node, path);
        if (!error) {
            lod_escape(path, strlen(path), text, sizeof(text));
            error = cJSON_AddItemToArray(array, cJSON_CreateString(text)) ? 0 : -ENOMEM;
        }
    }
    return error;
}

static int json_head(const struct lod_info *info, cJSON *json)
{
    char id[LOD_ID_TEXT_BYTES];
    const struct {
        const char *key;
        uint64_t value;
    } numbers[] = {
        {"major", LOD_FORMAT_MAJOR},          {"minor", LOD_FORMAT_MINOR},
        {"folders", info->folders},           {"symlinks", info->symlinks},
        {"shared_files", info->aliases},      {"records", info->manifest->records},
        {"record_bytes", info->record_bytes}, {"index_bytes", info->manifest->index_bytes},
    };

    lod_id_text(info->manifest->store_id, id);
    int error = lod_report_json_name(json, "store", info->store);
    if (!error && !cJSON_AddStringToObject(json, "store_id", id)) {
        error = -ENOMEM;
    }
    for (size_t i = 0; !error && i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        bool added = cJSON_AddNumberToObject(json, numbers[i].key, (double)numbers[i].value);
        error = added ? 0 : -ENOMEM;
    }
    return error;
}

static int add_copy(cJSON *json, const char *key, const cJSON *value)
{
    cJSON *copy = value ? cJSON_Duplicate(value, true) : cJSON_CreateNull();

    return cJSON_AddItemToObject(json, key, copy) ? 0 : -ENOMEM;
}

int lod_info_print_json(const struct lod_info *info)
{
    cJSON *json = cJSON_CreateObject();
    int error = json ? json_head(info, json) : -ENOMEM;

    error = error ? error : lod_tally_json(&info->tally, json);
    error = error ? error : json_whole(info, json);
    error = error ? error : add_copy(json, "pack", info->manifest->pack);
    error = error ? error : add_copy(json, "scans", info->manifest->scans);
    if (error) {
        cJSON_Delete(json);
        return error;
    }
    return lod_report_json(json, stdout);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* See schema.h. */
#include "verify/schema.h"

#include <cjson/cJSON.h>
#include <string.h>

#include "json_whole.h"

/*
 * Memory of a cJSON value with its text, measured with glibc: 64 bytes, and 32 for a short string.
 */
#define VALUE_BYTES 160u

_Static_assert(VALUE_BYTES + 2 <= LOD_SCHEMA_COST_A_BYTE, "each byte begins a value at most");

static const char malformed[] = "its schema is malformed";

uint64_t lod_schema_cost(struct lod_span text)
{
    uint64_t values = 1;

    for (size_t i = 0; i < text.bytes; i++) {
        values += text.at[i] == '[' || text.at[i] == '{' || text.at[i] == ',' || text.at[i] == ':';
    }
    return 2 * (uint64_t)text.bytes + values * VALUE_BYTES;
}

static bool take(const cJSON *json, const char *key, uint64_t *ret_number)
{
    return lod_json_whole(cJSON_GetObjectItemCaseSensitive(json, key), LOD_WHOLE_MAX, ret_number);
}

static bool says(const cJSON *json, const char *key, const char *text)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(json, key);

    return cJSON_IsString(value) && strcmp(value->valuestring, text) == 0;
}

/* Returns whether the shards have the numbers 0, 1, .. and adjacent rows. *ret_rows is the sum. */
static bool add_rows(const struct lod_schema_shards *shards, uint64_t *ret_rows)
{
    uint64_t rows = 0;

    for (size_t i = 0; i < shards->count; i++) {
        if (shards->at[i].number != i || shards->at[i].first != rows) {
            return false;
        }
        rows += shards->at[i].rows;
    }
    *ret_rows = rows;
    return true;
}

static const char *judge_shape(const cJSON *json, const struct lod_schema_shards *shards)
{
    const cJSON *shape = cJSON_GetObjectItemCaseSensitive(json, "shape");
    const cJSON *dtype = cJSON_GetObjectItemCaseSensitive(json, "dtype");
    uint64_t rows, columns, there = 0;

    if (cJSON_GetArraySize(shape) != 2 ||
        !lod_json_whole(cJSON_GetArrayItem(shape, 0), LOD_WHOLE_MAX, &rows) ||
        !lod_json_whole(cJSON_GetArrayItem(shape, 1), LOD_WHOLE_MAX, &columns)) {
        return malformed;
    }
    if (!add_rows(shards, &there)) {
        return "the shards of its table have gaps or overlap";
    }
    for (size_t i = 0; i < shards->count; i++) {
        if (shards->at[i].columns != columns) {
            return "its schema has another number of columns than a shard";
        }
        if (!cJSON_IsString(dtype) || strcmp(dtype->valuestring, shards->at[i].dtype) != 0) {
            return "its schema has another dtype than a shard";
        }
    }
    return rows == there ? NULL : "its schema has another number of rows than the shards";
}

/* Compares how the table is divided. Shards of text may have fewer rows than the schema says. The
 * last shard of a .npy has the remaining rows. */
static const char *judge_cut(const cJSON *json, const struct lod_schema_shards *shards)
{
    const bool text = !says(json, "source", "npy");
    uint64_t batch, most, count;

    if (!take(json, "batch_rows", &batch) || !take(json, "rows_a_shard", &most) ||
        !take(json, "shards", &count)) {
        return malformed;
    }
    if (count != shards->count) {
        return "its schema has another number of shards";
    }
    for (size_t i = 0; i < shards->count; i++) {
        const struct lod_shard_facts *shard = &shards->at[i];
        const bool whole =
            text || i + 1 == shards->count ? shard->rows <= most : shard->rows == most;
        if (!whole || shard->batch_rows != batch) {
            return "its schema has other rows per shard or per batch than a shard";
        }
    }
    return NULL;
}

/* Checks the columns: one for each category, or one of numbers. */
static const char *judge_columns(const cJSON *json)
{
    const cJSON *columns = cJSON_GetObjectItemCaseSensitive(json, "columns"), *column, *category;
    const cJSON *all = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(json, "shape"), 1);
    uint64_t first, next = 0;

    if (!cJSON_IsArray(columns)) {
        return malformed;
    }
    cJSON_ArrayForEach(column, columns)
    {
        const cJSON *categories = cJSON_GetObjectItemCaseSensitive(column, "categories");
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(column, "name");
        if (!take(column, "first_column", &first) || (name && !cJSON_IsString(name)) ||
            (categories && !cJSON_IsArray(categories))) {
            return malformed;
        }
        if (first != next) {
            return "the columns of its schema have gaps or overlap";
        }
        next += categories ? 0 : 1;
        cJSON_ArrayForEach(category, categories)
        {
            if (!cJSON_IsString(category)) {
                return malformed;
            }
            next++;
        }
    }
    return (double)next == all->valuedouble
               ? NULL
               : "the columns and categories of its schema do not match its shape";
}

static const char *judge_text(const cJSON *json, const struct lod_schema_shards *shards)
{
    uint64_t first;

    if (says(json, "source", "npy")) {
        return NULL;
    }
    if (says(json, "source", "csv")) {
        return judge_columns(json);
    }
    return says(json, "source", "libsvm") && take(json, "first_index", &first) && first <= 1 &&
                   says(json, "labels", "labels.npy") && shards->labels
               ? NULL
               : malformed;
}

const char *lod_schema_judge(struct lod_span text, const struct lod_schema_shards *shards)
{
    cJSON *json = cJSON_ParseWithLength((const char *)text.at, text.bytes);
    const char *wrong = NULL;
    uint64_t version;

    if (!says(json, "format", "lodfs-table") || !take(json, "version", &version) || version != 1) {
        wrong = malformed;
    }
    wrong = wrong ? wrong : judge_shape(json, shards);
    wrong = wrong ? wrong : judge_cut(json, shards);
    wrong = wrong ? wrong : judge_text(json, shards);
    cJSON_Delete(json);
    return wrong;
}

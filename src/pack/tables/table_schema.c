/* SPDX-License-Identifier: Apache-2.0 */
/* See table_schema.h; its keys are in FORMAT.md, Tables. */
#include "pack/tables/table_schema.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "toc/shard/dtype.h"
#include "toc/source/text_table.h"

static bool is_utf8(const char *text)
{
    const size_t bytes = strlen(text);
    uint32_t character;
    size_t at = 0, step = 1;

    for (; at < bytes && step; at += step) {
        step = lod_utf8((const uint8_t *)text + at, bytes - at, &character);
    }
    return step != 0;
}

/* Makes a JSON string, which is UTF-8. Other text is read as Latin-1,
 * in which every byte is valid. */
static cJSON *make_text(const char *text)
{
    if (is_utf8(text)) {
        return cJSON_CreateString(text);
    }
    char *wide = malloc(2 * strlen(text) + 1), *to = wide;
    for (const uint8_t *at = (const uint8_t *)text; wide && *at; at++) {
        if (*at >= 0x80) {
            *to++ = (char)(0xc0 | *at >> 6);
        }
        *to++ = (char)(*at >= 0x80 ? 0x80 | (*at & 0x3f) : *at);
    }
    if (!wide) {
        return NULL;
    }
    *to = '\0';
    cJSON *json = cJSON_CreateString(wide);
    free(wide);
    return json;
}

/* Adds `item` and takes ownership of it. Returns false if memory is out. */
static bool add(cJSON *into, cJSON *item)
{
    if (!item || !cJSON_AddItemToArray(into, item)) {
        cJSON_Delete(item);
        return false;
    }
    return true;
}

static bool add_column(cJSON *array, const struct lod_text_column *column)
{
    cJSON *json = cJSON_CreateObject();

    if (!add(array, json)) {
        return false;
    }
    if (column->name) {
        cJSON *name = make_text(column->name);
        if (!name || !cJSON_AddItemToObject(json, "name", name)) {
            cJSON_Delete(name);
            return false;
        }
    }
    bool added = cJSON_AddNumberToObject(json, "first_column", column->first) != NULL;
    cJSON *categories = added && column->text ? cJSON_AddArrayToObject(json, "categories") : NULL;
    added = added && (categories || !column->text);
    for (uint32_t i = 0; added && i < column->count; i++) {
        added = add(categories, make_text(column->categories[i]));
    }
    return added;
}

static bool add_text(cJSON *json, const struct lod_text_table *text)
{
    if (text->kind == LOD_TABLE_LIBSVM) {
        return cJSON_AddNumberToObject(json, "first_index", text->zero_based ? 0 : 1) &&
               cJSON_AddStringToObject(json, "labels", "labels.npy");
    }
    cJSON *columns = cJSON_AddArrayToObject(json, "columns");
    bool added = columns != NULL;
    for (uint32_t i = 0; added && i < text->columns_count; i++) {
        added = add_column(columns, &text->columns[i]);
    }
    return added;
}

static bool fill(cJSON *json, const struct lod_data_table *table)
{
    static const char *const sources[] = {
        [LOD_TABLE_NPY] = "npy", [LOD_TABLE_CSV] = "csv", [LOD_TABLE_LIBSVM] = "libsvm"};
    char dtype[LOD_DTYPE_NAME_BYTES];
    cJSON *shape = NULL;

    lod_dtype_name(table->dtype, dtype);
    return cJSON_AddStringToObject(json, "format", "lodfs-table") &&
           cJSON_AddNumberToObject(json, "version", 1) &&
           cJSON_AddStringToObject(json, "source", sources[table->kind]) &&
           cJSON_AddStringToObject(json, "dtype", dtype) &&
           (shape = cJSON_AddArrayToObject(json, "shape")) &&
           add(shape, cJSON_CreateNumber((double)table->rows)) &&
           add(shape, cJSON_CreateNumber(table->columns)) &&
           cJSON_AddNumberToObject(json, "batch_rows", table->batch_rows) &&
           cJSON_AddNumberToObject(json, "rows_a_shard", table->shard_rows) &&
           cJSON_AddNumberToObject(json, "shards", table->shards) &&
           (!table->text || add_text(json, table->text));
}

int lod_table_schema(const struct lod_data_table *table, struct lod_buf *into)
{
    cJSON *json = cJSON_CreateObject();
    char *text = json && fill(json, table) ? cJSON_Print(json) : NULL;
    int error = text ? lod_buf_append(into, text, strlen(text)) : -ENOMEM;

    error = error ? error : lod_buf_append(into, "\n", 1);
    cJSON_free(text);
    cJSON_Delete(json);
    return error;
}

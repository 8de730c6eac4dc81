/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads manifest.json with cJSON, strictly: types, ranges, only numbers that a double can hold.
 * FORMAT.md, Manifest. The meaning of `pack` and `scans` is left to their readers. manifest_write.c
 * writes the file.
 */
#include "index/manifest.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/format.h"

#define HEX64_DIGITS 16
#define VERSION_MAX  65535
#define VALUE_STARTS "[{,:"

void lod_manifest_finish(struct lod_manifest *manifest)
{
    cJSON_Delete(manifest->pack);
    cJSON_Delete(manifest->scans);
    *manifest = (struct lod_manifest){0};
}

static bool get_number(const cJSON *json, const char *key, uint64_t max, uint64_t *ret_value)
{
    return lod_json_whole(cJSON_GetObjectItemCaseSensitive(json, key), max, ret_value);
}

/* Exactly 16 lower-case digits. */
static bool parse_hex64(const char *text, uint64_t *ret_value)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < HEX64_DIGITS; i++) {
        const char *digits = "0123456789abcdef";
        const char *digit = text[i] ? strchr(digits, text[i]) : NULL;
        if (!digit) {
            return false;
        }
        value = value << 4 | (uint64_t)(digit - digits);
    }
    *ret_value = value;
    return true;
}

static bool get_hash(const cJSON *json, const char *key, uint64_t *ret_hash)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, key));

    return text && strlen(text) == HEX64_DIGITS && parse_hex64(text, ret_hash);
}

static bool get_id(const cJSON *json, const char *key, struct lod_id *ret_id)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, key));

    return text && strlen(text) == 2 * HEX64_DIGITS && parse_hex64(text, &ret_id->high) &&
           parse_hex64(text + HEX64_DIGITS, &ret_id->low);
}

static int check_version(const cJSON *json, const char **ret_why)
{
    const char *format = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "format"));
    uint64_t major, minor;

    if (!format || strcmp(format, LOD_MANIFEST_FORMAT) != 0) {
        *ret_why = "manifest.json is not a lodfs manifest";
        return -ENOTSUP;
    }
    if (!get_number(json, "major", VERSION_MAX, &major) ||
        !get_number(json, "minor", VERSION_MAX, &minor)) {
        *ret_why = "manifest.json is damaged: no format version";
        return -EILSEQ;
    }
    if (major != LOD_FORMAT_MAJOR || minor != LOD_FORMAT_MINOR) {
        *ret_why = "the store has another format version; use the lodfs that packed it, or pack "
                   "the source again";
        return -ENOTSUP;
    }
    return 0;
}

uint64_t lod_manifest_seed(const cJSON *pack)
{
    uint64_t seed = 0;

    return get_number(pack, "seed", LOD_WHOLE_MAX, &seed) ? seed : 0;
}

/* Moves `pack` and `scans` out of `json` on success. */
static int take_fields(cJSON *json, struct lod_manifest *ret_manifest)
{
    struct lod_manifest m = {0};
    const cJSON *pack = cJSON_GetObjectItemCaseSensitive(json, "pack");
    const cJSON *scans = cJSON_GetObjectItemCaseSensitive(json, "scans");

    if (!get_id(json, "store_id", &m.store_id) || !get_hash(json, "index_hash", &m.index_hash) ||
        !get_number(json, "index_bytes", LOD_WHOLE_MAX, &m.index_bytes) ||
        !get_number(json, "records", LOD_NODES_MAX, &m.records) ||
        !get_number(json, "items", LOD_NODES_MAX, &m.items) ||
        !get_number(json, "source_bytes", LOD_WHOLE_MAX, &m.source_bytes) ||
        !cJSON_IsObject(pack) || !scans) {
        return -EILSEQ;
    }
    m.pack = cJSON_DetachItemFromObjectCaseSensitive(json, "pack");
    if (!cJSON_IsNull(scans)) {
        m.scans = cJSON_DetachItemFromObjectCaseSensitive(json, "scans");
    }
    *ret_manifest = m;
    return 0;
}

/* Returns whether the text has too many values. A cJSON value takes some 80 bytes, so their number
 * is bounded before the parser runs. */
static bool too_many_values(const char *text, size_t bytes)
{
    size_t values = 0;

    for (size_t i = 0; i < bytes; i++) {
        values += text[i] && strchr(VALUE_STARTS, text[i]) != NULL;
    }
    return values > LOD_MANIFEST_VALUES_MAX;
}

bool lod_manifest_fits(const char *text, size_t bytes)
{
    return bytes <= LOD_MANIFEST_BYTES_MAX && !too_many_values(text, bytes);
}

int lod_manifest_parse_json(const char *text, size_t bytes, cJSON **ret_json)
{
    const char *end = NULL;

    if (!lod_manifest_fits(text, bytes)) {
        return -EILSEQ;
    }
    errno = 0; /* cJSON does not tell why it fails; malloc does */
    cJSON *json = cJSON_ParseWithLengthOpts(text, bytes, &end, 0);
    if (!json && errno == ENOMEM) {
        return -ENOMEM;
    }
    for (; json && end < text + bytes; end++) {
        if (!strchr(" \t\r\n", *end) || !*end) {
            cJSON_Delete(json);
            json = NULL;
        }
    }
    if (!json) {
        return -EILSEQ;
    }
    *ret_json = json;
    return 0;
}

static int parse(const char *text, size_t bytes, struct lod_manifest *ret_manifest,
                 const char **ret_why)
{
    cJSON *json = NULL;

    *ret_why = "manifest.json is damaged or truncated" LOD_REPAIR_HOW;
    int error = lod_manifest_parse_json(text, bytes, &json);
    if (!error && !cJSON_IsObject(json)) {
        error = -EILSEQ;
    }
    error = error ? error : check_version(json, ret_why);
    error = error ? error : take_fields(json, ret_manifest);
    cJSON_Delete(json);
    return error;
}

static int read_object(struct lod_object *object, struct lod_manifest *ret_manifest,
                       const char **ret_why)
{
    uint64_t bytes = lod_object_bytes(object);

    if (bytes > LOD_MANIFEST_BYTES_MAX) {
        *ret_why = "manifest.json is damaged: it is larger than any manifest";
        return -EILSEQ;
    }
    char *text = malloc((size_t)bytes + 1);
    if (!text) {
        *ret_why = "out of memory";
        return -ENOMEM;
    }
    int error = lod_object_pread(object, 0, text, (size_t)bytes);
    if (error) {
        *ret_why = "manifest.json cannot be read";
    } else {
        error = parse(text, (size_t)bytes, ret_manifest, ret_why);
    }
    free(text);
    return error;
}

int lod_manifest_read(struct lod_store *store, struct lod_manifest *ret_manifest,
                      const char **ret_why)
{
    struct lod_object *object = NULL;

    int error = lod_object_open(store, LOD_MANIFEST_NAME, &object);
    if (error) {
        *ret_why = error == -ENOENT ? "no manifest.json: not a lodfs store, or pack did not finish"
                   : error == -EACCES ? "manifest.json may not be read by this user"
                                      : "manifest.json" LOD_UNFIT_FILE;
        return error;
    }
    error = read_object(object, ret_manifest, ret_why);
    lod_object_close(object);
    return error;
}

void lod_manifest_explain(struct lod_store *store, const char *reason, struct lod_why *why)
{
    char last_error[400] = "", name[256];
    const bool known = lod_store_last_error(store, last_error, sizeof(last_error));
    const char *colon = strstr(last_error, ": ");
    const char *guess = known ? strstr(reason, LOD_UNFIT_GUESS) : NULL;

    snprintf(name, sizeof(name), "%.*s", colon ? (int)(colon - last_error) : 0, last_error);
    lod_refuse(why, 0, "%.*s%s%s", (int)(guess ? guess - reason : (ptrdiff_t)strlen(reason)),
               reason, known ? ": " : "", name[0] && strstr(reason, name) ? colon + 2 : last_error);
}

int lod_manifest_is(struct lod_store *store, const char *text, bool *ret_is)
{
    struct lod_object *object = NULL;
    const size_t bytes = strlen(text);
    char *file = malloc(bytes);

    *ret_is = false;
    int error = file ? lod_object_open(store, LOD_MANIFEST_NAME, &object) : -ENOMEM;
    if (!error && lod_object_bytes(object) == bytes) {
        error = lod_object_pread(object, 0, file, bytes);
        *ret_is = !error && memcmp(file, text, bytes) == 0;
    }
    lod_object_close(object);
    free(file);
    return error == -ENOMEM ? error : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Writes manifest.json: its text goes to manifest.tmp, and a rename commits it. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/file_io.h"
#include "backend/format.h"
#include "index/manifest.h"

#define TMP_NAME    "manifest.tmp"
#define HASH_DIGITS 16

static bool add_number(cJSON *json, const char *key, uint64_t value)
{
    char text[24];

    assert(value <= LOD_WHOLE_MAX);
    snprintf(text, sizeof(text), "%" PRIu64, value);
    return cJSON_AddRawToObject(json, key, text) != NULL;
}

static bool add_hash(cJSON *json, const char *key, uint64_t value)
{
    char text[HASH_DIGITS + 1];

    snprintf(text, sizeof(text), "%016" PRIx64, value);
    return cJSON_AddStringToObject(json, key, text) != NULL;
}

/* Adds a borrowed value: cJSON does not free references with their object. */
static bool add_reference(cJSON *json, const char *key, cJSON *value)
{
    return value ? cJSON_AddItemReferenceToObject(json, key, value) != 0
                 : cJSON_AddNullToObject(json, key) != NULL;
}

/* Returns the manifest's text, keys in the order of FORMAT.md; NULL if memory is exhausted. */
static char *print(const struct lod_manifest *manifest)
{
    char id[LOD_ID_TEXT_BYTES];
    cJSON *json = cJSON_CreateObject();
    char *text = NULL;

    lod_id_text(manifest->store_id, id);
    bool done = json && cJSON_AddStringToObject(json, "format", LOD_MANIFEST_FORMAT) &&
                add_number(json, "major", LOD_FORMAT_MAJOR) &&
                add_number(json, "minor", LOD_FORMAT_MINOR) &&
                cJSON_AddStringToObject(json, "store_id", id) &&
                add_number(json, "index_bytes", manifest->index_bytes) &&
                add_hash(json, "index_hash", manifest->index_hash) &&
                add_number(json, "records", manifest->records) &&
                add_number(json, "items", manifest->items) &&
                add_number(json, "source_bytes", manifest->source_bytes) &&
                add_reference(json, "pack", manifest->pack) &&
                add_reference(json, "scans", manifest->scans);
    if (done) {
        text = cJSON_Print(json);
    }
    cJSON_Delete(json);
    return text;
}

int lod_manifest_text(const struct lod_manifest *manifest, char **ret_text)
{
    char *text = NULL;

    assert(cJSON_IsObject(manifest->pack));
    if (manifest->index_bytes > LOD_WHOLE_MAX || manifest->source_bytes > LOD_WHOLE_MAX) {
        return -E2BIG;
    }
    char *printed = print(manifest);
    if (!printed) {
        return -ENOMEM;
    }
    int bytes = asprintf(&text, "%s\n", printed);
    cJSON_free(printed);
    if (bytes < 0) {
        return -ENOMEM;
    }
    if (!lod_manifest_fits(text, (size_t)bytes)) {
        free(text);
        return -E2BIG;
    }
    *ret_text = text;
    return 0;
}

int lod_manifest_stage(int dir_fd, const struct lod_manifest *manifest)
{
    char *text = NULL;

    int error = lod_manifest_text(manifest, &text);
    /* The names of the records must be on disk before the manifest makes them a store. */
    error = error ? error : lod_file_sync_at(dir_fd, LOD_RECORDS_NAME);
    error = error ? error : lod_file_write(dir_fd, TMP_NAME, text, strlen(text));
    error = error ? error : lod_file_sync(dir_fd); /* the names of index and records/ */
    free(text);
    return error;
}

int lod_manifest_commit(int dir_fd)
{
    if (renameat(dir_fd, TMP_NAME, dir_fd, LOD_MANIFEST_NAME) < 0) {
        return -errno;
    }
    int error = lod_file_sync(dir_fd);
    if (error) { /* the commit failed, so there must be no manifest */
        renameat(dir_fd, LOD_MANIFEST_NAME, dir_fd, TMP_NAME);
    }
    return error;
}

int lod_manifest_write(int dir_fd, const struct lod_manifest *manifest)
{
    int error = lod_manifest_stage(dir_fd, manifest);

    return error ? error : lod_manifest_commit(dir_fd);
}

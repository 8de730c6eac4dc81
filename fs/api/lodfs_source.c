/* SPDX-License-Identifier: Apache-2.0 */
/* See lodfs_source.h. */
#include "api/lodfs_source.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/file_io.h"
#include "json_whole.h"
#include "toc/shard/dtype.h"
#include "toc/shard/toc.h"

#define SCHEMA     "schema.json"
#define SHARDS_MAX (1u << 24)

int lod_table_source_stat(const struct lod_table_source *source, bool *ret_folder)
{
    struct lodfs_entry entry;
    struct stat st;

    if (source->store) {
        int error = lodfs_stat(source->store, source->path, LODFS_FULL, &entry, NULL);
        *ret_folder = !error && entry.kind == LODFS_FOLDER;
        return error;
    }
    if (stat(source->path, &st) < 0) {
        return -errno;
    }
    *ret_folder = S_ISDIR(st.st_mode);
    return 0;
}

static int read_store(const struct lod_table_source *source, const char *path, struct lod_buf *into)
{
    struct lodfs_entry entry;
    int error = lodfs_stat(source->store, path, LODFS_FULL, &entry, NULL);

    if (!error && (entry.kind != LODFS_FILE || entry.bytes > LOD_SOURCE_BYTES_MAX)) {
        error = entry.kind == LODFS_FILE ? -E2BIG : -EINVAL;
    }
    error = error ? error : lod_buf_reserve(into, (size_t)entry.bytes + 1);
    return error ? error
                 : lodfs_read(source->store, path, LODFS_FULL, 0, into->data, (size_t)entry.bytes,
                              &into->bytes, NULL);
}

static int read_disk(const char *path, struct lod_buf *into)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat st;

    if (fd < 0) {
        return -errno;
    }
    int error = fstat(fd, &st) < 0 ? -errno : 0;
    if (!error && (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > LOD_SOURCE_BYTES_MAX)) {
        error = S_ISREG(st.st_mode) ? -E2BIG : -EINVAL;
    }
    error = error ? error : lod_buf_reserve(into, (size_t)st.st_size + 1);
    error = error ? error : lod_file_pread(fd, 0, into->data, (size_t)st.st_size);
    into->bytes = error ? 0 : (size_t)st.st_size;
    close(fd);
    return error;
}

int lod_table_source_read(const struct lod_table_source *source, const char *name,
                          struct lod_buf *into)
{
    char path[PATH_MAX];
    int bytes = snprintf(path, sizeof(path), "%s%s%s", source->path, name[0] ? "/" : "", name);

    if (bytes >= (int)sizeof(path)) {
        return -ENAMETOOLONG;
    }
    return source->store ? read_store(source, path, into) : read_disk(path, into);
}

/* Reads a type such as "<f8". */
static bool take_dtype(const cJSON *json, uint8_t *ret_dtype)
{
    static const char kinds[] = "biuf";
    const char *text = cJSON_GetStringValue(json);
    const char *kind = text && strlen(text) == 3 ? strchr(kinds, text[1]) : NULL;
    const char *log = kind ? strchr("1248", text[2]) : NULL;

    if (!log) {
        return false;
    }
    unsigned bytes = 1u << (((text[2] > '1') + (text[2] > '2')) + (text[2] > '4'));
    unsigned exponent = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
    *ret_dtype = (uint8_t)((unsigned)(kind - kinds) << 2 | exponent |
                           (text[0] == '>' && bytes > 1 ? LOD_DTYPE_BIG_ENDIAN : 0u));
    return lod_dtype_legal(*ret_dtype);
}

static bool take_outline(const cJSON *json, struct lod_table_outline *outline)
{
    const cJSON *shape = cJSON_GetObjectItemCaseSensitive(json, "shape");
    uint64_t columns = 0, shards = 0;

    if (!lod_json_whole(cJSON_GetArrayItem(shape, 0), LOD_WHOLE_MAX, &outline->rows) ||
        !lod_json_whole(cJSON_GetArrayItem(shape, 1), LOD_TOC_COLUMNS_MAX, &columns) ||
        !lod_json_whole(cJSON_GetObjectItemCaseSensitive(json, "shards"), SHARDS_MAX, &shards) ||
        !take_dtype(cJSON_GetObjectItemCaseSensitive(json, "dtype"), &outline->dtype)) {
        return false;
    }
    outline->columns = (uint32_t)columns;
    outline->shards = (uint32_t)shards;
    return true;
}

int lod_table_source_outline(const struct lod_table_source *source,
                             struct lod_table_outline *ret_outline, char name[LOD_SOURCE_NAME_ROOM])
{
    struct lod_table_outline outline = {0};
    struct lod_buf text = {0};

    snprintf(name, LOD_SOURCE_NAME_ROOM, SCHEMA);
    int error = lod_table_source_read(source, SCHEMA, &text);
    cJSON *json = error ? NULL : cJSON_ParseWithLength((const char *)text.data, text.bytes);
    if (!error && (!json || !take_outline(json, &outline))) {
        error = -EILSEQ;
    }
    cJSON_Delete(json);
    lod_buf_finish(&text);
    if (!error) {
        *ret_outline = outline;
    }
    return error;
}

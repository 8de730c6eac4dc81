/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See table_parts.h. Part 0 is the file itself, parts 1 .. `shards` are the shards. Then come
 * schema.json, and for a .libsvm labels.npy.
 */
#include "pack/tables/table_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/format.h"
#include "toc/shard/dtype.h"

#define NAME_ROOM 32

/* The header of .npy version 1.0: magic, version, length of the text, and text up to a multiple of
 * 64. */
#define LABELS_HEADER_BYTES 128u

static int make_labels(const struct lod_data_table *table, struct lod_buf *into)
{
    char header[LABELS_HEADER_BYTES];

    memset(header, ' ', sizeof(header));
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    int bytes = snprintf(header + 10, sizeof(header) - 10,
                         "{'descr': '<f8', 'fortran_order': False, 'shape': (%" PRIu64 ",), }",
                         table->rows);
    header[10 + bytes] = ' ';
    header[LABELS_HEADER_BYTES - 1] = '\n';
    int error = lod_buf_append(into, header, sizeof(header));
    return error ? error
                 : lod_buf_append(into, table->text->labels.data, table->text->labels.bytes);
}

static struct lod_part own_part(const struct lod_data_table *table)
{
    if (!table->stored) {
        return (struct lod_part){.encoder = &lod_encoder_raw, .weight = table->file_bytes};
    }
    return (struct lod_part){.encoder = &lod_encoder_toc,
                             .weight = table->header_bytes,
                             .run_bytes = table->header_bytes,
                             .runs = 1};
}

static struct lod_part text_part(const struct lod_data_table *table, uint32_t shard)
{
    const struct lod_table_start *start = &table->starts[shard];
    const uint64_t weight = lod_shard_bytes_stored(12 * start->entries);

    return (struct lod_part){.encoder = &lod_encoder_toc,
                             .weight = weight,
                             .offset = start->byte,
                             .run_bytes = start[1].byte - start->byte,
                             .runs = 1};
}

static struct lod_part shard_part(const struct lod_data_table *table, uint32_t shard)
{
    const struct lod_shard_rows at = lod_table_shard(table, shard);
    const uint64_t element = lod_dtype_bytes(table->dtype), row_bytes = element * table->columns;

    if (table->text) {
        return text_part(table, shard);
    }
    struct lod_part part = {.encoder = &lod_encoder_toc,
                            .weight = lod_shard_bytes_stored(at.rows * row_bytes),
                            .offset = table->header_bytes + at.first * row_bytes,
                            .run_bytes = at.rows * row_bytes,
                            .runs = 1};
    if (table->by_column) {
        part.offset = table->header_bytes + at.first * element;
        part.run_bytes = at.rows * element;
        part.stride = table->rows * element;
        part.runs = table->columns;
    }
    return part;
}

static struct lod_part memory_part(const struct lod_buf *bytes)
{
    return (struct lod_part){
        .encoder = &lod_encoder_raw, .weight = bytes->bytes, .memory = lod_buf_span(bytes)};
}

int lod_table_parts_make(struct lod_table_found *found, struct lod_source *file)
{
    const struct lod_data_table *table = &found->table;
    const bool labels = table->kind == LOD_TABLE_LIBSVM;
    struct lod_part *at = calloc((size_t)table->shards + 3, sizeof(at[0]));
    int error = at ? 0 : -ENOMEM;

    if (!error && labels) {
        error = make_labels(table, &found->labels);
    }
    if (error) {
        free(at);
        return error;
    }
    at[0] = own_part(table);
    for (uint32_t i = 0; i < table->shards; i++) {
        at[1 + i] = shard_part(table, i);
    }
    at[1 + table->shards] = memory_part(&found->schema);
    at[2 + table->shards] = memory_part(&found->labels);
    found->parts =
        (struct lod_subitems){.at = at, .count = table->shards + 2 + labels, .table = table};
    file->parts = &found->parts;
    file->encoder = at[0].encoder;
    return 0;
}

static void name_part(const struct lod_subitems *parts, uint32_t part, char name[NAME_ROOM])
{
    const uint32_t shards = parts->table->shards;

    if (part <= shards) {
        snprintf(name, NAME_ROOM, "shard-%05" PRIu32 ".toc", part - 1);
    } else {
        snprintf(name, NAME_ROOM, "%s", part == shards + 1 ? "schema.json" : "labels.npy");
    }
}

static int add_folder(struct lod_source_list *list, uint32_t source, const char *path)
{
    const struct lod_source *table = &list->at[source];
    const struct lod_source folder = {.path = path,
                                      .mtime = table->mtime,
                                      .mode = (uint16_t)(table->mode | (table->mode & 0444) >> 2),
                                      .role = LOD_SOURCE_FOLDER,
                                      .added = true};

    return lod_source_list_add(list, &folder);
}

int lod_table_parts_add(struct lod_table_found *found, struct lod_source_list *list,
                        uint32_t source, const char *path)
{
    const bool first = found->folder_at == 0; /* index 0 is the root, so it means none */
    const struct lod_source table = list->at[source];
    char name[NAME_ROOM], file[LOD_PATH_MAX + 1];
    int error = add_folder(list, source, path);

    if (first) {
        found->folder_at = (uint32_t)list->count;
    }
    for (uint32_t part = 1; !error && part < found->parts.count; part++) {
        const uint32_t twin = found->folder_at + part - 1;
        struct lod_source added = {.path = file,
                                   .mtime = table.mtime,
                                   .mode = table.mode & 0666,
                                   .part = part,
                                   .added = true};
        name_part(&found->parts, part, name);
        snprintf(file, sizeof(file), "%s/%s", path, name);
        added.encoder = found->parts.at[part].encoder;
        added.parts = &found->parts;
        added.bytes = found->parts.at[part].memory.bytes;
        added.role = first ? LOD_SOURCE_FILE : LOD_SOURCE_EQUAL;
        added.owner = first ? found->file : twin;
        error = lod_source_list_add(list, &added);
    }
    return error;
}

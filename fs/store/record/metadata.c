/* SPDX-License-Identifier: Apache-2.0 */
/* All of a record's metadata; see metadata.h. */
#include "record/metadata.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "bytes.h"
#include "codec.h"
#include "framing/framing.h"
#include "sample/item_label.h"

static size_t offset_at(const struct lod_metadata *metadata, uint32_t slot)
{
    return (size_t)metadata->items * LOD_ROW_BYTES + (size_t)slot * 4;
}

static int read_once(struct lod_object *object, const struct lod_record_desc *recd, uint8_t *into)
{
    int error = lod_object_pread(object, LOD_RECORD_HEADER, into, recd->metadata_bytes);

    return error                                                                         ? error
           : lod_hash64(into, recd->metadata_bytes, recd->id.low) == recd->metadata_hash ? 0
                                                                                         : -EBADMSG;
}

static int read_bytes(struct lod_store *store, const struct lod_record_desc *recd, uint8_t *into)
{
    char name[sizeof(LOD_RECORDS_NAME) + sizeof(recd->path)];
    const struct lod_object_facts facts = {.bytes = recd->file_bytes, .key = recd->header_hash};
    struct lod_object *object = NULL;

    snprintf(name, sizeof(name), "%s/%s", LOD_RECORDS_NAME, recd->path);
    int error = lod_object_open_known(store, name, &facts, &object);
    if (error) {
        return error;
    }
    error = read_once(object, recd, into);
    if (error == -EBADMSG &&
        lod_object_report_wrong(object, LOD_RECORD_HEADER, recd->metadata_bytes)) {
        error = read_once(object, recd, into);
    }
    lod_object_close(object);
    return error;
}

int lod_metadata_read(struct lod_store *store, const struct lod_record_desc *recd,
                      struct lod_metadata *ret_metadata)
{
    struct lod_metadata metadata = {
        .bytes_count = recd->metadata_bytes, .items = recd->items, .codec = recd->codec};

    if (recd->metadata_bytes > LOD_RECORD_META_MAX || recd->items == 0 ||
        offset_at(&metadata, recd->items) > recd->metadata_bytes) {
        return -EILSEQ;
    }
    metadata.bytes = metadata.memory = malloc(recd->metadata_bytes);
    if (!metadata.bytes) {
        return -ENOMEM;
    }
    int error = read_bytes(store, recd, metadata.bytes);
    if (!error) {
        metadata.paths_at = lod_get_le32(metadata.bytes + offset_at(&metadata, 0));
        error = metadata.paths_at <= metadata.bytes_count ? 0 : -EILSEQ;
    }
    if (error) {
        free(metadata.bytes);
        return error;
    }
    *ret_metadata = metadata;
    return 0;
}

void lod_metadata_take(uint8_t *head, const struct lod_record_desc *recd,
                       struct lod_metadata *ret_metadata)
{
    struct lod_metadata metadata = {.bytes = head + LOD_RECORD_HEADER,
                                    .memory = head,
                                    .bytes_count = recd->metadata_bytes,
                                    .items = recd->items,
                                    .codec = recd->codec};

    metadata.paths_at = lod_get_le32(metadata.bytes + offset_at(&metadata, 0));
    *ret_metadata = metadata;
}

void lod_metadata_finish(struct lod_metadata *metadata)
{
    free(metadata->memory);
    *metadata = (struct lod_metadata){0};
}

int lod_metadata_path(const struct lod_metadata *metadata, uint32_t slot,
                      struct lod_path_entry *ret_entry)
{
    struct lod_path_entry entry = {.label = LOD_NO_LABEL};
    const uint8_t *row = metadata->bytes + (size_t)slot * LOD_ROW_BYTES;
    int error = 0;

    assert(slot < metadata->items);
    struct lod_cursor c = lod_cursor(metadata->bytes, metadata->bytes_count);
    lod_take(&c, lod_get_le32(metadata->bytes + offset_at(metadata, slot)));
    entry.mode = lod_take_le16(&c);
    entry.path_bytes = lod_take_le16(&c);
    entry.node_flags = lod_take_le32(&c);
    entry.mtime = (int64_t)lod_take_le64(&c);
    entry.path = (const char *)lod_take(&c, entry.path_bytes);
    if (lod_row_has_label(row)) {
        error = lod_item_label_take(&c, &entry.label);
    }
    if (!error && lod_row_flags(row) & LOD_ITEM_HAS_MAGIC) {
        error = lod_magics_take(&c, &entry.magics);
    }
    if (c.short_of_bytes || error) {
        return -EILSEQ;
    }
    *ret_entry = entry;
    return 0;
}

int lod_metadata_identify(const struct lod_metadata *metadata, const char *name,
                          struct lod_id *ret_id)
{
    struct lod_buf all = {0};

    int error = lod_buf_append(&all, &metadata->codec, 1);
    error = error ? error : lod_buf_append(&all, name, strlen(name));
    error = error ? error
                  : lod_buf_append(&all, metadata->bytes, (size_t)metadata->items * LOD_ROW_BYTES);
    error = error ? error
                  : lod_buf_append(&all, metadata->bytes + metadata->paths_at,
                                   metadata->bytes_count - metadata->paths_at);
    if (!error) {
        *ret_id = lod_hash128(all.data, all.bytes);
    }
    lod_buf_finish(&all);
    return error;
}

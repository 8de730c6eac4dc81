/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the list of a .tree record; see tree_list.h and FORMAT.md, Tree list. Only one frame is in
 * memory at a time, whatever the length of the list. tree_list.c writes it.
 */
#include "record/tree_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/format.h"
#include "index/manifest.h"
#include "record/record.h"

#define HEAD_BYTES 16 /* of an entry: kind, flags, mode, lengths, mtime */

struct lod_tree_reader {
    struct lod_record *record;
    cJSON *pack, *scans;
    uint64_t left;  /* bytes of the segment after `frame` */
    uint64_t frame; /* number of the next frame */
    uint8_t *bytes; /* the current frame */
    size_t count, at;
    int error; /* set by the first failure, returned by all later calls */
    char path[LOD_PATH_MAX + 1];
    char target[LOD_PATH_MAX + 1]; /* a path, or a link's target, which is shorter */
};

static int next_frame(struct lod_tree_reader *reader)
{
    if (reader->left == 0) {
        return -EILSEQ; /* an entry is incomplete */
    }
    uint32_t bytes = lod_record_frame_bytes(reader->record, 0, 1, reader->frame);
    int error = lod_record_read_frame(reader->record, 0, 1, reader->frame, reader->bytes);
    if (error) {
        return error;
    }
    reader->frame++;
    reader->left -= bytes;
    reader->count = bytes;
    reader->at = 0;
    return 0;
}

static int take(struct lod_tree_reader *reader, void *into, size_t bytes)
{
    uint8_t *to = into;

    while (bytes) {
        if (reader->at == reader->count) {
            int error = next_frame(reader);
            if (error) {
                return error;
            }
        }
        size_t step = reader->count - reader->at;
        step = step < bytes ? step : bytes;
        memcpy(to, reader->bytes + reader->at, step);
        to += step;
        reader->at += step;
        bytes -= step;
    }
    return 0;
}

/* Reads a length (u32) and that many bytes of JSON; the length 0 means no value. */
static int take_json(struct lod_tree_reader *reader, cJSON **ret_json)
{
    uint8_t length[4];

    int error = take(reader, length, sizeof(length));
    size_t bytes = error ? 0 : lod_get_le32(length);
    if (error || bytes == 0) {
        return error;
    }
    if (bytes > LOD_MANIFEST_BYTES_MAX) {
        return -EILSEQ;
    }
    char *text = malloc(bytes);
    if (!text) {
        return -ENOMEM;
    }
    error = take(reader, text, bytes);
    error = error ? error : lod_manifest_parse_json(text, bytes, ret_json);
    free(text);
    return error;
}

int lod_tree_reader_create(struct lod_record *record, struct lod_tree_reader **ret_reader)
{
    const struct lod_record_desc *recd = lod_record_desc_of(record);

    if (recd->codec != LOD_CODEC_TREE || recd->items != 1) {
        return -EINVAL;
    }
    struct lod_tree_reader *reader = calloc(1, sizeof(*reader));
    if (!reader) {
        return -ENOMEM;
    }
    reader->record = record;
    reader->left = lod_record_segment_bytes(record, 0, 1);
    reader->bytes = malloc((size_t)1 << recd->frame_shift);
    int error = reader->bytes ? 0 : -ENOMEM;
    error = error ? error : take_json(reader, &reader->pack);
    error = error ? error : take_json(reader, &reader->scans);
    if (!error && !cJSON_IsObject(reader->pack)) {
        error = -EILSEQ;
    }
    if (error) {
        lod_tree_reader_destroy(reader);
        return error;
    }
    *ret_reader = reader;
    return 0;
}

struct lod_tree_reader *lod_tree_reader_destroy(struct lod_tree_reader *reader)
{
    if (reader) {
        cJSON_Delete(reader->pack);
        cJSON_Delete(reader->scans);
        free(reader->bytes);
        free(reader);
    }
    return NULL;
}

cJSON *lod_tree_reader_pack(const struct lod_tree_reader *reader)
{
    return reader->pack;
}

cJSON *lod_tree_reader_scans(const struct lod_tree_reader *reader)
{
    return reader->scans;
}

/* Reads a string of `bytes` bytes and terminates it with NUL. A NUL inside is malformed. */
static int take_text(struct lod_tree_reader *reader, size_t bytes, char text[LOD_PATH_MAX + 1])
{
    if (bytes > LOD_PATH_MAX) {
        return -EILSEQ;
    }
    int error = take(reader, text, bytes);
    text[error ? 0 : bytes] = '\0';
    return error ? error : strlen(text) == bytes ? 0 : -EILSEQ;
}

static int take_entry(struct lod_tree_reader *reader, struct lod_tree_entry *ret_entry)
{
    uint8_t head[HEAD_BYTES];

    int error = take(reader, head, sizeof(head));
    if (error) {
        return error;
    }
    size_t path_bytes = lod_get_le16(head + 4), target_bytes = lod_get_le16(head + 6);
    error = take_text(reader, path_bytes, reader->path);
    error = error ? error : take_text(reader, target_bytes, reader->target);
    if (error) {
        return error;
    }
    *ret_entry = (struct lod_tree_entry){
        .kind = (enum lod_tree_kind)head[0],
        .mode = lod_get_le16(head + 2),
        .mtime = (int64_t)lod_get_le64(head + 8),
        .path = reader->path,
        .target = target_bytes ? reader->target : NULL,
        .flags = head[1],
    };
    return lod_tree_entry_valid(ret_entry, path_bytes, target_bytes) ? 0 : -EILSEQ;
}

int lod_tree_reader_next(struct lod_tree_reader *reader, struct lod_tree_entry *ret_entry)
{
    struct lod_tree_entry entry;

    if (!reader->error && reader->left == 0 && reader->at == reader->count) {
        return -ENOENT;
    }
    if (!reader->error) {
        reader->error = take_entry(reader, &entry);
    }
    if (!reader->error) {
        *ret_entry = entry;
    }
    return reader->error;
}

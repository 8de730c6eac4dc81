/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes one record (FORMAT.md, Record). The rows determine the place of every segment, so segments
 * are written in any order. Metadata and header are written last: a file without them is not a
 * record. pack decides the order of items and where records begin.
 */
#include "record/record_write.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "hash.h"
#include "backend/file_io.h"
#include "record/metadata.h"
#include "backend/name.h"
#include "record/record.h"
#include "record/record_header.h"
#include "sample/item_label.h"

/* One segment: where its bytes are, and where its hashes are. */
struct segment {
    uint64_t offset; /* in the file */
    uint64_t bytes;
    uint32_t first_frame; /* among all frames of the record */
};

struct lod_record_writer {
    int fd;
    const struct lod_codec *codec;
    struct lod_record_desc recd;
    struct segment *segments; /* items x LOD_GROUPS_MAX, slot by slot */
    uint32_t frames, frames_put;
    uint8_t *put;      /* one bit for each frame */
    uint8_t *metadata; /* complete except for the hashes, which lod_record_writer_put fills in */
    size_t hashes_at;  /* in metadata */
};

static uint64_t frames_of(uint64_t bytes, unsigned shift)
{
    return (bytes >> shift) + ((bytes & ((1ull << shift) - 1)) != 0);
}

static struct segment *segment_of(struct lod_record_writer *writer, uint32_t slot, unsigned group)
{
    assert(slot < writer->recd.items && group >= 1 && group <= LOD_GROUPS_MAX);
    return &writer->segments[(size_t)slot * LOD_GROUPS_MAX + group - 1];
}

/* Fills in the segments' lengths and the groups' sums. */
static int measure_segments(struct lod_record_writer *writer, const struct lod_record_slot *slots)
{
    const bool one_group = writer->codec->groups == 1;
    const uint64_t limit = one_group ? LOD_RECORD_BYTES_MAX : LOD_GROUP_BYTES_MAX;
    struct lod_record_desc *recd = &writer->recd;
    uint64_t bytes[LOD_GROUPS_MAX];

    for (uint32_t slot = 0; slot < recd->items; slot++) {
        int error = lod_codec_segments(writer->codec, slots[slot].row, bytes);
        if (error) {
            return error;
        }
        for (unsigned g = 1; g <= LOD_GROUPS_MAX; g++) {
            if (bytes[g - 1] > limit - recd->group_bytes[g - 1]) {
                return -E2BIG;
            }
            segment_of(writer, slot, g)->bytes = bytes[g - 1];
            recd->group_bytes[g - 1] += bytes[g - 1];
        }
    }
    return 0;
}

/* Numbers the frames slot by slot, group by group. */
static int number_frames(struct lod_record_writer *writer)
{
    struct lod_record_desc *recd = &writer->recd;
    uint64_t bytes = 0, frames = 0;

    for (unsigned g = 0; g < LOD_GROUPS_MAX; g++) {
        bytes += recd->group_bytes[g];
    }
    recd->frame_shift = writer->codec->frame_shift(bytes);
    assert(recd->frame_shift >= LOD_FRAME_SHIFT_MIN && recd->frame_shift <= LOD_FRAME_SHIFT_MAX);
    for (size_t i = 0; i < (size_t)recd->items * LOD_GROUPS_MAX; i++) {
        writer->segments[i].first_frame = (uint32_t)frames;
        frames += frames_of(writer->segments[i].bytes, recd->frame_shift);
        if (frames > LOD_RECORD_META_MAX / 8) {
            return -E2BIG;
        }
    }
    writer->frames = (uint32_t)frames;
    writer->put = calloc(frames / 8 + 1, 1);
    return writer->put ? 0 : -ENOMEM;
}

static size_t label_bytes(const struct lod_record_slot *slot)
{
    return lod_row_has_label(slot->row) ? LOD_ITEM_LABEL_BYTES : 0;
}

static bool slot_is_sound(const struct lod_record_slot *slot, uint8_t codec)
{
    const size_t path_bytes = strlen(slot->path);
    const bool has_magics = lod_row_flags(slot->row) & LOD_ITEM_HAS_MAGIC;

    return lod_path_valid(slot->path, path_bytes) &&
           (path_bytes == 0) == (codec == LOD_CODEC_TREE) && !(slot->mode & ~0777u) &&
           !(slot->node_flags & ~LOD_NODE_OF_FILE) && !lod_row_own_node(slot->row) &&
           has_magics == (slot->magics.bytes != 0);
}

static size_t entry_bytes(const struct lod_record_slot *slot)
{
    return LOD_PATH_ENTRY_BYTES + strlen(slot->path) + label_bytes(slot) + slot->magics.bytes;
}

/* Writes the path entry of a slot at `entry`, with its path, label and magic numbers behind it. */
static void put_entry(uint8_t *entry, const struct lod_record_slot *slot)
{
    const size_t path_bytes = strlen(slot->path);
    uint8_t *end = entry + LOD_PATH_ENTRY_BYTES + path_bytes;

    lod_put_le16(entry, slot->mode);
    lod_put_le16(entry + 2, (uint16_t)path_bytes);
    lod_put_le32(entry + 4, slot->node_flags);
    lod_put_le64(entry + 8, (uint64_t)slot->mtime);
    memcpy(entry + LOD_PATH_ENTRY_BYTES, slot->path, path_bytes);
    if (label_bytes(slot)) {
        lod_put_le32(end, (uint32_t)slot->label);
        end += label_bytes(slot);
    }
    if (slot->magics.bytes) {
        memcpy(end, slot->magics.at, slot->magics.bytes);
    }
}

/* Lays out the metadata: ITEM rows | offsets of the path entries | hashes, still 0 | path entries.
 */
static int lay_metadata(struct lod_record_writer *writer, const struct lod_record_slot *slots)
{
    struct lod_record_desc *recd = &writer->recd;
    const size_t rows = (size_t)recd->items * LOD_ROW_BYTES;
    size_t at = rows + (size_t)recd->items * 4 + (size_t)writer->frames * 8, bytes = at;

    for (uint32_t slot = 0; slot < recd->items; slot++) {
        if (!slot_is_sound(&slots[slot], recd->codec)) {
            return -EINVAL;
        }
        bytes += entry_bytes(&slots[slot]);
    }
    if (bytes > LOD_RECORD_META_MAX) {
        return -E2BIG;
    }
    writer->metadata = calloc(bytes, 1);
    if (!writer->metadata) {
        return -ENOMEM;
    }
    writer->hashes_at = rows + (size_t)recd->items * 4;
    for (uint32_t slot = 0; slot < recd->items; slot++) {
        memcpy(writer->metadata + (size_t)slot * LOD_ROW_BYTES, slots[slot].row, LOD_ROW_BYTES);
        lod_put_le32(writer->metadata + rows + (size_t)slot * 4, (uint32_t)at);
        put_entry(writer->metadata + at, &slots[slot]);
        at += entry_bytes(&slots[slot]);
    }
    recd->metadata_bytes = (uint32_t)bytes;
    return 0;
}

/* Header | metadata | group 1: slot 0, 1, ... | group 2: ... */
static int place_segments(struct lod_record_writer *writer)
{
    struct lod_record_desc *recd = &writer->recd;
    uint64_t at = LOD_RECORD_HEADER + recd->metadata_bytes;

    for (unsigned g = 1; g <= LOD_GROUPS_MAX; g++) {
        for (uint32_t slot = 0; slot < recd->items; slot++) {
            struct segment *segment = segment_of(writer, slot, g);
            segment->offset = at;
            at += segment->bytes;
        }
    }
    recd->file_bytes = at;
    return at > LOD_RECORD_BYTES_MAX ? -E2BIG : 0;
}

/* Computes the record's id from all that determines its contents. */
static int identify(struct lod_record_writer *writer, const char *name)
{
    const struct lod_record_desc *recd = &writer->recd;
    const struct lod_metadata metadata = {
        .bytes = writer->metadata,
        .bytes_count = recd->metadata_bytes,
        .paths_at = writer->hashes_at + (size_t)writer->frames * 8,
        .items = recd->items,
        .codec = recd->codec,
    };

    return lod_metadata_identify(&metadata, name, &writer->recd.id);
}

int lod_record_writer_create(int records_fd, const char *name, const struct lod_codec *codec,
                             uint32_t cut, const struct lod_record_slot *slots, uint32_t count,
                             struct lod_record_writer **ret_writer)
{
    if (count == 0 || count > LOD_RECORD_ITEMS_MAX ||
        strlen(name) >= sizeof(((struct lod_record_desc *)0)->path)) {
        return -E2BIG;
    }
    struct lod_record_writer *writer = calloc(1, sizeof(*writer));
    int error = -ENOMEM;

    if (!writer) {
        return error;
    }
    writer->fd = -1;
    writer->codec = codec;
    writer->recd = (struct lod_record_desc){
        .items = count, .codec = codec->id, .groups = codec->groups, .cut = cut};
    memcpy(writer->recd.path, name, strlen(name));
    writer->segments = calloc((size_t)count * LOD_GROUPS_MAX, sizeof(*writer->segments));
    if (!writer->segments) {
        goto out;
    }
    error = measure_segments(writer, slots);
    error = error ? error : number_frames(writer);
    error = error ? error : lay_metadata(writer, slots);
    error = error ? error : place_segments(writer);
    error = error ? error : identify(writer, name);
    error = error ? error : lod_file_create(records_fd, name, &writer->fd);
    if (!error) {
        *ret_writer = writer;
        return 0;
    }
out:
    lod_record_writer_destroy(writer);
    return error;
}

void lod_record_writer_set_apart(struct lod_record_writer *writer, bool apart)
{
    writer->recd.apart = apart;
}

/* Hashes one frame into the metadata; asserts that it was not put before. */
static void hash_frame(struct lod_record_writer *writer, uint32_t slot, unsigned group,
                       uint64_t frame, const void *data, size_t bytes)
{
    size_t number = segment_of(writer, slot, group)->first_frame + (size_t)frame;
    uint8_t bit = (uint8_t)(1u << (number & 7));
    uint64_t seed = lod_frame_seed(writer->recd.id, slot, group, frame);

    assert(!(writer->put[number / 8] & bit));
    writer->put[number / 8] |= bit;
    writer->frames_put++;
    lod_put_le64(writer->metadata + writer->hashes_at + number * 8, lod_hash64(data, bytes, seed));
}

int lod_record_writer_put(struct lod_record_writer *writer, uint32_t slot, unsigned group,
                          uint64_t offset, const void *data, size_t bytes)
{
    const struct segment *segment = segment_of(writer, slot, group);
    const unsigned shift = writer->recd.frame_shift;
    const uint64_t frame_bytes = 1ull << shift;

    assert(offset <= segment->bytes && bytes <= segment->bytes - offset);
    assert(offset % frame_bytes == 0);
    assert(bytes % frame_bytes == 0 || offset + bytes == segment->bytes);
    int error = lod_file_pwrite(writer->fd, segment->offset + offset, data, bytes);
    if (error) {
        return error;
    }
    for (size_t at = 0; at < bytes;) {
        size_t step = bytes - at < frame_bytes ? bytes - at : (size_t)frame_bytes;
        hash_frame(writer, slot, group, (offset + at) >> shift, (const uint8_t *)data + at, step);
        at += step;
    }
    return 0;
}

int lod_record_writer_finish(struct lod_record_writer *writer, struct lod_record_desc *ret_recd)
{
    struct lod_record_desc *recd = &writer->recd;
    uint8_t header[LOD_RECORD_HEADER];

    assert(writer->frames_put == writer->frames);
    recd->metadata_hash = lod_hash64(writer->metadata, recd->metadata_bytes, recd->id.low);
    recd->header_hash = lod_record_header_put(recd, header);
    int error =
        lod_file_pwrite(writer->fd, LOD_RECORD_HEADER, writer->metadata, recd->metadata_bytes);
    error = error ? error : lod_file_pwrite(writer->fd, 0, header, sizeof(header));
    error = error ? error : lod_file_sync(writer->fd);
    if (!error) {
        *ret_recd = *recd;
    }
    return error;
}

struct lod_record_writer *lod_record_writer_destroy(struct lod_record_writer *writer)
{
    if (writer) {
        lod_file_close(writer->fd);
        free(writer->segments);
        free(writer->put);
        free(writer->metadata);
        free(writer);
    }
    return NULL;
}

/*
 * A segment of L bytes has at most L / frame + 1 frames. The groups of a transcoded item, with a
 * kept source file in group 12, hold less than 4 times its source. The frame size of a record is
 * never smaller than that of a single item.
 */
uint64_t lod_record_metadata_bound(const struct lod_codec *codec, size_t path_bytes,
                                   uint64_t source_bytes)
{
    uint64_t most = codec->groups == 1 ? source_bytes : 4 * source_bytes;
    uint64_t frames = (most >> codec->frame_shift(most)) + codec->groups;

    return LOD_ROW_BYTES + 4 + 8 * frames + LOD_PATH_ENTRY_BYTES + path_bytes +
           LOD_ITEM_LABEL_BYTES;
}

int lod_store_id(const struct lod_entry_record *records, size_t count, struct lod_id *ret_id)
{
    struct lod_buf ids = {0};
    int error = 0;

    for (size_t i = 0; i < count && !error; i++) {
        error = lod_buf_append_le(&ids, 8, records[i].recd.id.low);
        error = error ? error : lod_buf_append_le(&ids, 8, records[i].recd.id.high);
    }
    if (!error) {
        *ret_id = lod_hash128(ids.data, ids.bytes);
    }
    lod_buf_finish(&ids);
    return error;
}

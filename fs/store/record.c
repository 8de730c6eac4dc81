/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One record opened for reading. Its metadata is read whole, checked and boiled down to the rows,
 * the hashes and one running sum a segment; path entries are checked, then dropped. FORMAT.md,
 * Record.
 *
 * Memory an item: 64 (row) + 4 (first frame) + 8 a frame, and a sum of 4 bytes a group, or of 8
 * where there is one group only, which alone may pass 2^32 bytes. An item of 11 groups of a frame
 * each takes 204 bytes, a raw one of a frame 84.
 */
#include "store/record.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "hash.h"
#include "store/name.h"
#include "store/record_header.h"
#include "store/rows.h"

/* An open record keeps a file open; charged so, a cache of 16 MiB keeps at most 512 of them. */
#define MEMORY_MIN (32u << 10)

struct lod_record {
    struct lod_object *object;
    struct lod_recd recd;
    const struct lod_codec *codec;
    uint64_t group_at[LOD_GROUPS_MAX]; /* file offsets */
    size_t memory;
    uint8_t *rows;         /* items x LOD_ROW_BYTES */
    uint8_t *hashes;       /* frames x u64, as in the file */
    uint32_t *first_frame; /* by slot, among all frames of the record */
    uint64_t *ends64;      /* one group: end of each slot's segment in it; else NULL */
    uint32_t *ends32;      /* more: the same, group by group; else NULL */
};

static uint64_t frames_of(uint64_t bytes, unsigned shift)
{
    return (bytes >> shift) + ((bytes & ((1ull << shift) - 1)) != 0);
}

/* Everything the index says of the record again. Both hashes may be right and still differ. */
static int check_header(const struct lod_recd *recd, const uint8_t header[LOD_RECORD_HEADER])
{
    struct lod_recd own = {0};

    int error = lod_record_header_take(header, &own);
    if (error) {
        return error;
    }
    bool same = own.header_hash == recd->header_hash && own.codec == recd->codec &&
                own.frame_shift == recd->frame_shift && own.groups == recd->groups &&
                own.id.low == recd->id.low && own.id.high == recd->id.high &&
                own.items == recd->items && own.metadata_bytes == recd->metadata_bytes &&
                own.file_bytes == recd->file_bytes && own.metadata_hash == recd->metadata_hash &&
                memcmp(own.group_bytes, recd->group_bytes, sizeof(own.group_bytes)) == 0 &&
                own.cut == recd->cut;
    return same ? 0 : -EBADMSG;
}

/* Frames of one item; its segments are added to `sums`, which stay within the groups. */
static int add_item(struct lod_record *record, const uint8_t *row, uint64_t sums[LOD_GROUPS_MAX],
                    uint64_t *ret_frames)
{
    const struct lod_recd *recd = &record->recd;
    uint64_t bytes[LOD_GROUPS_MAX], frames = 0;

    if (lod_row_own_node(row)) {
        return -EILSEQ;
    }
    int error = lod_codec_segments(record->codec, row, bytes);
    if (error) {
        return error;
    }
    for (unsigned g = 0; g < LOD_GROUPS_MAX; g++) {
        if (bytes[g] > recd->group_bytes[g] - sums[g]) {
            return -EILSEQ;
        }
        sums[g] += bytes[g];
        frames += frames_of(bytes[g], recd->frame_shift);
    }
    *ret_frames = frames; /* at most 12 x 2^40 / 2^16 */
    return 0;
}

static void keep_sums(struct lod_record *record, uint32_t slot, const uint64_t *sums)
{
    if (record->ends64) {
        record->ends64[slot] = sums[0];
        return;
    }
    for (unsigned g = 0; g < record->recd.groups; g++) {
        record->ends32[(size_t)g * record->recd.items + slot] = (uint32_t)sums[g];
    }
}

/* Walks the rows: running sums, frame numbers, and in *ret_frames how many hashes must follow. */
static int index_rows(struct lod_record *record, uint64_t *ret_frames)
{
    const struct lod_recd *recd = &record->recd;
    const uint64_t frames_max = recd->metadata_bytes / 8;
    uint64_t sums[LOD_GROUPS_MAX] = {0}, frames = 0, more = 0;

    for (uint32_t slot = 0; slot < recd->items; slot++) {
        record->first_frame[slot] = (uint32_t)frames;
        int error = add_item(record, record->rows + (size_t)slot * LOD_ROW_BYTES, sums, &more);
        if (error) {
            return error;
        }
        frames += more;
        if (frames > frames_max) {
            return -EILSEQ;
        }
        keep_sums(record, slot, sums);
    }
    if (memcmp(sums, recd->group_bytes, sizeof(sums)) != 0) {
        return -EILSEQ;
    }
    *ret_frames = frames;
    return 0;
}

static int check_path_entry(const struct lod_recd *recd, struct lod_cursor *c)
{
    uint16_t mode = lod_take_le16(c);
    uint16_t path_bytes = lod_take_le16(c);
    uint32_t node_flags = lod_take_le32(c);
    lod_take(c, 8); /* mtime */
    const uint8_t *path = lod_take(c, path_bytes);

    if (!path || (mode & ~0777u) || (node_flags & ~LOD_NODE_FLAGS) ||
        (path_bytes == 0) != (recd->codec == LOD_CODEC_TREE) ||
        !lod_path_valid((const char *)path, path_bytes)) {
        return -EILSEQ;
    }
    return 0;
}

/* The offsets, and behind the hashes one path entry a slot, without gaps, to the very end. */
static int check_paths(const struct lod_recd *recd, const uint8_t *metadata, size_t hashes_at,
                       uint64_t frames)
{
    const uint64_t start = hashes_at + frames * 8;
    struct lod_cursor offsets =
        lod_cursor(metadata + (size_t)recd->items * LOD_ROW_BYTES, (size_t)recd->items * 4);

    if (start > recd->metadata_bytes) {
        return -EILSEQ;
    }
    struct lod_cursor c = lod_cursor(metadata + start, recd->metadata_bytes - (size_t)start);
    for (uint32_t slot = 0; slot < recd->items; slot++) {
        if (lod_take_le32(&offsets) != recd->metadata_bytes - c.left) {
            return -EILSEQ;
        }
        int error = check_path_entry(recd, &c);
        if (error) {
            return error;
        }
    }
    return c.left == 0 ? 0 : -EILSEQ;
}

static int create_tables(struct lod_record *record)
{
    const struct lod_recd *recd = &record->recd;
    const size_t items = recd->items;
    const size_t sums = recd->groups == 1 ? items * 8 : items * 4 * recd->groups;

    record->rows = malloc(items * LOD_ROW_BYTES);
    record->first_frame = malloc(items * 4);
    if (recd->groups == 1) {
        record->ends64 = malloc(sums);
    } else {
        record->ends32 = malloc(sums);
    }
    record->memory = sizeof(*record) + items * (LOD_ROW_BYTES + 4) + sums;
    bool all = record->rows && record->first_frame && (record->ends64 || record->ends32);
    return all ? 0 : -ENOMEM;
}

static int parse_metadata(struct lod_record *record, const uint8_t *metadata)
{
    const struct lod_recd *recd = &record->recd;
    const size_t hashes_at = (size_t)recd->items * (LOD_ROW_BYTES + 4);
    uint64_t frames = 0;

    int error = create_tables(record);
    if (error) {
        return error;
    }
    memcpy(record->rows, metadata, (size_t)recd->items * LOD_ROW_BYTES);
    error = index_rows(record, &frames);
    error = error ? error : check_paths(recd, metadata, hashes_at, frames);
    if (error) {
        return error;
    }
    record->hashes = malloc((size_t)frames * 8 + 1);
    if (!record->hashes) {
        return -ENOMEM;
    }
    memcpy(record->hashes, metadata + hashes_at, (size_t)frames * 8);
    record->memory += (size_t)frames * 8;
    return 0;
}

static int take_head(struct lod_record *record, const uint8_t *head)
{
    const struct lod_recd *recd = &record->recd;
    const uint8_t *metadata = head + LOD_RECORD_HEADER;

    int error = check_header(recd, head);
    if (!error && lod_hash64(metadata, recd->metadata_bytes, recd->id.low) != recd->metadata_hash) {
        error = -EBADMSG;
    }
    return error ? error : parse_metadata(record, metadata);
}

/* Header and metadata lie side by side, so one request brings both. */
static int read_head(struct lod_record *record)
{
    const size_t bytes = (size_t)LOD_RECORD_HEADER + record->recd.metadata_bytes;
    uint8_t *head = malloc(bytes);

    if (!head) {
        return -ENOMEM;
    }
    int error = lod_object_pread(record->object, 0, head, bytes);
    error = error ? error : take_head(record, head);
    free(head);
    return error;
}

/* And what follows them. A head that cannot be had so is read by itself. */
static int load_head(struct lod_record *record, struct lod_stage *stage, uint64_t bytes)
{
    const uint64_t head_bytes = (uint64_t)LOD_RECORD_HEADER + record->recd.metadata_bytes;

    int error = lod_stage_load(stage, record->object, 0, bytes > head_bytes ? bytes : head_bytes);
    const uint8_t *head = error ? NULL : lod_stage_at(stage, 0, head_bytes);
    return head ? take_head(record, head) : read_head(record);
}

static int open_file(struct lod_store *store, struct lod_record *record)
{
    char name[sizeof(LOD_RECORDS_NAME) + sizeof(record->recd.path)];

    snprintf(name, sizeof(name), "%s/%s", LOD_RECORDS_NAME, record->recd.path);
    int error = lod_object_open(store, name, &record->object);
    if (error) {
        return error;
    }
    return lod_object_bytes(record->object) == record->recd.file_bytes ? 0 : -EBADMSG;
}

int lod_record_open(struct lod_store *store, const struct lod_recd *recd,
                    struct lod_record **ret_record)
{
    return lod_record_open_staged(store, recd, NULL, 0, ret_record);
}

int lod_record_open_staged(struct lod_store *store, const struct lod_recd *recd,
                           struct lod_stage *stage, uint64_t bytes, struct lod_record **ret_record)
{
    uint64_t at = (uint64_t)LOD_RECORD_HEADER + recd->metadata_bytes;
    int error = lod_recd_check(recd);

    if (error) {
        return error;
    }
    struct lod_record *record = calloc(1, sizeof(*record));
    if (!record) {
        return -ENOMEM;
    }
    record->recd = *recd;
    record->codec = lod_codec_find(recd->codec);
    for (unsigned g = 0; g < LOD_GROUPS_MAX; g++) {
        record->group_at[g] = at;
        at += recd->group_bytes[g];
    }
    error = open_file(store, record);
    if (!error) {
        error = stage ? load_head(record, stage, bytes) : read_head(record);
    }
    if (error) {
        lod_record_close(record);
        return error;
    }
    *ret_record = record;
    return 0;
}

struct lod_record *lod_record_close(struct lod_record *record)
{
    if (record) {
        lod_object_close(record->object);
        free(record->rows);
        free(record->hashes);
        free(record->first_frame);
        free(record->ends64);
        free(record->ends32);
        free(record);
    }
    return NULL;
}

const struct lod_recd *lod_record_recd(const struct lod_record *record)
{
    return &record->recd;
}

size_t lod_record_memory(const struct lod_record *record)
{
    return record->memory > MEMORY_MIN ? record->memory : MEMORY_MIN;
}

const uint8_t *lod_record_row(const struct lod_record *record, uint32_t slot)
{
    assert(slot < record->recd.items);
    return record->rows + (size_t)slot * LOD_ROW_BYTES;
}

/* End of the segment within its group. */
static uint64_t end_of(const struct lod_record *record, uint32_t slot, unsigned group)
{
    return record->ends64 ? record->ends64[slot]
                          : record->ends32[(size_t)(group - 1) * record->recd.items + slot];
}

static uint64_t start_of(const struct lod_record *record, uint32_t slot, unsigned group)
{
    return slot ? end_of(record, slot - 1, group) : 0;
}

uint64_t lod_record_segment_bytes(const struct lod_record *record, uint32_t slot, unsigned group)
{
    assert(slot < record->recd.items && group >= 1 && group <= LOD_GROUPS_MAX);
    if (group > record->recd.groups) {
        return 0;
    }
    return end_of(record, slot, group) - start_of(record, slot, group);
}

uint64_t lod_record_segment_offset(const struct lod_record *record, uint32_t slot, unsigned group)
{
    assert(slot < record->recd.items && group >= 1 && group <= record->recd.groups);
    return record->group_at[group - 1] + start_of(record, slot, group);
}

uint32_t lod_record_frame_bytes(const struct lod_record *record, uint32_t slot, unsigned group,
                                uint64_t frame)
{
    const uint64_t frame_bytes = 1ull << record->recd.frame_shift;
    uint64_t bytes = lod_record_segment_bytes(record, slot, group);

    assert(frame < frames_of(bytes, record->recd.frame_shift));
    uint64_t left = bytes - frame * frame_bytes;
    return (uint32_t)(left < frame_bytes ? left : frame_bytes);
}

/* Where the frame's hash stands: behind those of earlier slots, then of earlier groups. */
static uint64_t hash_of(const struct lod_record *record, uint32_t slot, unsigned group,
                        uint64_t frame)
{
    uint64_t number = record->first_frame[slot] + frame;

    for (unsigned g = 1; g < group; g++) {
        number += frames_of(lod_record_segment_bytes(record, slot, g), record->recd.frame_shift);
    }
    return lod_get_le64(record->hashes + number * 8);
}

int lod_record_load(struct lod_record *record, struct lod_stage *stage, uint64_t from, uint64_t to)
{
    return lod_stage_load(stage, record->object, from, to);
}

int lod_record_pread(struct lod_record *record, uint64_t offset, void *into, size_t bytes)
{
    return lod_object_pread(record->object, offset, into, bytes);
}

bool lod_record_frame_sound(const struct lod_record *record, uint32_t slot, unsigned group,
                            uint64_t frame, const uint8_t *data)
{
    uint32_t bytes = lod_record_frame_bytes(record, slot, group, frame);
    uint64_t seed = lod_frame_seed(record->recd.id, slot, group, frame);

    return lod_hash64(data, bytes, seed) == hash_of(record, slot, group, frame);
}

int lod_record_read_frame(struct lod_record *record, uint32_t slot, unsigned group, uint64_t frame,
                          uint8_t *into)
{
    uint32_t bytes = lod_record_frame_bytes(record, slot, group, frame);
    uint64_t offset =
        lod_record_segment_offset(record, slot, group) + (frame << record->recd.frame_shift);

    int error = lod_object_pread(record->object, offset, into, bytes);
    if (!error && !lod_record_frame_sound(record, slot, group, frame, into)) {
        error = -EBADMSG;
    }
    return error;
}

uint64_t lod_frame_seed(struct lod_id record_id, uint32_t slot, unsigned group, uint64_t frame)
{
    uint8_t place[28] = {0}; /* record_id | u32 slot | u16 group | u16 0 | u32 frame */

    lod_put_le64(place, record_id.low);
    lod_put_le64(place + 8, record_id.high);
    lod_put_le32(place + 16, slot);
    lod_put_le16(place + 20, (uint16_t)group);
    lod_put_le32(place + 24, (uint32_t)frame);
    return lod_hash64(place, sizeof(place), 0);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One record opened for reading: its head is read whole and checked against the index; see
 * record_tables.h for what is kept of it. FORMAT.md, Record.
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
#include "store/record_header.h"
#include "store/record_tables.h"
#include "store/rows.h"

/* An open record keeps a file open; charged so, a cache of 16 MiB keeps at most 512 of them. */
#define MEMORY_MIN (32u << 10)

struct lod_record {
    struct lod_object *object;
    struct lod_recd recd;
    uint64_t group_at[LOD_GROUPS_MAX]; /* file offsets */
    struct lod_record_tables tables;
};

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

static int take_head(struct lod_record *record, const uint8_t *head)
{
    const struct lod_recd *recd = &record->recd;
    const uint8_t *metadata = head + LOD_RECORD_HEADER;

    int error = check_header(recd, head);
    if (!error && lod_hash64(metadata, recd->metadata_bytes, recd->id.low) != recd->metadata_hash) {
        error = -EBADMSG;
    }
    return error ? error : lod_record_tables_take(&record->tables, recd, metadata);
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
        lod_record_tables_finish(&record->tables);
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
    size_t memory = sizeof(*record) + record->tables.memory;

    return memory > MEMORY_MIN ? memory : MEMORY_MIN;
}

const uint8_t *lod_record_row(const struct lod_record *record, uint32_t slot)
{
    assert(slot < record->recd.items);
    return record->tables.rows + (size_t)slot * LOD_ROW_BYTES;
}

static uint64_t start_of(const struct lod_record *record, uint32_t slot, unsigned group)
{
    return slot ? lod_record_tables_end(&record->tables, &record->recd, slot - 1, group) : 0;
}

uint64_t lod_record_segment_bytes(const struct lod_record *record, uint32_t slot, unsigned group)
{
    assert(slot < record->recd.items && group >= 1 && group <= LOD_GROUPS_MAX);
    if (group > record->recd.groups) {
        return 0;
    }
    return lod_record_tables_end(&record->tables, &record->recd, slot, group) -
           start_of(record, slot, group);
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

    assert(frame < lod_frames_of(bytes, record->recd.frame_shift));
    uint64_t left = bytes - frame * frame_bytes;
    return (uint32_t)(left < frame_bytes ? left : frame_bytes);
}

/* Where the frame's hash stands: behind those of earlier slots, then of earlier groups. */
static uint64_t hash_of(const struct lod_record *record, uint32_t slot, unsigned group,
                        uint64_t frame)
{
    uint64_t number = record->tables.first_frame[slot] + frame;

    for (unsigned g = 1; g < group; g++) {
        number +=
            lod_frames_of(lod_record_segment_bytes(record, slot, g), record->recd.frame_shift);
    }
    return lod_get_le64(record->tables.hashes + number * 8);
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

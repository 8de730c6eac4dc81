/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One record opened for reading. Its header and metadata are read completely and checked against
 * the index. record_tables.h describes the parts that stay in memory. FORMAT.md, Record.
 */
#include "record/record.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "hash.h"
#include "record/record_header.h"
#include "record/record_tables.h"
#include "index/rows.h"

/* The least charge for an open record, since it keeps a file open. With it a cache of 16 MiB keeps
 * at most 512 records. */
#define MEMORY_MIN (32u << 10)

struct lod_record {
    struct lod_blob blob; /* first */
    struct lod_object *object;
    struct lod_record_desc recd;
    uint64_t group_at[LOD_GROUPS_MAX]; /* file offsets */
    struct lod_record_tables tables;
};

/* Compares the header with the index row. They can differ although both hashes are right. */
static int check_header(const struct lod_record_desc *recd, const uint8_t header[LOD_RECORD_HEADER])
{
    struct lod_record_desc own = {0};

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
                own.cut == recd->cut && own.apart == recd->apart;
    return same ? 0 : -EBADMSG;
}

static int take_head(struct lod_record *record, const uint8_t *head)
{
    const struct lod_record_desc *recd = &record->recd;
    const uint8_t *metadata = head + LOD_RECORD_HEADER;

    int error = check_header(recd, head);
    if (!error && lod_hash64(metadata, recd->metadata_bytes, recd->id.low) != recd->metadata_hash) {
        error = -EBADMSG;
    }
    return error ? error : lod_record_tables_take(&record->tables, recd, metadata);
}

/* Reads header and metadata, which are adjacent, in one request. `ret_head`: see
 * lod_record_open_loaded. */
static int read_head_once(struct lod_record *record, uint8_t **ret_head)
{
    const size_t bytes = (size_t)lod_record_desc_end(&record->recd, 0);
    uint8_t *head = malloc(bytes);

    if (!head) {
        return -ENOMEM;
    }
    int error = lod_object_pread(record->object, 0, head, bytes);
    error = error ? error : take_head(record, head);
    if (!error && ret_head) {
        *ret_head = head;
        return 0;
    }
    free(head);
    return error;
}

/* Reports a wrong hash. Returns whether a copy or a connection may be the cause, so that another
 * read can succeed. */
static bool report_wrong_head(struct lod_record *record, int error)
{
    return error == -EBADMSG &&
           lod_object_report_wrong(record->object, 0,
                                   (size_t)lod_record_desc_end(&record->recd, 0));
}

static int read_head(struct lod_record *record, uint8_t **ret_head)
{
    int error = read_head_once(record, ret_head);

    return report_wrong_head(record, error) ? read_head_once(record, ret_head) : error;
}

/* Reads header and metadata by one load into `buffer`, which also fetches the `bytes` bytes of
 * groups after them. If that fails, reads only header and metadata. */
static int load_head(struct lod_record *record, struct lod_io_buffer *buffer, uint64_t bytes)
{
    const uint64_t head_bytes = lod_record_desc_end(&record->recd, 0);

    int error =
        lod_io_buffer_load(buffer, record->object, 0, bytes > head_bytes ? bytes : head_bytes);
    const uint8_t *head = error ? NULL : lod_io_buffer_at(buffer, 0, head_bytes);
    error = head ? take_head(record, head) : -EIO;
    if (report_wrong_head(record, error)) {
        lod_io_buffer_clear(buffer);
        error = -EIO;
    }
    return error == -EIO ? read_head(record, NULL) : error;
}

static void destroy(struct lod_blob *blob)
{
    struct lod_record *record = lod_record_of_blob(blob);

    lod_object_close(record->object);
    lod_record_tables_finish(&record->tables);
    free(record);
}

int lod_record_file_open(struct lod_store *store, const struct lod_record_desc *recd,
                         struct lod_object **ret_object)
{
    char name[sizeof(LOD_RECORDS_NAME) + sizeof(recd->path)];
    const struct lod_object_facts facts = {.bytes = recd->file_bytes, .key = recd->header_hash};

    snprintf(name, sizeof(name), "%s/%s", LOD_RECORDS_NAME, recd->path);
    return lod_object_open_known(store, name, &facts, ret_object);
}

int lod_record_open(struct lod_store *store, const struct lod_record_desc *recd,
                    struct lod_record **ret_record)
{
    return lod_record_open_loaded(store, recd, NULL, 0, NULL, ret_record);
}

int lod_record_open_loaded(struct lod_store *store, const struct lod_record_desc *recd,
                           struct lod_io_buffer *buffer, uint64_t bytes, uint8_t **ret_head,
                           struct lod_record **ret_record)
{
    uint64_t at = (uint64_t)LOD_RECORD_HEADER + recd->metadata_bytes;
    int error = lod_record_desc_check(recd);

    if (error) {
        return error;
    }
    struct lod_record *record = calloc(1, sizeof(*record));
    if (!record) {
        return -ENOMEM;
    }
    record->recd = *recd;
    record->blob.destroy = destroy;
    atomic_init(&record->blob.refs, 1);
    for (unsigned g = 0; g < LOD_GROUPS_MAX; g++) {
        record->group_at[g] = at;
        at += recd->group_bytes[g];
    }
    error = lod_record_file_open(store, recd, &record->object);
    if (!error) {
        error = buffer ? load_head(record, buffer, bytes) : read_head(record, ret_head);
    }
    if (error) {
        lod_record_close(record);
        return error;
    }
    size_t memory = sizeof(*record) + record->tables.memory;
    record->blob.bytes = memory > MEMORY_MIN ? memory : MEMORY_MIN;
    *ret_record = record;
    return 0;
}

struct lod_record *lod_record_close(struct lod_record *record)
{
    lod_blob_unref(record ? &record->blob : NULL);
    return NULL;
}

struct lod_blob *lod_record_blob(struct lod_record *record)
{
    return &record->blob;
}

struct lod_record *lod_record_of_blob(struct lod_blob *blob)
{
    return (struct lod_record *)blob;
}

const struct lod_record_desc *lod_record_desc_of(const struct lod_record *record)
{
    return &record->recd;
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

int lod_record_place(const struct lod_record *record, uint32_t slot, unsigned group, uint64_t frame,
                     struct lod_place *ret_place)
{
    const unsigned shift = record->recd.frame_shift;
    uint64_t bytes =
        group <= record->recd.groups ? lod_record_segment_bytes(record, slot, group) : 0;

    if (frame >= lod_frames_of(bytes, shift)) {
        return -EILSEQ; /* the row of the plan is malformed */
    }
    uint64_t left = bytes - (frame << shift);
    ret_place->offset = lod_record_segment_offset(record, slot, group) + (frame << shift);
    ret_place->bytes = (uint32_t)(left < 1ull << shift ? left : 1ull << shift);
    return 0;
}

/* Returns a frame's hash. Hashes are ordered by slot, then by group. */
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

int lod_record_load(struct lod_record *record, struct lod_io_buffer *buffer, uint64_t from,
                    uint64_t to)
{
    return lod_io_buffer_load(buffer, record->object, from, to);
}

uint64_t lod_record_copied(struct lod_record *record, uint64_t from, uint64_t to)
{
    return lod_object_copied(record->object, from, to);
}

void lod_record_offer(struct lod_record *record, struct lod_io_buffer *buffer)
{
    lod_io_buffer_offer(buffer, record->object);
}

int lod_record_in_memory(const struct lod_record *record, const struct lod_place *place,
                         bool *ret_is)
{
    return lod_object_in_memory(record->object, place->offset, place->bytes, ret_is);
}

void lod_record_groups(const struct lod_record *record, unsigned first, unsigned last,
                       uint64_t *ret_from, uint64_t *ret_to)
{
    const unsigned end = last < record->recd.groups ? last : record->recd.groups;

    assert(first >= 1 && first <= LOD_GROUPS_MAX);
    *ret_from = *ret_to = record->group_at[first - 1];
    if (end >= first) {
        *ret_to = record->group_at[end - 1] + record->recd.group_bytes[end - 1];
    }
}

int lod_record_pread(struct lod_record *record, uint64_t offset, void *into, size_t bytes)
{
    return lod_object_pread(record->object, offset, into, bytes);
}

int lod_record_read(struct lod_record *record, struct lod_range *ranges, unsigned count,
                    struct lod_read_time *ret_time)
{
    return lod_object_read(record->object, ranges, count, LOD_READ_DEMAND, ret_time);
}

bool lod_record_report_wrong(struct lod_record *record, const struct lod_place *place)
{
    return lod_object_report_wrong(record->object, place->offset, place->bytes);
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
    struct lod_place place;
    bool sound = false, again = true;
    int error = lod_record_place(record, slot, group, frame, &place);

    while (!error && !sound && again) {
        error = lod_object_pread(record->object, place.offset, into, place.bytes);
        sound = !error && lod_record_frame_sound(record, slot, group, frame, into);
        again = !error && !sound && lod_record_report_wrong(record, &place);
    }
    return error || sound ? error : -EBADMSG;
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

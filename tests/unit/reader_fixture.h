/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reader over made-up frames, for test_reader.c and test_made.c: the dataset's functions it calls
 * are this file's own. Each test file says what lod_dataset_item gives, by item_of.
 */
#ifndef READER_FIXTURE_H
#define READER_FIXTURE_H

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pinned.h"
#include "reader.h"

#define SHIFT       16
#define FRAME_BYTES (1u << SHIFT)

static struct lod_item item_of(uint32_t number);
static atomic_uint frames_read, reads, frames_failed;
static uint64_t segment_frames = 40;
static unsigned bad_group; /* whose frames are unsound */
static int item_error;     /* what lod_dataset_item_failed was told last */
static int frame_error;
static uint32_t bad_item; /* whose frames cannot be read */
static uint32_t items_end = UINT32_MAX;
static uint64_t frame_short; /* bytes missing at the end of each frame */

/* Byte `at` of a segment, different for each group and item. */
static uint8_t byte_of(const struct lod_item *item, unsigned group, uint64_t at)
{
    return (uint8_t)((at * 2654435761u >> 13) + group * 17 + item->number);
}

/* A record that is always open; where a frame lies says which it is. */
struct opened {
    struct lod_pinned pinned;
    struct lod_item item;
};

static void destroy_opened(struct lod_blob *blob)
{
    free(blob);
}

int lod_dataset_pin(struct lod_dataset *dataset, const struct lod_item *of,
                    struct lod_pinned **ret_pinned)
{
    struct opened *opened = calloc(1, sizeof(*opened));

    (void)dataset;
    opened->item = *of;
    opened->pinned.blob.destroy = destroy_opened;
    atomic_init(&opened->pinned.blob.refs, 1);
    *ret_pinned = &opened->pinned;
    return 0;
}

/* A group of the file: its slots one after the other, segment_frames whole frames each. */
#define GROUP_AT 40

int lod_pinned_place(const struct lod_pinned *pinned, uint32_t slot, unsigned group, uint64_t frame,
                     struct lod_place *ret_place)
{
    (void)pinned;
    if (group < 1 || group > LOD_GROUPS_MAX || frame >= segment_frames) {
        return -EILSEQ;
    }
    ret_place->offset = (uint64_t)group << GROUP_AT | (slot * segment_frames + frame) << SHIFT;
    ret_place->bytes = (uint32_t)(FRAME_BYTES - frame_short);
    return 0;
}

int lod_pinned_read(struct lod_pinned *pinned, uint64_t offset, void *into, size_t bytes)
{
    const struct opened *opened = (const struct opened *)pinned;

    reads++;
    for (size_t i = 0; i < bytes; i++) {
        uint64_t at = (offset + i) & ((1ull << GROUP_AT) - 1), number = at >> SHIFT;
        struct lod_item of = opened->item;
        of.number = of.recd.first_item + (uint32_t)(number / segment_frames);
        at = number % segment_frames * FRAME_BYTES + at % FRAME_BYTES;
        ((uint8_t *)into)[i] = byte_of(&of, (unsigned)(offset >> GROUP_AT), at);
    }
    return opened->item.number == bad_item ? -EIO : frame_error;
}

int lod_dataset_pin_staged(struct lod_dataset *dataset, const struct lod_item *of,
                           struct lod_stage *stage, uint64_t bytes, struct lod_pinned **ret_pinned)
{
    (void)stage;
    (void)bytes;
    return lod_dataset_pin(dataset, of, ret_pinned);
}

/* A load of what it is asked for, no more. */
int lod_pinned_load(struct lod_pinned *pinned, struct lod_stage *stage, uint64_t from, uint64_t to)
{
    stage->memory = stage->memory ? stage->memory : malloc(LOD_STAGE_BYTES);
    stage->from = from;
    stage->to = to < lod_stage_reach(from) ? to : lod_stage_reach(from);
    int error = lod_pinned_read(pinned, from, stage->memory, stage->to - from);
    if (!error) {
        stage->loads++;
        stage->bytes += stage->to - from;
    }
    return error;
}

/* Each frame that is read is checked, once. */
bool lod_pinned_sound(const struct lod_pinned *pinned, uint32_t slot, unsigned group,
                      uint64_t frame, const uint8_t *data)
{
    const struct opened *opened = (const struct opened *)pinned;

    struct lod_item of = opened->item;

    of.number = of.recd.first_item + slot;
    frames_read++;
    return group != bad_group && data[0] == byte_of(&of, group, frame << SHIFT);
}

static uint64_t store_bytes; /* of all groups together */

uint64_t lod_dataset_record_opens(struct lod_dataset *dataset)
{
    (void)dataset;
    return 0;
}

static struct lod_pace index_pace;

const struct lod_pace *lod_dataset_index_pace(const struct lod_dataset *dataset)
{
    (void)dataset;
    return &index_pace;
}

uint64_t lod_dataset_groups_bytes(struct lod_dataset *dataset, unsigned groups)
{
    (void)dataset;
    (void)groups;
    return store_bytes;
}

int lod_dataset_frame_failed(struct lod_dataset *dataset, const struct lod_item *of, unsigned group,
                             uint64_t frame, uint64_t offset, int error)
{
    (void)dataset;
    (void)of;
    (void)group;
    (void)frame;
    (void)offset;
    frames_failed++;
    return error == -ENOMEM || error == -EINTR ? error : -EIO;
}

int lod_dataset_item(struct lod_dataset *dataset, uint32_t number, struct lod_item *ret_item)
{
    (void)dataset;
    if (number >= items_end) {
        return -ENOENT;
    }
    *ret_item = item_of(number);
    return 0;
}

int lod_dataset_item_failed(struct lod_dataset *dataset, const struct lod_item *item, int error)
{
    (void)dataset;
    (void)item;
    item_error = error;
    return -EIO;
}

static struct lod_item item = {
    .number = 12,
    .recd = {.number = 3,
             .first_item = 10,
             .items = 5,
             .frame_shift = SHIFT,
             .group_bytes = {1ull << 40}}}; /* no cache holds a prefix of it */
static struct lod_reader *reader;

static inline void setup(void)
{
    cr_assert_eq(lod_reader_create(NULL, 64 << 20, 64 << 20, &reader), 0);
}

static inline void teardown(void)
{
    lod_reader_destroy(reader);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reader over invented frames: reader_fixture.c defines the dataset's functions that the reader
 * calls. Each test file assigns `items_of`, whose rows lod_dataset_item returns.
 */
#ifndef READER_FIXTURE_H
#define READER_FIXTURE_H

#include <criterion/criterion.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "record/record.h"
#include "read/reader.h"

#define SHIFT       16
#define FRAME_BYTES (1u << SHIFT)

extern struct lod_item (*items_of)(uint32_t number);
extern atomic_uint frames_read, reads, frames_failed;
extern uint64_t segment_frames;
extern unsigned bad_group; /* its frames have wrong hashes */
extern unsigned
    wrong_reads_left; /* number of reports of a wrong hash after which frames are right */
/* Group g begins at g << GROUP_AT in the file, its slots one after the other with segment_frames
 * whole frames each. */
#define GROUP_AT 40
extern bool copy_kept; /* lod_dataset_copies, with */
extern uint64_t copy_room;
extern uint64_t lists_room;     /* lod_dataset_lists_bytes */
extern uint32_t copied_records; /* bits by number: lod_dataset_groups_copied */
/* The last call of lod_dataset_listed: the number of records, their sums, and the second key. */
extern uint64_t listed_keys, listed_sum, listed_bytes, listed_at[4];
extern uint64_t copied_to;     /* see lod_record_copied */
extern uint64_t offered_bytes; /* to the copy */
extern unsigned side_by_side;  /* ranges that the store reads at once; 0: 1 */
extern unsigned most_ranges;   /* of one lod_record_read */
extern int item_error;         /* the last error passed to lod_dataset_item_failed */
extern int frame_error;
extern uint32_t bad_item; /* its frames cannot be read */
extern uint32_t items_end;
/* loads of this record wait until the field has another value */
extern atomic_uint_fast32_t stalled_record;
extern atomic_uint loads_stalled;
extern unsigned open_us;     /* how long it takes to open a record */
extern uint64_t frame_short; /* bytes missing at the end of each frame */
extern uint64_t store_bytes; /* of all groups together */
extern bool shared_store;
/* Without this, loads take no time, and after a dozen of them no more are made. */
extern bool as_slow_as_a_disk;
extern unsigned groups_in_memory; /* of a shared store's records: bit k is group k */
extern struct lod_io_estimate index_pace;
extern struct lod_item item;
extern struct lod_reader *reader;

/* Returns an item of codec pcr in records of `items` items; the caller sets the groups' bytes. */
struct lod_item item_in_record(uint32_t number, uint32_t items, unsigned groups);

/* Returns byte `at` of a segment, different for each group and item. */
uint8_t byte_of(const struct lod_item *of, unsigned group, uint64_t at);

void setup(void);
void teardown(void);

#endif

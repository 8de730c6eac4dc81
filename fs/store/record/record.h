/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One record opened for reading: the places of its segments and frames, and their hashes
 * (FORMAT.md, Record). Offsets are computed from the rows, never read from the file.
 */
#ifndef LOD_RECORD_H
#define LOD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec.h"
#include "compiler.h"
#include "memory/blob.h"
#include "index/index.h"
#include "backend/io_buffer.h"
#include "backend/store.h"

struct lod_record;

/*
 * Opens record `recd`, reads its metadata and checks it against the index row. Returns -EBADMSG if
 * header or metadata differ from the index, -EILSEQ if they are malformed, -EIO or -ENOENT for
 * errors of the file.
 */
LOD_MUST_CHECK int lod_record_open(struct lod_store *store, const struct lod_record_desc *recd,
                                   struct lod_record **ret_record);

/* Opens only the record's file. Returns -EBADMSG if its size differs from the index. */
LOD_MUST_CHECK int lod_record_file_open(struct lod_store *store, const struct lod_record_desc *recd,
                                        struct lod_object **ret_object);

/*
 * The same by one load of the first `bytes` of the file, which include header and metadata. They
 * stay in the buffer. If the buffer is NULL, only header and metadata are read, and *ret_head gets
 * them as they were read and checked; the caller frees them. `ret_head` may be NULL.
 */
LOD_MUST_CHECK int lod_record_open_loaded(struct lod_store *store,
                                          const struct lod_record_desc *recd,
                                          struct lod_io_buffer *buffer, uint64_t bytes,
                                          uint8_t **ret_head, struct lod_record **ret_record);

/* Drops a reference; the last one closes the record. Accepts NULL, returns NULL. */
struct lod_record *lod_record_close(struct lod_record *record);

/*
 * Converts the record to a blob, for a cache, and back. The blob's size is the memory of the open
 * record, at least 32 KiB, so that a cache of 16 MiB keeps at most 512 files open.
 */
struct lod_blob *lod_record_blob(struct lod_record *record);
struct lod_record *lod_record_of_blob(struct lod_blob *blob);

const struct lod_record_desc *lod_record_desc_of(const struct lod_record *record);

/* Returns the row of a slot, from the record's own metadata (own node 0); borrowed. */
const uint8_t *lod_record_row(const struct lod_record *record, uint32_t slot);

/* Returns the bytes of a slot's segment in `group` (1 .. 12); 0 past the record's groups. */
uint64_t lod_record_segment_bytes(const struct lod_record *record, uint32_t slot, unsigned group);

/* Returns the bytes of a frame of that segment: 2^frame_shift except for the last frame. */
uint32_t lod_record_frame_bytes(const struct lod_record *record, uint32_t slot, unsigned group,
                                uint64_t frame);

/* Returns the file offset of a segment. */
uint64_t lod_record_segment_offset(const struct lod_record *record, uint32_t slot, unsigned group);

struct lod_place {
    uint64_t offset; /* in the file */
    uint32_t bytes;
};

/*
 * Finds the place of a frame. Returns -EILSEQ if the slot's segment in `group` has no such frame.
 */
LOD_MUST_CHECK int lod_record_place(const struct lod_record *record, uint32_t slot, unsigned group,
                                    uint64_t frame, struct lod_place *ret_place);

/* Reads one frame into `into` and checks its hash, once more if a network can have changed it.
 * Returns -EBADMSG if the hash differs. Any thread. */
LOD_MUST_CHECK int lod_record_read_frame(struct lod_record *record, uint32_t slot, unsigned group,
                                         uint64_t frame, uint8_t *into);

/* Reads bytes of the file without a check. lod_record_frame_sound returns whether a frame's
 * `data` has the right hash. A reader waits for them (LOD_READ_DEMAND); see lod_object_read.
 * Any thread. */
LOD_MUST_CHECK int lod_record_pread(struct lod_record *record, uint64_t offset, void *into,
                                    size_t bytes);
LOD_MUST_CHECK int lod_record_read(struct lod_record *record, struct lod_range *ranges,
                                   unsigned count, struct lod_read_time *ret_time);
/* Reports to the store that the frame at `place` has a wrong hash; see lod_object_report_wrong. */
LOD_MUST_CHECK bool lod_record_report_wrong(struct lod_record *record,
                                            const struct lod_place *place);
/* See lod_object_in_memory. */
LOD_MUST_CHECK int lod_record_in_memory(const struct lod_record *record,
                                        const struct lod_place *place, bool *ret_is);

/* Returns the range [*ret_from, *ret_to) of the file with groups first .. last of all slots. */
void lod_record_groups(const struct lod_record *record, unsigned first, unsigned last,
                       uint64_t *ret_from, uint64_t *ret_to);
LOD_MUST_CHECK int lod_record_load(struct lod_record *record, struct lod_io_buffer *buffer,
                                   uint64_t from, uint64_t to);
/* See lod_object_copied and lod_io_buffer_offer. */
uint64_t lod_record_copied(struct lod_record *record, uint64_t from, uint64_t to);
void lod_record_offer(struct lod_record *record, struct lod_io_buffer *buffer);
/* Returns whether `data`, the bytes of a frame, has the frame's hash. Any thread. */
bool lod_record_frame_sound(const struct lod_record *record, uint32_t slot, unsigned group,
                            uint64_t frame, const uint8_t *data);

/* Returns the seed of a frame's hash: identity and place (FORMAT.md, Frame hash). */
uint64_t lod_frame_seed(struct lod_id record_id, uint32_t slot, unsigned group, uint64_t frame);

#endif

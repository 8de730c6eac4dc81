/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One record opened for reading: where each segment and frame lies and what it must hash to
 * (FORMAT.md, Record). Offsets are computed from the rows, never read from the file.
 */
#ifndef LOD_RECORD_H
#define LOD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec.h"
#include "compiler.h"
#include "store/index.h"
#include "store/stage.h"
#include "store/store.h"

struct lod_record;

/*
 * Opens record `recd`, reads its metadata and checks it against the index row. -EBADMSG: header or
 * metadata differ from what the index says; -EILSEQ: malformed; -EIO, -ENOENT: the file.
 */
LOD_MUST_CHECK int lod_record_open(struct lod_store *store, const struct lod_recd *recd,
                                   struct lod_record **ret_record);

/*
 * The same by one load, which brings `bytes` of the file's front, its head at least. They stay in
 * the stage, which may be NULL: then the head is read alone.
 */
LOD_MUST_CHECK int lod_record_open_staged(struct lod_store *store, const struct lod_recd *recd,
                                          struct lod_stage *stage, uint64_t bytes,
                                          struct lod_record **ret_record);
struct lod_record *lod_record_close(struct lod_record *record);
const struct lod_recd *lod_record_recd(const struct lod_record *record);

/*
 * What to charge a cache with: the memory this open record holds, 32 KiB at least, so that a cache
 * of 16 MiB keeps at most 512 files open.
 */
size_t lod_record_memory(const struct lod_record *record);

/* The row of a slot, from the record's own metadata (own node 0); borrowed. */
const uint8_t *lod_record_row(const struct lod_record *record, uint32_t slot);

/* Bytes of a slot's segment in `group` (1 .. 12); 0 past the record's groups. */
uint64_t lod_record_segment_bytes(const struct lod_record *record, uint32_t slot, unsigned group);

/* Bytes of frame `frame` of that segment: 2^frame_shift but for the last one. */
uint32_t lod_record_frame_bytes(const struct lod_record *record, uint32_t slot, unsigned group,
                                uint64_t frame);

/* File offset of a segment, for messages. */
uint64_t lod_record_segment_offset(const struct lod_record *record, uint32_t slot, unsigned group);

/* Reads one frame whole into `into` and checks its hash. -EBADMSG: it differs. Any thread. */
LOD_MUST_CHECK int lod_record_read_frame(struct lod_record *record, uint32_t slot, unsigned group,
                                         uint64_t frame, uint8_t *into);

/* Bytes of the file as they are, and whether a frame's `data` has its hash. Any thread. */
LOD_MUST_CHECK int lod_record_pread(struct lod_record *record, uint64_t offset, void *into,
                                    size_t bytes);
LOD_MUST_CHECK int lod_record_load(struct lod_record *record, struct lod_stage *stage,
                                   uint64_t from, uint64_t to);
bool lod_record_frame_sound(const struct lod_record *record, uint32_t slot, unsigned group,
                            uint64_t frame, const uint8_t *data);

/* The seed of a frame's hash: identity and place (FORMAT.md, Frame hash). */
uint64_t lod_frame_seed(struct lod_id record_id, uint32_t slot, unsigned group, uint64_t frame);

#endif

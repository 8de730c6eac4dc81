/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes one record whose rows are known (FORMAT.md, Record): segments in any order, header last.
 * Used by pack, merge and repair. Each writer belongs to one thread.
 */
#ifndef LOD_RECORD_WRITE_H
#define LOD_RECORD_WRITE_H

#include <stdint.h>

#include "codec.h"
#include "compiler.h"
#include "index/index.h"
#include "index/index_write.h"

/* One slot. Pointers are borrowed until the writer is created. */
struct lod_record_slot {
    uint8_t row[LOD_ROW_BYTES]; /* own node 0 */
    const char *path;           /* of the item's own file; "" in a tree record */
    int64_t mtime;
    uint16_t mode; /* 0777 */
    uint8_t node_flags;
    int32_t label;          /* if the row has HAS_LABEL */
    struct lod_span magics; /* its list, if the row has HAS_MAGIC; see magic_list.h */
};

struct lod_record_writer;

/*
 * Creates or truncates `records_fd`/`name` and computes the layout. Returns -E2BIG if the record
 * exceeds a limit of FORMAT.md (8,192 items, 8 MiB of metadata, 2^32 bytes in a group). The file is
 * not a record before lod_record_writer_finish.
 */
LOD_MUST_CHECK int lod_record_writer_create(int records_fd, const char *name,
                                            const struct lod_codec *codec, uint32_t cut,
                                            const struct lod_record_slot *slots, uint32_t count,
                                            struct lod_record_writer **ret_writer);

/* Sets the field `apart` of the record: its images may have levels. */
void lod_record_writer_set_apart(struct lod_record_writer *writer, bool apart);

/*
 * Writes bytes of one segment. `offset` and `bytes` are whole frames, except at the segment's end.
 * Every byte of every segment must be written once before lod_record_writer_finish.
 */
LOD_MUST_CHECK int lod_record_writer_put(struct lod_record_writer *writer, uint32_t slot,
                                         unsigned group, uint64_t offset, const void *data,
                                         size_t bytes);

/* Writes metadata, then the header, and calls fsync. *ret_recd gets everything but number and
 * first_item. */
LOD_MUST_CHECK int lod_record_writer_finish(struct lod_record_writer *writer,
                                            struct lod_record_desc *ret_recd);
/* Closes the file. Without lod_record_writer_finish it stays incomplete. Accepts NULL, returns
 * NULL. */
struct lod_record_writer *lod_record_writer_destroy(struct lod_record_writer *writer);

/* Returns an upper bound of the metadata of a slot with this path and source size. Pack uses it to
 * decide when a record is full. */
uint64_t lod_record_metadata_bound(const struct lod_codec *codec, size_t path_bytes,
                                   uint64_t source_bytes);

/* Computes store_id: XXH3-128 of all record ids in record order. */
LOD_MUST_CHECK int lod_store_id(const struct lod_entry_record *records, size_t count,
                                struct lod_id *ret_id);

#endif

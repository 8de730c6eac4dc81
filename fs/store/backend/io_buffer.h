/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A range of one object in memory, read in requests as large as the device takes. Frames and
 * metadata are copied out of it. So a disk gets few requests. One user at a time. Nothing in it is
 * checked.
 */
#ifndef LOD_IO_BUFFER_H
#define LOD_IO_BUFFER_H

#include <stdint.h>

#include "compiler.h"
#include "backend/store.h"

/* Four requests of 1,280 KiB, which is Linux's default limit for a request to a disk. */
#define LOD_IO_BUFFER_BYTES (5u << 20)
/* The largest load: a slice, and a frame that begins in it. */
#define LOD_IO_BUFFER_BYTES_MAX (6u << 20)

/* All zero: empty. The first load allocates the memory. */
struct lod_io_buffer {
    uint8_t *memory;
    uint64_t from, to;         /* range of the object; equal: empty */
    uint64_t loads, bytes, ns; /* sums of all loads: requests, bytes, time */
    uint64_t fresh;         /* from here on, bytes come from the store and were not offered yet */
    uint64_t copied_bytes;  /* how many of `bytes` came from the local copy of the store */
    uint64_t first_byte_ns; /* the part of `ns` before the first bytes came; 0: not known */
    uint64_t slowed; /* loads that ended late, or after which the store asked for fewer requests */
    enum lod_read_class class; /* of the loads to come */
    unsigned parts;            /* at most this many parallel requests for each load; 0: 1 */
    uint64_t most;             /* bytes of a load that its caller should not exceed; 0: no limit */
};

void lod_io_buffer_finish(struct lod_io_buffer *buffer);

/* Empties the buffer, for use with another object. */
void lod_io_buffer_clear(struct lod_io_buffer *buffer);

/* Returns the usual end of a load that begins at `from`. */
uint64_t lod_io_buffer_reach(uint64_t from);

/* Replaces the contents by [from, to) of the object, or by as much of its beginning as fits
 * LOD_IO_BUFFER_BYTES_MAX. */
LOD_MUST_CHECK int lod_io_buffer_load(struct lod_io_buffer *buffer, struct lod_object *object,
                                      uint64_t from, uint64_t to);

/* Offers the bytes of the last load to a local copy of the store; does so once for each load.
 * `object` is that of the load. */
void lod_io_buffer_offer(struct lod_io_buffer *buffer, struct lod_object *object);

/* Returns bytes that are valid until the next load; NULL if not all of them are in the buffer. */
const uint8_t *lod_io_buffer_at(const struct lod_io_buffer *buffer, uint64_t offset,
                                uint64_t bytes);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of LOD_IOC_AHEAD, with which a job announces to a mount the records that it will read.
 * These are pure functions, for the daemon and for its clients. All numbers are little-endian.
 *
 * A message has LOD_AHEAD_BYTES. It begins with these fields of a request, and the bytes after them
 * have no meaning:
 *   u32 version (1), u32 fidelity, u64 job, u32 at, u32 count, u32 done, u32 keep_s,
 *   u32 records[count].
 *
 * The answer overwrites the request: u32 ready, u32 total, u64 bytes_missing, u64 bytes_room, u64
 * bytes_per_second.
 *
 * The fields have the meanings of struct lod_ahead_request and struct lod_ahead_answer.
 */
#ifndef LOD_AHEAD_REQUEST_H
#define LOD_AHEAD_REQUEST_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "frames/ahead_lists.h"

#define LOD_AHEAD_VERSION      1u
#define LOD_AHEAD_BYTES        16383u /* the largest message of an ioctl: its size has 14 bits */
#define LOD_AHEAD_HEAD_BYTES   32u
#define LOD_AHEAD_ANSWER_BYTES 32u
/* Records of one request; a longer list takes several requests. */
#define LOD_AHEAD_REQUEST_RECORDS ((LOD_AHEAD_BYTES - LOD_AHEAD_HEAD_BYTES) / 4)

/*
 * Reads a request. `records` has room for LOD_AHEAD_REQUEST_RECORDS numbers, and the result borrows
 * it. Returns -EILSEQ if bytes are missing, -ENOTSUP for another version, -E2BIG for too many
 * records. The fields are checked where they are used (ahead_lists.h).
 */
LOD_MUST_CHECK int lod_ahead_request_read(const void *bytes, size_t count,
                                          uint32_t records[LOD_AHEAD_REQUEST_RECORDS],
                                          struct lod_ahead_request *ret_request);

/* Writes a request. Returns -E2BIG if it has more than LOD_AHEAD_REQUEST_RECORDS. */
LOD_MUST_CHECK int lod_ahead_request_write(const struct lod_ahead_request *request,
                                           uint8_t into[LOD_AHEAD_BYTES]);

void lod_ahead_answer_write(const struct lod_ahead_answer *answer,
                            uint8_t into[LOD_AHEAD_ANSWER_BYTES]);
void lod_ahead_answer_read(const uint8_t from[LOD_AHEAD_ANSWER_BYTES],
                           struct lod_ahead_answer *ret_answer);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Fields one after the other; see ahead_request.h. */
#include "mount/ahead_request.h"

#include <errno.h>
#include <string.h>

#include "bytes.h"

int lod_ahead_request_read(const void *bytes, size_t count,
                           uint32_t records[LOD_AHEAD_REQUEST_RECORDS],
                           struct lod_ahead_tell *ret_tell)
{
    struct lod_cursor at = lod_cursor(bytes, count);
    const uint32_t version = lod_take_le32(&at);
    struct lod_ahead_tell tell = {.records = records};

    tell.fidelity = lod_take_le32(&at);
    tell.job = lod_take_le64(&at);
    tell.at = lod_take_le32(&at);
    tell.count = lod_take_le32(&at);
    tell.done = lod_take_le32(&at);
    tell.keep_s = lod_take_le32(&at);
    if (at.short_of_bytes) {
        return -EILSEQ;
    }
    if (version != LOD_AHEAD_VERSION) {
        return -ENOTSUP;
    }
    if (tell.count > LOD_AHEAD_REQUEST_RECORDS) {
        return -E2BIG;
    }
    for (uint32_t i = 0; i < tell.count; i++) {
        records[i] = lod_take_le32(&at);
    }
    if (at.short_of_bytes) {
        return -EILSEQ;
    }
    *ret_tell = tell;
    return 0;
}

int lod_ahead_request_write(const struct lod_ahead_tell *tell, uint8_t into[LOD_AHEAD_BYTES])
{
    if (tell->count > LOD_AHEAD_REQUEST_RECORDS) {
        return -E2BIG;
    }
    memset(into, 0, LOD_AHEAD_BYTES);
    lod_put_le32(into, LOD_AHEAD_VERSION);
    lod_put_le32(into + 4, tell->fidelity);
    lod_put_le64(into + 8, tell->job);
    lod_put_le32(into + 16, tell->at);
    lod_put_le32(into + 20, tell->count);
    lod_put_le32(into + 24, tell->done);
    lod_put_le32(into + 28, tell->keep_s);
    for (uint32_t i = 0; i < tell->count; i++) {
        lod_put_le32(into + LOD_AHEAD_HEAD_BYTES + 4 * (size_t)i, tell->records[i]);
    }
    return 0;
}

void lod_ahead_answer_write(const struct lod_ahead_answer *answer,
                            uint8_t into[LOD_AHEAD_ANSWER_BYTES])
{
    lod_put_le32(into, answer->ready);
    lod_put_le32(into + 4, answer->total);
    lod_put_le64(into + 8, answer->bytes_missing);
    lod_put_le64(into + 16, answer->bytes_room);
    lod_put_le64(into + 24, answer->bytes_per_second);
}

void lod_ahead_answer_read(const uint8_t from[LOD_AHEAD_ANSWER_BYTES],
                           struct lod_ahead_answer *ret_answer)
{
    *ret_answer = (struct lod_ahead_answer){
        .ready = lod_get_le32(from),
        .total = lod_get_le32(from + 4),
        .bytes_missing = lod_get_le64(from + 8),
        .bytes_room = lod_get_le64(from + 16),
        .bytes_per_second = lod_get_le64(from + 24),
    };
}

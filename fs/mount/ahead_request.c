/* SPDX-License-Identifier: Apache-2.0 */
/* Fields one after the other; see ahead_request.h. */
#include "mount/ahead_request.h"

#include <errno.h>
#include <string.h>

#include "bytes.h"

int lod_ahead_request_read(const void *bytes, size_t count,
                           uint32_t records[LOD_AHEAD_REQUEST_RECORDS],
                           struct lod_ahead_request *ret_request)
{
    struct lod_cursor at = lod_cursor(bytes, count);
    const uint32_t version = lod_take_le32(&at);
    struct lod_ahead_request request = {.records = records};

    request.fidelity = lod_take_le32(&at);
    request.job = lod_take_le64(&at);
    request.at = lod_take_le32(&at);
    request.count = lod_take_le32(&at);
    request.done = lod_take_le32(&at);
    request.keep_s = lod_take_le32(&at);
    if (at.short_of_bytes) {
        return -EILSEQ;
    }
    if (version != LOD_AHEAD_VERSION) {
        return -ENOTSUP;
    }
    if (request.count > LOD_AHEAD_REQUEST_RECORDS) {
        return -E2BIG;
    }
    for (uint32_t i = 0; i < request.count; i++) {
        records[i] = lod_take_le32(&at);
    }
    if (at.short_of_bytes) {
        return -EILSEQ;
    }
    *ret_request = request;
    return 0;
}

int lod_ahead_request_write(const struct lod_ahead_request *request, uint8_t into[LOD_AHEAD_BYTES])
{
    if (request->count > LOD_AHEAD_REQUEST_RECORDS) {
        return -E2BIG;
    }
    memset(into, 0, LOD_AHEAD_BYTES);
    lod_put_le32(into, LOD_AHEAD_VERSION);
    lod_put_le32(into + 4, request->fidelity);
    lod_put_le64(into + 8, request->job);
    lod_put_le32(into + 16, request->at);
    lod_put_le32(into + 20, request->count);
    lod_put_le32(into + 24, request->done);
    lod_put_le32(into + 28, request->keep_s);
    for (uint32_t i = 0; i < request->count; i++) {
        lod_put_le32(into + LOD_AHEAD_HEAD_BYTES + 4 * (size_t)i, request->records[i]);
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

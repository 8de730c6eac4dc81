/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serves the shard codec over a pipe, for toc_shards.py. A request begins with u32 bytes. To
 * encode: dtype u8, choice u8, u16 0, rows u32, columns u32, batch rows u32 and the dense elements.
 * To decode: 255 u8 and a shard. The answer is i32 error, u32 bytes, and the shard or its rows.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "toc/encode/toc_write.h"

#define ROWS_BYTES_MAX (1u << 20) /* limit of the rows that a malformed shard may claim */

static int encode(struct lod_cursor request, struct lod_buf *answer)
{
    struct lod_toc_rows rows = {.dtype = lod_take_u8(&request)};
    struct lod_toc_options options = {.choice = (enum lod_toc_choice)lod_take_u8(&request)};

    (void)lod_take_le16(&request);
    rows.rows = lod_take_le32(&request);
    rows.columns = lod_take_le32(&request);
    options.batch_rows = lod_take_le32(&request);
    rows.dense = request.at;
    return lod_toc_encode(&rows, &options, answer);
}

static int decode(struct lod_cursor request, struct lod_buf *answer)
{
    struct lod_toc_shard shard;
    int error = lod_toc_open((struct lod_span){request.at + 1, request.left - 1}, &shard);

    if (error || lod_toc_source_bytes(&shard, shard.rows) > ROWS_BYTES_MAX) {
        return error ? error : -E2BIG;
    }
    error = lod_buf_reserve(answer, ROWS_BYTES_MAX);
    if (!error) {
        answer->bytes = lod_toc_source_bytes(&shard, shard.rows);
        error = lod_toc_decode(&shard, 0, shard.rows, answer->data, answer->bytes);
    }
    return error;
}

static int answer_one(uint32_t bytes)
{
    struct lod_buf request = {0}, answer = {0};
    uint8_t head[8];
    int error = lod_buf_reserve(&request, bytes);

    if (error || fread(request.data, 1, bytes, stdin) != bytes) {
        return -EIO;
    }
    struct lod_cursor c = lod_cursor(request.data, bytes);
    error = request.data[0] == 255 ? decode(c, &answer) : encode(c, &answer);
    answer.bytes = error ? 0 : answer.bytes;
    lod_put_le32(head, (uint32_t)error);
    lod_put_le32(head + 4, (uint32_t)answer.bytes);
    bool written = fwrite(head, 1, 8, stdout) == 8 &&
                   fwrite(answer.data, 1, answer.bytes, stdout) == answer.bytes;
    lod_buf_finish(&request);
    lod_buf_finish(&answer);
    return written && fflush(stdout) == 0 ? 0 : -EIO;
}

int main(void)
{
    uint8_t head[4];
    int error = 0;

    while (!error && fread(head, 1, 4, stdin) == 4) {
        error = answer_one(lod_get_le32(head));
    }
    return error ? 1 : 0;
}

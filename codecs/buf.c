/* SPDX-License-Identifier: Apache-2.0 */
/* The growing buffer: the capacity doubles, so appending n bytes costs O(n). */
#include "buf.h"

#include <errno.h>
#include <stdlib.h>

int lod_buf_reserve(struct lod_buf *buf, size_t bytes)
{
    if (bytes <= buf->room - buf->bytes) {
        return 0;
    }
    if (bytes > SIZE_MAX / 2 - buf->bytes) {
        return -ENOMEM;
    }
    size_t room = buf->room * 2 > buf->bytes + bytes ? buf->room * 2 : buf->bytes + bytes;
    uint8_t *data = realloc(buf->data, room);
    if (!data) {
        return -ENOMEM;
    }
    buf->data = data;
    buf->room = room;
    return 0;
}

int lod_buf_append(struct lod_buf *buf, const void *data, size_t bytes)
{
    int error = lod_buf_reserve(buf, bytes);
    if (!error && bytes) {
        memcpy(buf->data + buf->bytes, data, bytes);
        buf->bytes += bytes;
    }
    return error;
}

int lod_buf_append_le(struct lod_buf *buf, unsigned bytes, uint64_t value)
{
    uint8_t le[8];
    lod_put_le(le, bytes, value);
    return lod_buf_append(buf, le, bytes);
}

void lod_buf_finish(struct lod_buf *buf)
{
    free(buf->data);
    *buf = (struct lod_buf){0};
}

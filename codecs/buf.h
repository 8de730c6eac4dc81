/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A byte buffer that grows while it is written. An all-zero struct is an empty buffer. Errors are
 * returned and not stored; after -ENOMEM the contents are as before the call.
 */
#ifndef LOD_BUF_H
#define LOD_BUF_H

#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "compiler.h"

struct lod_buf {
    uint8_t *data;
    size_t bytes;
    size_t room;
};

LOD_MUST_CHECK int lod_buf_append(struct lod_buf *buf, const void *data, size_t bytes);
LOD_MUST_CHECK int lod_buf_append_le(struct lod_buf *buf, unsigned bytes, uint64_t value);

/* Ensures that `bytes` more fit without another allocation. */
LOD_MUST_CHECK int lod_buf_reserve(struct lod_buf *buf, size_t bytes);

/* Frees the memory and leaves an empty buffer. */
void lod_buf_finish(struct lod_buf *buf);

static inline struct lod_span lod_buf_span(const struct lod_buf *buf)
{
    return (struct lod_span){.at = buf->data, .bytes = buf->bytes};
}

#endif

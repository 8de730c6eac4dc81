/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of variable length: as many bytes as they need. */
#ifndef LOD_VARINT_H
#define LOD_VARINT_H

#include "buf.h"
#include "bytes.h"
#include "compiler.h"

/* Takes a number in base 128, least significant digit first, up to 5 bytes. An error is sticky, as
 * in lod_take. */
static inline uint32_t lod_take_varint(struct lod_cursor *c)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 35; shift += 7) {
        uint8_t byte = lod_take_u8(c);
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            break;
        }
    }
    if (value > UINT32_MAX) {
        c->short_of_bytes = true;
        c->left = 0;
        return 0;
    }
    return (uint32_t)value;
}

LOD_MUST_CHECK static inline int lod_buf_append_varint(struct lod_buf *buf, uint32_t value)
{
    uint8_t bytes[5];
    unsigned count = 0;

    for (; value > 0x7f; value >>= 7) {
        bytes[count++] = (uint8_t)(value | 0x80);
    }
    bytes[count++] = (uint8_t)value;
    return lod_buf_append(buf, bytes, count);
}

/* Decodes the zigzag code of a signed number: 0, -1, 1, -2 .. are stored as 0, 1, 2, 3 .. */
static inline int64_t lod_zigzag_decode(uint32_t value)
{
    return value & 1 ? -(int64_t)(value / 2) - 1 : (int64_t)(value / 2);
}

static inline uint32_t lod_zigzag_encode(int value)
{
    return value < 0 ? (uint32_t)(-(value + 1)) * 2 + 1 : (uint32_t)value * 2;
}

#endif

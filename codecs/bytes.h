/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds-checked reading of untrusted bytes, and little-endian stores into memory of known size.
 * The cursor's error is sticky: after one take past the end every take returns 0 and
 * `short_of_bytes` stays set. So a parser may take a whole structure and check once. No casts, no
 * packed structs.
 */
#ifndef LOD_BYTES_H
#define LOD_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Reads and writes at fixed offsets in memory whose size the caller knows. gcc 12 compiles a copy
 * of a known size to one instruction, but not a loop over the bytes.
 */
static inline uint64_t lod_get_le(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    memcpy(&value, at, bytes);
    return le64toh(value);
}

/* Returns the smaller number. */
static inline uint64_t lod_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Returns 3 if a text begins with the byte order mark of UTF-8, as some programs
 * write it, else 0. */
static inline size_t lod_text_mark(const void *text, size_t bytes)
{
    return bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/* A range of bytes in memory, borrowed. */
struct lod_span {
    const uint8_t *at;
    size_t bytes;
};

struct lod_cursor {
    const uint8_t *at;
    size_t left;
    bool short_of_bytes;
};

static inline struct lod_cursor lod_cursor(const void *at, size_t bytes)
{
    return (struct lod_cursor){.at = at, .left = bytes, .short_of_bytes = false};
}

/* Returns the next `bytes` bytes, borrowed; NULL and the sticky error if fewer are left. */
static inline const uint8_t *lod_take(struct lod_cursor *c, size_t bytes)
{
    if (c->short_of_bytes || bytes > c->left) {
        c->short_of_bytes = true;
        c->left = 0;
        return NULL;
    }
    const uint8_t *at = c->at;
    c->at += bytes;
    c->left -= bytes;
    return at;
}

static inline uint64_t lod_take_le(struct lod_cursor *c, unsigned bytes)
{
    const uint8_t *at = lod_take(c, bytes);
    return at ? lod_get_le(at, bytes) : 0;
}

static inline uint8_t lod_take_u8(struct lod_cursor *c)
{
    return (uint8_t)lod_take_le(c, 1);
}

static inline uint16_t lod_take_le16(struct lod_cursor *c)
{
    return (uint16_t)lod_take_le(c, 2);
}

static inline uint32_t lod_take_le32(struct lod_cursor *c)
{
    return (uint32_t)lod_take_le(c, 4);
}

static inline uint64_t lod_take_le48(struct lod_cursor *c)
{
    return lod_take_le(c, 6);
}

static inline uint64_t lod_take_le64(struct lod_cursor *c)
{
    return lod_take_le(c, 8);
}

static inline uint16_t lod_take_be16(struct lod_cursor *c)
{
    const uint8_t *at = lod_take(c, 2);
    return at ? (uint16_t)((unsigned)at[0] << 8 | at[1]) : (uint16_t)0;
}

static inline void lod_put_le(uint8_t *at, unsigned bytes, uint64_t value)
{
    value = htole64(value);
    memcpy(at, &value, bytes);
}

static inline void lod_put_le16(uint8_t *at, uint16_t value)
{
    lod_put_le(at, 2, value);
}

static inline void lod_put_le32(uint8_t *at, uint32_t value)
{
    lod_put_le(at, 4, value);
}

static inline void lod_put_le64(uint8_t *at, uint64_t value)
{
    lod_put_le(at, 8, value);
}

static inline uint16_t lod_get_le16(const uint8_t *at)
{
    return (uint16_t)lod_get_le(at, 2);
}

static inline uint32_t lod_get_le32(const uint8_t *at)
{
    return (uint32_t)lod_get_le(at, 4);
}

static inline uint32_t lod_get_be32(const uint8_t *at)
{
    uint32_t value;

    memcpy(&value, at, sizeof(value));
    return be32toh(value);
}

static inline uint64_t lod_get_le64(const uint8_t *at)
{
    return lod_get_le(at, 8);
}

/* Returns `value` rounded up to a multiple of `unit`, a power of two. No overflow below 2^63. */
static inline uint64_t lod_round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) & ~(unit - 1);
}

#endif

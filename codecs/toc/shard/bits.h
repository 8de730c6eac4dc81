/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays of numbers of 0 .. 32 bits, packed without gaps from the least significant bit of each
 * byte up (FORMAT.md, TOC shard). The caller of lod_bits_unpack has checked that all lod_bits_bytes
 * bytes are there.
 */
#ifndef LOD_BITS_H
#define LOD_BITS_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#define LOD_BITS_MAX 32u

static inline uint64_t lod_bits_bytes(uint64_t count, unsigned bits)
{
    return (count * bits + 7) / 8;
}

/* Returns the bits that the number takes; 0 for 0. */
static inline unsigned lod_bits_of(uint32_t number)
{
    return number ? 32 - (unsigned)__builtin_clz(number) : 0;
}

static inline uint64_t lod_bits_load(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof(word));
    return le64toh(word);
}

/* Reads numbers first .. first + count - 1 of an array that ends at `end`. */
static inline void lod_bits_unpack(const uint8_t *at, const uint8_t *end, uint64_t first,
                                   uint64_t count, unsigned bits, uint32_t *into)
{
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    uint64_t bytes = (uint64_t)(end - at), bit = first * bits, i = 0;

    for (; i < count && bit / 8 + 8 <= bytes; i++, bit += bits) {
        into[i] = (uint32_t)(lod_bits_load(at + bit / 8) >> bit % 8 & mask);
    }
    for (; i < count; i++, bit += bits) {
        uint64_t word = 0, left = bytes - bit / 8;
        for (uint64_t b = 0; b < left && b < 8; b++) {
            word |= (uint64_t)at[bit / 8 + b] << 8 * b;
        }
        into[i] = (uint32_t)(word >> bit % 8 & mask);
    }
}

/* Writes lod_bits_bytes(count, bits) bytes. */
static inline void lod_bits_pack(const uint32_t *numbers, uint64_t count, unsigned bits,
                                 uint8_t *into)
{
    uint64_t word = 0;
    unsigned used = 0; /* below 32 */

    for (uint64_t i = 0; i < count; i++) {
        word |= (uint64_t)numbers[i] << used;
        used += bits;
        if (used >= 32) {
            const uint32_t low = htole32((uint32_t)word);
            memcpy(into, &low, sizeof(low));
            into += sizeof(low);
            word >>= 32;
            used -= 32;
        }
    }
    for (; used > 0; used = used > 8 ? used - 8 : 0, word >>= 8) {
        *into++ = (uint8_t)word;
    }
}

#endif

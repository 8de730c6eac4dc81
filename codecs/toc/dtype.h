/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The element types of a table, and an element as a 64-bit word: its bits, zero-extended, byte
 * order gone. Words are compared by their bits, so -0.0 and every NaN are values of their own; the
 * word 0 is the zero that sparse forms leave out. FORMAT.md, TOC shard.
 */
#ifndef LOD_DTYPE_H
#define LOD_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits 0..1 log2 of the bytes, 2..3 the class, 4 big endian. */
enum lod_dtype {
    LOD_DTYPE_BOOL = 0x00,
    LOD_DTYPE_I1 = 0x04,
    LOD_DTYPE_I2 = 0x05,
    LOD_DTYPE_I4 = 0x06,
    LOD_DTYPE_I8 = 0x07,
    LOD_DTYPE_U1 = 0x08,
    LOD_DTYPE_U2 = 0x09,
    LOD_DTYPE_U4 = 0x0a,
    LOD_DTYPE_U8 = 0x0b,
    LOD_DTYPE_F2 = 0x0d,
    LOD_DTYPE_F4 = 0x0e,
    LOD_DTYPE_F8 = 0x0f,
    LOD_DTYPE_BIG_ENDIAN = 0x10, /* or'ed to a type of 2 bytes and more */
};

#define LOD_DTYPE_CLASS(dtype) ((dtype)&0x0c)

/* Is this byte one of the 12 types, or one of the 9 in big endian? */
bool lod_dtype_legal(uint8_t dtype);

/* 1, 2, 4 or 8. */
static inline unsigned lod_dtype_bytes(uint8_t dtype)
{
    return 1u << (dtype & 3);
}

/* As NumPy calls it: "<f8", "|u1". */
#define LOD_DTYPE_NAME_BYTES 4
void lod_dtype_name(uint8_t dtype, char text[LOD_DTYPE_NAME_BYTES]);

/* `count` elements as they lie in a source, as words; and the reverse. */
void lod_dtype_words(uint8_t dtype, const uint8_t *elements, size_t count, uint64_t *into);
void lod_dtype_elements(uint8_t dtype, const uint64_t *words, size_t count, uint8_t *into);

/* The number that a word is; what is no double (i8, u8 beyond 2^53) rounds to nearest. */
double lod_dtype_number(uint8_t dtype, uint64_t word);

#endif

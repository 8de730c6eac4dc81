/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The element types of a table, and the word of an element: its bits as an unsigned 64-bit number,
 * independent of byte order. Words are compared by their bits, so -0.0 and every NaN are distinct
 * values. The word 0 is the zero that sparse kinds leave out. FORMAT.md, TOC shard.
 */
#ifndef LOD_DTYPE_H
#define LOD_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits 0 .. 1 are log2 of the size, 2 .. 3 the class, 4 big endian. */
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
    LOD_DTYPE_BIG_ENDIAN = 0x10, /* set in addition to a type of 2 bytes and more */
};

#define LOD_DTYPE_CLASS(dtype) ((dtype)&0x0c)

/* Returns whether this byte is one of the 12 types, or one of the 9 in big endian. */
bool lod_dtype_legal(uint8_t dtype);

/* Returns the size of an element: 1, 2, 4 or 8. */
static inline unsigned lod_dtype_bytes(uint8_t dtype)
{
    return 1u << (dtype & 3);
}

/* Writes NumPy's name of the type: "<f8", "|u1". */
#define LOD_DTYPE_NAME_BYTES 4
void lod_dtype_name(uint8_t dtype, char text[LOD_DTYPE_NAME_BYTES]);

/* Convert `count` elements, laid out as in a source, to words, and back. */
void lod_dtype_words(uint8_t dtype, const uint8_t *elements, size_t count, uint64_t *into);
void lod_dtype_elements(uint8_t dtype, const uint64_t *words, size_t count, uint8_t *into);

/* Returns the number that a word stands for. Integers beyond 2^53 round to the nearest double. */
double lod_dtype_number(uint8_t dtype, uint64_t word);

#endif

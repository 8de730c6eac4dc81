/* SPDX-License-Identifier: Apache-2.0 */
/* Converts elements of tables to words, and words to numbers. See dtype.h. */
#include "toc/shard/dtype.h"

#include <endian.h>
#include <string.h>

bool lod_dtype_legal(uint8_t dtype)
{
    unsigned bytes = lod_dtype_bytes(dtype);

    if (dtype & ~(LOD_DTYPE_BIG_ENDIAN | 0x0f) || (dtype & LOD_DTYPE_BIG_ENDIAN && bytes == 1)) {
        return false;
    }
    switch (LOD_DTYPE_CLASS(dtype)) {
    case LOD_DTYPE_CLASS(LOD_DTYPE_BOOL):
        return bytes == 1;
    case LOD_DTYPE_CLASS(LOD_DTYPE_F8):
        return bytes > 1;
    default:
        return true;
    }
}

static inline uint64_t swapped(uint64_t word, unsigned bytes)
{
    return __builtin_bswap64(word) >> (64 - 8 * bytes);
}

/* `bytes` and `swap` are constants at every call, so each call becomes a loop of its own. */
static inline void read_words(const uint8_t *at, size_t count, unsigned bytes, bool swap,
                              uint64_t *into)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t word = 0;
        memcpy(&word, at + i * bytes, bytes);
        word = le64toh(word);
        into[i] = swap ? swapped(word, bytes) : word;
    }
}

static inline void write_words(const uint64_t *words, size_t count, unsigned bytes, bool swap,
                               uint8_t *at)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t word = htole64(swap ? swapped(words[i], bytes) : words[i]);
        memcpy(at + i * bytes, &word, bytes);
    }
}

void lod_dtype_words(uint8_t dtype, const uint8_t *elements, size_t count, uint64_t *into)
{
    bool big = dtype & LOD_DTYPE_BIG_ENDIAN;

    switch (dtype & 3) {
    case 0:
        read_words(elements, count, 1, false, into);
        break;
    case 1:
        big ? read_words(elements, count, 2, true, into)
            : read_words(elements, count, 2, false, into);
        break;
    case 2:
        big ? read_words(elements, count, 4, true, into)
            : read_words(elements, count, 4, false, into);
        break;
    default:
        big ? read_words(elements, count, 8, true, into)
            : read_words(elements, count, 8, false, into);
    }
}

void lod_dtype_elements(uint8_t dtype, const uint64_t *words, size_t count, uint8_t *into)
{
    bool big = dtype & LOD_DTYPE_BIG_ENDIAN;

    switch (dtype & 3) {
    case 0:
        write_words(words, count, 1, false, into);
        break;
    case 1:
        big ? write_words(words, count, 2, true, into) : write_words(words, count, 2, false, into);
        break;
    case 2:
        big ? write_words(words, count, 4, true, into) : write_words(words, count, 4, false, into);
        break;
    default:
        big ? write_words(words, count, 8, true, into) : write_words(words, count, 8, false, into);
    }
}

/* binary16: 1 sign, 5 exponent (bias 15) and 10 fraction bits; a double holds every value. */
static double half_number(uint16_t bits)
{
    unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
    uint64_t sign = (uint64_t)(bits >> 15) << 63;
    uint64_t wide;
    double number;

    if (exponent == 0) { /* fraction * 2^-24 */
        number = (double)fraction / 16777216.0;
        return sign ? -number : number;
    }
    wide = exponent == 31 ? 2047 : exponent - 15 + 1023;
    wide = sign | wide << 52 | (uint64_t)fraction << 42;
    memcpy(&number, &wide, sizeof(number));
    return number;
}

static double float_number(unsigned bytes, uint64_t word)
{
    if (bytes == 2) {
        return half_number((uint16_t)word);
    }
    if (bytes == 4) {
        uint32_t bits = (uint32_t)word;
        float number;
        memcpy(&number, &bits, sizeof(number));
        return number;
    }
    double number;
    memcpy(&number, &word, sizeof(number));
    return number;
}

double lod_dtype_number(uint8_t dtype, uint64_t word)
{
    unsigned shift = 64 - 8 * lod_dtype_bytes(dtype);

    switch (LOD_DTYPE_CLASS(dtype)) {
    case LOD_DTYPE_CLASS(LOD_DTYPE_BOOL):
        return word ? 1 : 0;
    case LOD_DTYPE_CLASS(LOD_DTYPE_I8):
        return (double)((int64_t)(word << shift) >> shift);
    case LOD_DTYPE_CLASS(LOD_DTYPE_U8):
        return (double)word;
    default:
        return float_number(lod_dtype_bytes(dtype), word);
    }
}

void lod_dtype_name(uint8_t dtype, char text[LOD_DTYPE_NAME_BYTES])
{
    static const char kinds[] = {'b', 'i', 'u', 'f'};
    const unsigned bytes = lod_dtype_bytes(dtype);

    text[0] = bytes == 1 ? '|' : dtype & LOD_DTYPE_BIG_ENDIAN ? '>' : '<';
    text[1] = kinds[LOD_DTYPE_CLASS(dtype) >> 2];
    text[2] = (char)('0' + bytes);
    text[3] = '\0';
}

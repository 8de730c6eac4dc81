/* SPDX-License-Identifier: Apache-2.0 */
/* Converts between words and the eight forms of a value. See values.h. */
#include "toc/shard/values.h"

#include <endian.h>
#include <limits.h>
#include <string.h>

/*
 * Functions used in loops with a constant dtype and form, so that each becomes a loop without a
 * branch.
 */
#define INLINE static inline __attribute__((always_inline))

INLINE bool is_float(uint8_t dtype)
{
    return LOD_DTYPE_CLASS(dtype) == LOD_DTYPE_CLASS(LOD_DTYPE_F8);
}

INLINE unsigned value_bytes(uint8_t dtype, uint8_t value)
{
    static const uint8_t bytes[] = {0, 1, 2, 4, 1, 2, 4, 4};
    unsigned own = lod_dtype_bytes(dtype);

    if (value == LOD_TOC_VALUE_OWN) {
        return own;
    }
    if (value > LOD_TOC_VALUE_F4 || bytes[value] >= own ||
        (value == LOD_TOC_VALUE_F4 && !is_float(dtype))) {
        return 0;
    }
    return bytes[value];
}

unsigned lod_value_bytes(uint8_t dtype, uint8_t value)
{
    return value_bytes(dtype, value);
}

/* Returns the number that a word stands for; inline for doubles and floats. */
INLINE double number_of(uint8_t dtype, uint64_t word)
{
    const uint32_t low = (uint32_t)word;
    double number;
    float narrow;

    if ((dtype & 0x0f) == LOD_DTYPE_F4) {
        memcpy(&narrow, &low, sizeof(narrow));
        return narrow;
    }
    if ((dtype & 0x0f) != LOD_DTYPE_F8) {
        return lod_dtype_number(dtype, word);
    }
    memcpy(&number, &word, sizeof(number));
    return number;
}

/* Returns the bits of a whole number as f2, f4 or f8. f2 takes 0 .. 255 and -128 .. 127 only. */
INLINE uint64_t float_of(unsigned bytes, double number)
{
    uint64_t word = 0;

    if (bytes == 8) {
        memcpy(&word, &number, 8);
    } else if (bytes == 4) {
        float narrow = (float)number;
        uint32_t bits;
        memcpy(&bits, &narrow, 4);
        word = bits;
    } else if (number != 0) {
        memcpy(&word, &number, 8);
        uint64_t exponent = (word >> 52 & 2047) - 1023 + 15;
        word = word >> 63 << 15 | exponent << 10 | (word >> 42 & 1023);
    }
    return word;
}

/* Sign-extends a number of `bits` bits in two's complement. */
INLINE int64_t extended(uint64_t stored, unsigned bits)
{
    return (int64_t)(stored << (64 - bits)) >> (64 - bits);
}

INLINE uint64_t widen(uint8_t dtype, uint8_t value, uint64_t stored)
{
    unsigned own = lod_dtype_bytes(dtype), bits = 8 * value_bytes(dtype, value);

    if (value == LOD_TOC_VALUE_OWN) {
        return stored;
    }
    if (value == LOD_TOC_VALUE_F4) {
        return float_of(8, lod_dtype_number(LOD_DTYPE_F4, stored));
    }
    int64_t number = value >= LOD_TOC_VALUE_I1 ? extended(stored, bits) : (int64_t)stored;
    if (is_float(dtype)) {
        return float_of(own, (double)number);
    }
    return (uint64_t)number & UINT64_MAX >> (64 - 8 * own);
}

INLINE uint64_t narrowed(uint8_t dtype, uint8_t value, uint64_t word)
{
    if (value == LOD_TOC_VALUE_F4) {
        double number = number_of(dtype, word);
        return number == number ? float_of(4, number) : 0; /* a NaN is stored in form OWN */
    }
    if (is_float(dtype)) {
        double number = number_of(dtype, word);
        return number > -2147483649.0 && number < 4294967296.0 ? (uint64_t)(int64_t)number : 0;
    }
    return word;
}

INLINE bool narrow(uint8_t dtype, uint8_t value, uint64_t word, uint64_t *ret_stored)
{
    unsigned bytes = value_bytes(dtype, value);

    if (value == LOD_TOC_VALUE_OWN) {
        *ret_stored = word;
        return true;
    }
    if (!bytes) {
        return false;
    }
    uint64_t stored = narrowed(dtype, value, word) & UINT64_MAX >> (64 - 8 * bytes);
    if (widen(dtype, value, stored) != word) {
        return false;
    }
    *ret_stored = stored;
    return true;
}

INLINE bool all_narrow(uint8_t dtype, uint8_t value, const uint64_t *words, uint64_t count)
{
    uint64_t stored;

    for (uint64_t i = 0; i < count; i++) {
        if (!narrow(dtype, value, words[i], &stored)) {
            return false;
        }
    }
    return true;
}

INLINE void put_narrow(uint8_t dtype, uint8_t value, const uint64_t *words, uint64_t count,
                       uint8_t *into)
{
    const unsigned bytes = value_bytes(dtype, value);

    for (uint64_t i = 0; i < count; i++) {
        uint64_t stored = 0;
        (void)narrow(dtype, value, words[i], &stored);
        stored = htole64(stored);
        memcpy(into + i * bytes, &stored, bytes);
    }
}

INLINE void widen_all(uint8_t dtype, uint8_t value, uint64_t count, uint64_t *words)
{
    for (uint64_t i = 0; i < count; i++) {
        words[i] = widen(dtype, value, words[i]);
    }
}

/* Compiles `call` separately for each form of doubles and floats, and once for all others. */
#define FORM_OF(dtype, value) ((unsigned)(((dtype)&0x0f) << 8 | (value)))
#define OF_DOUBLES(call, value, ...)                                                               \
    case FORM_OF(LOD_DTYPE_F8, value):                                                             \
        call(LOD_DTYPE_F8, value, __VA_ARGS__);                                                    \
        break
#define OF_FLOATS(call, value, ...)                                                                \
    case FORM_OF(LOD_DTYPE_F4, value):                                                             \
        call(LOD_DTYPE_F4, value, __VA_ARGS__);                                                    \
        break
#define EACH_FORM(call, dtype, value, ...)                                                         \
    do {                                                                                           \
        switch (FORM_OF(dtype, value)) {                                                           \
            OF_FLOATS(call, LOD_TOC_VALUE_U1, __VA_ARGS__);                                        \
            OF_FLOATS(call, LOD_TOC_VALUE_U2, __VA_ARGS__);                                        \
            OF_FLOATS(call, LOD_TOC_VALUE_I1, __VA_ARGS__);                                        \
            OF_FLOATS(call, LOD_TOC_VALUE_I2, __VA_ARGS__);                                        \
            OF_DOUBLES(call, LOD_TOC_VALUE_OWN, __VA_ARGS__);                                      \
            OF_DOUBLES(call, LOD_TOC_VALUE_U1, __VA_ARGS__);                                       \
            OF_DOUBLES(call, LOD_TOC_VALUE_U2, __VA_ARGS__);                                       \
            OF_DOUBLES(call, LOD_TOC_VALUE_U4, __VA_ARGS__);                                       \
            OF_DOUBLES(call, LOD_TOC_VALUE_I1, __VA_ARGS__);                                       \
            OF_DOUBLES(call, LOD_TOC_VALUE_I2, __VA_ARGS__);                                       \
            OF_DOUBLES(call, LOD_TOC_VALUE_I4, __VA_ARGS__);                                       \
            OF_DOUBLES(call, LOD_TOC_VALUE_F4, __VA_ARGS__);                                       \
        default:                                                                                   \
            call(dtype, value, __VA_ARGS__);                                                       \
        }                                                                                          \
    } while (0)

unsigned lod_values_forms(uint8_t dtype, unsigned forms, const uint64_t *words, uint64_t count)
{
    for (uint8_t value = LOD_TOC_VALUE_OWN + 1; value <= LOD_TOC_VALUE_F4; value++) {
        bool all = true;
        if (forms >> value & 1) {
            EACH_FORM(all = all_narrow, dtype, value, words, count);
        }
        forms &= all ? UINT_MAX : ~(1u << value);
    }
    return forms;
}

void lod_values_narrow(uint8_t dtype, uint8_t value, const uint64_t *words, uint64_t count,
                       uint8_t *into)
{
    EACH_FORM(put_narrow, dtype, value, words, count, into);
}

static void as_wanted(uint8_t dtype, enum lod_words_as as, uint64_t count, uint64_t *words)
{
    unsigned shift = 64 - 8 * lod_dtype_bytes(dtype);

    if (as == LOD_AS_ELEMENTS && dtype & LOD_DTYPE_BIG_ENDIAN) {
        for (uint64_t i = 0; i < count; i++) {
            words[i] = __builtin_bswap64(words[i]) >> shift;
        }
    } else if (as == LOD_AS_FLOATS || (as == LOD_AS_NUMBERS && (dtype & 0x0f) != LOD_DTYPE_F8)) {
        for (uint64_t i = 0; i < count; i++) {
            words[i] = float_of(as == LOD_AS_FLOATS ? 4 : 8, lod_dtype_number(dtype, words[i]));
        }
    }
}

void lod_values_read(const struct lod_toc_shard *shard, enum lod_words_as as, const uint8_t *at,
                     uint64_t count, uint64_t *into)
{
    static const uint8_t plain[] = {LOD_DTYPE_U1, LOD_DTYPE_U2, 0, LOD_DTYPE_U4, 0, 0, 0,
                                    LOD_DTYPE_U8};
    uint8_t dtype = shard->dtype, value = shard->value;

    lod_dtype_words(plain[lod_value_bytes(dtype, value) - 1], at, count, into);
    if (value != LOD_TOC_VALUE_OWN) {
        EACH_FORM(widen_all, dtype, value, count, into);
    }
    as_wanted(dtype, as, count, into);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* See castagnoli.h. */
#include "castagnoli.h"

#include <string.h>

#define POLYNOMIAL 0x82f63b78u /* 0x1edc6f41, bits reversed */

/* Eight steps of the shift register, for the byte that leaves it. */
static uint32_t shift(uint32_t byte)
{
    for (unsigned i = 0; i < 8; i++) {
        byte = byte >> 1 ^ (byte & 1 ? POLYNOMIAL : 0);
    }
    return byte;
}

uint32_t lod_crc32c_table(uint32_t crc, const void *data, size_t bytes)
{
    const uint8_t *at = data;
    uint32_t table[256];

    for (uint32_t i = 0; i < 256; i++) {
        table[i] = shift(i);
    }
    crc = ~crc;
    for (size_t i = 0; i < bytes; i++) {
        crc = crc >> 8 ^ table[(crc ^ at[i]) & 0xff];
    }
    return ~crc;
}

#ifdef __x86_64__
/*
 * Each CRC instruction waits three cycles for the result of the one before it, so three strips of
 * data are summed in parallel: long strips first, then short ones. The register is linear: after
 * bytes A and B it equals the register after A, times x^(8 |B|), plus the register of B by itself.
 * The product of two registers is one carry-less multiplication. Its lowest bit is that of x^63,
 * not of x^62, and the instruction that reduces it adds 32 zeros, so the factor for |B| bytes is
 * x^(8 |B| - 33) modulo the polynomial, bits reversed.
 */
struct strips {
    size_t bytes;     /* of one */
    int64_t past_one; /* the factor for one strip, and for two */
    int64_t past_two;
};
static const struct strips long_strips = {2048, 0xa51b6135, 0x82f89c77};
static const struct strips short_strips = {256, 0xb9e02b86, 0xdd7e3b0c};

typedef long long v2di __attribute__((vector_size(16)));

static uint64_t word_at(const uint8_t *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof(word));
    return word;
}

#define BY_INSTRUCTION __attribute__((target("sse4.2,pclmul")))

BY_INSTRUCTION static uint64_t past(uint64_t crc, int64_t factor)
{
    const v2di product = __builtin_ia32_pclmulqdq128((v2di){(int64_t)crc, 0}, (v2di){factor, 0}, 0);

    return __builtin_ia32_crc32di(0, (uint64_t)product[0]);
}

BY_INSTRUCTION static uint64_t three_strips(uint64_t crc, const uint8_t *at,
                                            const struct strips *strips)
{
    const uint8_t *second_at = at + strips->bytes, *third_at = second_at + strips->bytes;
    uint64_t second = 0, third = 0;

    for (size_t i = 0; i < strips->bytes; i += sizeof(uint64_t)) {
        crc = __builtin_ia32_crc32di(crc, word_at(at + i));
        second = __builtin_ia32_crc32di(second, word_at(second_at + i));
        third = __builtin_ia32_crc32di(third, word_at(third_at + i));
    }
    return past(crc, strips->past_two) ^ past(second, strips->past_one) ^ third;
}

BY_INSTRUCTION static uint32_t by_instruction(uint32_t crc, const uint8_t *at, size_t bytes)
{
    static const struct strips *const lengths[] = {&long_strips, &short_strips};
    uint64_t wide = ~crc;

    for (unsigned i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        const size_t step = 3 * lengths[i]->bytes;
        for (; bytes >= step; at += step, bytes -= step) {
            wide = three_strips(wide, at, lengths[i]);
        }
    }
    for (; bytes >= sizeof(wide); at += sizeof(wide), bytes -= sizeof(wide)) {
        wide = __builtin_ia32_crc32di(wide, word_at(at));
    }
    crc = (uint32_t)wide;
    for (; bytes; at++, bytes--) {
        crc = __builtin_ia32_crc32qi(crc, *at);
    }
    return ~crc;
}
#endif

uint32_t lod_crc32c(uint32_t crc, const void *data, size_t bytes)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul")) {
        return by_instruction(crc, data, bytes);
    }
#endif
    return lod_crc32c_table(crc, data, bytes);
}

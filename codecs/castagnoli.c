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
 * An instruction waits three cycles for the one before it, so three strips of data are summed side
 * by side. The register is linear: after bytes A and B it is that after A, times x^(8 |B|), plus
 * that of B alone.
 */
#define STRIP      2048u       /* bytes */
#define PAST_STRIP 0x0d65762au /* x^(8 * STRIP) modulo the polynomial, bits reversed */
#define PAST_TWO   0x35d73a62u /* x^(16 * STRIP) */

/* Returns the product of two polynomials, bits reversed. */
static uint64_t times(uint32_t a, uint32_t b)
{
    uint32_t product = 0;

    for (uint32_t bit = 1u << 31; bit; bit >>= 1) {
        product ^= a & bit ? b : 0;
        b = b >> 1 ^ (b & 1 ? POLYNOMIAL : 0);
    }
    return product;
}

static uint64_t word_at(const uint8_t *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof(word));
    return word;
}

__attribute__((target("sse4.2"))) static uint64_t three_strips(uint64_t crc, const uint8_t *at)
{
    uint64_t second = 0, third = 0;

    for (const uint8_t *end = at + STRIP; at < end; at += sizeof(uint64_t)) {
        crc = __builtin_ia32_crc32di(crc, word_at(at));
        second = __builtin_ia32_crc32di(second, word_at(at + STRIP));
        third = __builtin_ia32_crc32di(third, word_at(at + 2 * (size_t)STRIP));
    }
    return times(PAST_TWO, (uint32_t)crc) ^ times(PAST_STRIP, (uint32_t)second) ^ third;
}

__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t crc, const uint8_t *at,
                                                                 size_t bytes)
{
    uint64_t wide = ~crc;

    for (; bytes >= 3 * STRIP; at += 3 * (size_t)STRIP, bytes -= 3 * STRIP) {
        wide = three_strips(wide, at);
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
    if (__builtin_cpu_supports("sse4.2")) {
        return by_instruction(crc, data, bytes);
    }
#endif
    return lod_crc32c_table(crc, data, bytes);
}

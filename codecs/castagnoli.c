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
__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t crc, const uint8_t *at,
                                                                 size_t bytes)
{
    uint64_t wide = ~crc, word;

    for (; bytes >= sizeof(word); at += sizeof(word), bytes -= sizeof(word)) {
        memcpy(&word, at, sizeof(word));
        wide = __builtin_ia32_crc32di(wide, word);
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

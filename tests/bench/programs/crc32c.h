/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CRC-32C (Castagnoli), as TFRecord files use it. Uses the processor's instruction where there is
 * one, as readers of TFRecords do, else computes bit by bit.
 */
#ifndef BENCH_CRC32C_H
#define BENCH_CRC32C_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t crc32c_plain(uint32_t crc, const uint8_t *at, size_t bytes)
{
    for (; bytes > 0; bytes--) {
        crc ^= *at++;
        for (unsigned bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
        }
    }
    return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static inline uint32_t
crc32c_fast(uint32_t crc, const uint8_t *at, size_t bytes)
{
    uint64_t wide = crc;
    for (; bytes >= 8; bytes -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        wide = __builtin_ia32_crc32di(wide, word);
    }
    return crc32c_plain((uint32_t)wide, at, bytes);
}
#endif

/* Returns the masked form that a TFRecord file contains. */
static inline uint32_t crc32c_masked(const uint8_t *at, size_t bytes)
{
    uint32_t crc = 0xffffffffu;
#if defined(__x86_64__)
    crc = __builtin_cpu_supports("sse4.2") ? crc32c_fast(crc, at, bytes)
                                           : crc32c_plain(crc, at, bytes);
#else
    crc = crc32c_plain(crc, at, bytes);
#endif
    crc = ~crc;
    return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of samples of less than a byte as PNG, BMP and PBM pack them. */
#ifndef LOD_BITS_ROW_H
#define LOD_BITS_ROW_H

#include <stdbool.h>
#include <stdint.h>

/* In place. The first sample stands highest; the last byte is filled up with zeros. */
static inline void lod_bits_pack(uint8_t *row, uint32_t samples, unsigned depth)
{
    const unsigned per_byte = 8 / depth;

    for (uint32_t i = 0; i < samples; i += per_byte) {
        unsigned byte = 0;
        for (unsigned k = 0; k < per_byte; k++) {
            byte = byte << depth | (i + k < samples ? row[i + k] : 0u);
        }
        row[i / per_byte] = (uint8_t)byte;
    }
}

/* The reverse, into a row of its own. What fills up the last byte is not looked at. */
static inline void lod_bits_unpack(const uint8_t *row, uint32_t samples, unsigned depth,
                                   uint8_t *into)
{
    const unsigned per_byte = 8 / depth;

    for (uint32_t i = 0; i < samples; i++) {
        const unsigned shift = 8 - depth * (i % per_byte + 1);
        into[i] = (uint8_t)(row[i / per_byte] >> shift & ((1u << depth) - 1));
    }
}

/* Zeros from bit `bits` on, the highest of a byte first, to the end of a row of `bytes`. */
static inline bool lod_bits_filled(const uint8_t *row, uint64_t bits, uint64_t bytes)
{
    bool zeros = bits % 8 == 0 || (row[bits / 8] & (0xff >> bits % 8)) == 0;

    for (uint64_t i = (bits + 7) / 8; zeros && i < bytes; i++) {
        zeros = row[i] == 0;
    }
    return zeros;
}

#endif

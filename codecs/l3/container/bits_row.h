/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of samples in files: below one byte, as in PNG, BMP and PBM, and of two bytes. */
#ifndef LOD_BITS_ROW_H
#define LOD_BITS_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Packs a row in place. The first sample takes the highest bits; the last byte is filled with
 * zeros.
 */
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

/* Unpacks a row into another. The fill bits of the last byte are ignored. */
static inline void lod_bits_unpack(const uint8_t *row, uint32_t samples, unsigned depth,
                                   uint8_t *into)
{
    const unsigned per_byte = 8 / depth;

    for (uint32_t i = 0; i < samples; i++) {
        const unsigned shift = 8 - depth * (i % per_byte + 1);
        into[i] = (uint8_t)(row[i / per_byte] >> shift & ((1u << depth) - 1));
    }
}

/*
 * Returns whether all bits of a row of `bytes` bytes from bit `bits` on are zero. Bits are counted
 * from the highest of each byte.
 */
static inline bool lod_bits_filled(const uint8_t *row, uint64_t bits, uint64_t bytes)
{
    bool zeros = bits % 8 == 0 || (row[bits / 8] & (0xff >> bits % 8)) == 0;

    for (uint64_t i = (bits + 7) / 8; zeros && i < bytes; i++) {
        zeros = row[i] == 0;
    }
    return zeros;
}

/* Copies a row of samples of two bytes in the other byte order. */
static inline void lod_bits_swap(const uint8_t *row, size_t bytes, uint8_t *into)
{
    for (size_t i = 0; i < bytes; i += 2) {
        into[i] = row[i + 1];
        into[i + 1] = row[i];
    }
}

#endif

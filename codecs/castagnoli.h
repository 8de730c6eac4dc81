/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CRC-32C (Castagnoli), RFC 3720 B.4: reflected, initial value and final xor 0xffffffff. The
 * instruction of the processor where there is one, else a table.
 */
#ifndef LOD_CASTAGNOLI_H
#define LOD_CASTAGNOLI_H

#include <stddef.h>
#include <stdint.h>

/* Returns the CRC of bytes that follow those of `crc`; 0 before the first. */
uint32_t lod_crc32c(uint32_t crc, const void *data, size_t bytes);

/* The reference: a table, on every processor. */
uint32_t lod_crc32c_table(uint32_t crc, const void *data, size_t bytes);

#endif

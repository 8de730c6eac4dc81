/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patches as a device gets them: one entry of input 0 a patch, patches' bytes in input 1, decoding
 * tables in input 2 (struct lod_rans_tables, at multiples of four bytes). status: 0, or 1 for a
 * patch that is malformed, whose place in the output is then undefined.
 */
#ifndef LOD_PATCH_KERNEL_H
#define LOD_PATCH_KERNEL_H

#include "gpu.h"
#include "l3/patch.h"

/* As patch.cl reads it: u32 each. Offsets are in inputs 1 and 2 and in the output. */
struct lod_l3_entry {
    uint32_t at, bytes;
    uint32_t size;   /* width, height << 16 */
    uint32_t sample; /* samples, bits << 8 */
    uint32_t tables; /* LOD_L3_NO_TABLES: none */
    uint32_t out, stride;
    uint32_t reserved;
};
#define LOD_L3_NO_TABLES UINT32_MAX

extern const struct lod_kernel lod_l3_patches;

#endif

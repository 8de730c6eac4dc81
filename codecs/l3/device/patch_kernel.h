/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inputs of the patch kernel: one entry for each patch in input 0, the patches' bytes in input
 * 1, decoding tables in input 2 (struct lod_rans_tables, at multiples of four bytes). The status is
 * 0, or 1 for a malformed patch, whose samples are then undefined.
 */
#ifndef LOD_PATCH_KERNEL_H
#define LOD_PATCH_KERNEL_H

#include "gpu.h"

/*
 * An entry as patch.cl reads it, in u32 words. Offsets refer to inputs 1 and 2 and to the output.
 */
struct lod_l3_entry {
    uint32_t at, bytes;
    uint32_t size;   /* width, height << 16 */
    uint32_t sample; /* samples, bits << 8 */
    uint32_t tables; /* LOD_L3_NO_TABLES: the stream has none */
    uint32_t out, stride;
    uint32_t reserved;
};
#define LOD_L3_NO_TABLES UINT32_MAX

extern const struct lod_kernel lod_l3_patches;

#endif

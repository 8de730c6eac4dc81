/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the source file of a pcr item from its file at full and its rebuild data. */
#ifndef LOD_PCR_ORIGINAL_H
#define LOD_PCR_ORIGINAL_H

#include "codec.h"

/*
 * An item that needs more memory is KEPT. This is three quarters of the memory for all makers of a
 * mount, so that no item is too large for it.
 */
#define LOD_PCR_ORIGINAL_COST_MAX (192ull << 20)

/* Returns the maximum memory for rebuilding; see struct lod_maker. The row must be sound. */
uint64_t lod_pcr_original_cost(const uint8_t row[LOD_ROW_BYTES]);

/* A maker for form LOD_ORIGINAL only; lod_pcr_maker, in pcr_maker.c, is that of the codec. */
extern const struct lod_maker lod_pcr_original_maker;
extern const struct lod_maker lod_pcr_maker;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The source file of a pcr item, made of its full file and its rebuild data. */
#ifndef LOD_PCR_ORIGINAL_H
#define LOD_PCR_ORIGINAL_H

#include "codec.h"

/*
 * An item that takes more is KEPT: three quarters of what all makers of a mount may use at a time,
 * so that none is too large for it.
 */
#define LOD_PCR_ORIGINAL_COST_MAX (192ull << 20)

/* Memory to rebuild at most: see struct lod_maker. The row is sound. */
uint64_t lod_pcr_original_cost(const uint8_t row[LOD_ROW_BYTES]);

/* A maker for form LOD_ORIGINAL alone; lod_pcr_maker, in pcr_maker.c, is the codec's. */
extern const struct lod_maker lod_pcr_original_maker;
extern const struct lod_maker lod_pcr_maker;

#endif

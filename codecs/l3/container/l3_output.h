/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layout of an image in a file: how many bytes each band of patches takes there. Sizes only;
 * the bytes themselves are made by the container (container.h).
 */
#ifndef LOD_L3_OUTPUT_H
#define LOD_L3_OUTPUT_H

#include "l3/container/png_chunks.h"

struct lod_l3_output {
    struct lod_png_header header; /* colour types are those of PNG in every container */
    uint8_t side_log2;            /* log2 of a patch's side, and so of a band's rows */
    uint32_t bands;
    uint64_t row_bytes;              /* of a row in the file, including padding or filter byte */
    uint64_t band_bytes, last_bytes; /* of a full band; of the last band */
    uint64_t bytes;                  /* of all bands */
};

/* Computes the layout. The sides must be valid and side_log2 below 16. */
static inline struct lod_l3_output lod_l3_output_of(const struct lod_png_header *header,
                                                    uint8_t side_log2)
{
    const uint64_t last = (1ull << side_log2) - 1;

    return (struct lod_l3_output){.header = *header,
                                  .side_log2 = side_log2,
                                  .bands = (uint32_t)((header->height + last) >> side_log2)};
}

/* Returns the rows of pixels in a band. */
static inline uint32_t lod_l3_output_rows(const struct lod_l3_output *out, uint32_t band)
{
    const uint64_t left = out->header.height - ((uint64_t)band << out->side_log2);
    const uint64_t full = 1ull << out->side_log2;

    return (uint32_t)(left < full ? left : full);
}

static inline uint64_t lod_l3_output_band_bytes(const struct lod_l3_output *out, uint32_t band)
{
    return band + 1 < out->bands ? out->band_bytes : out->last_bytes;
}

#endif

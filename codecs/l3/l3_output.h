/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pixels of an image as a file has them, cut where bands of patches end: how many bytes each
 * band becomes. Which bytes those are is the container's (container.h). All numbers, no pixels.
 */
#ifndef LOD_L3_OUTPUT_H
#define LOD_L3_OUTPUT_H

#include "l3/png_chunks.h"

struct lod_l3_output {
    struct lod_png_header header; /* colour types are PNG's, whatever the container */
    uint8_t side_log2;            /* of a patch, and so of a band */
    uint32_t bands;
    uint64_t row_bytes; /* of a row of pixels, with what the file has beside its samples */
    uint64_t band_bytes, last_bytes; /* of a band's rows; of the last band's */
    uint64_t bytes;                  /* of all bands */
};

/* Of a side that is valid, and a side_log2 below 16. */
static inline struct lod_l3_output lod_l3_output_of(const struct lod_png_header *header,
                                                    uint8_t side_log2)
{
    const uint64_t last = (1ull << side_log2) - 1;

    return (struct lod_l3_output){.header = *header,
                                  .side_log2 = side_log2,
                                  .bands = (uint32_t)((header->height + last) >> side_log2)};
}

/* Rows of pixels in a band. */
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

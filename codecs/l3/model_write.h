/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What mode small codes an image with: classes, their frequencies, and which
 * activities fall in them, found from counts of a sample of its patches
 * (FORMAT.md, L3 stream, Tables). All in whole numbers, so that every machine
 * finds the same.
 */
#ifndef LOD_MODEL_WRITE_H
#define LOD_MODEL_WRITE_H

#include "buf.h"
#include "l3/rans.h"

/* How often each symbol occurred at each activity of each plane. No escapes. */
struct lod_small_counts {
    uint32_t count[4][LOD_RANS_ACTIVITIES][256];
};

struct lod_small_model {
    unsigned classes;
    uint8_t class_of[4][LOD_RANS_ACTIVITIES]; /* never falls */
    lod_rans_counts counts[LOD_RANS_CLASSES]; /* escapes are never 0, so anything
                                                 can be coded */
    lod_rans_counts starts[LOD_RANS_CLASSES]; /* sums of the counts before, in stored order */
};

/* `planes` of counts; an escape costs `escape_bits` bits more. -ENOMEM. */
LOD_MUST_CHECK int lod_small_model_make(const struct lod_small_counts *counts, unsigned planes,
                                        unsigned classes, unsigned escape_bits,
                                        struct lod_small_model *ret_model);

/* Appends the tables section. */
LOD_MUST_CHECK int lod_small_model_put(const struct lod_small_model *model, unsigned planes,
                                       struct lod_buf *stream);

#endif

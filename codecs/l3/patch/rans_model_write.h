/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the classes, frequencies and class limits that mode small codes an image with, from symbol
 * counts over a sample of its patches (FORMAT.md, L3 stream, Tables). Integer arithmetic only, so
 * that every machine finds the same.
 */
#ifndef LOD_RANS_MODEL_WRITE_H
#define LOD_RANS_MODEL_WRITE_H

#include "buf.h"
#include "l3/patch/rans.h"

/*
 * The number of times that each symbol occurs at each activity of each plane. Escapes do not count.
 */
struct lod_small_counts {
    uint32_t count[4][LOD_RANS_ACTIVITIES][256];
};

struct lod_small_model {
    unsigned classes;
    uint8_t class_of[4][LOD_RANS_ACTIVITIES]; /* never decreases with the activity */
    lod_rans_counts counts[LOD_RANS_CLASSES]; /* of an escape: never 0 */
    lod_rans_counts starts[LOD_RANS_CLASSES]; /* prefix sums of the frequencies, in stored order */
};

/*
 * Makes the model for `planes` planes. An escape costs `escape_bits` additional bits. Returns
 * -ENOMEM.
 */
LOD_MUST_CHECK int lod_small_model_make(const struct lod_small_counts *counts, unsigned planes,
                                        unsigned classes, unsigned escape_bits,
                                        struct lod_small_model *ret_model);

/* Appends the tables to the stream. */
LOD_MUST_CHECK int lod_small_model_put(const struct lod_small_model *model, unsigned planes,
                                       struct lod_buf *stream);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A unit of what is made of an l3 item: a band of patches, found in the stream's head and the
 * band's own bytes; nothing else of the image is read but, for pixels, its palette. How patches are
 * decoded is l3_make.c's.
 */
#ifndef LOD_L3_UNIT_H
#define LOD_L3_UNIT_H

#include "codec.h"
#include "compiler.h"
#include "l3/l3_row.h"
#include "l3/l3_stream.h"

/* Most streams have their head here, and small ones are here whole: a frame of the record. */
#define LOD_L3_FIRST_BYTES (64u << 10)

/* As lod_maker's need. */
LOD_MUST_CHECK int lod_l3_unit_need(const uint8_t row[LOD_ROW_BYTES], unsigned form,
                                    uint64_t number, struct lod_inputs *inputs);

struct lod_l3_unit {
    struct lod_l3_row row;
    unsigned form;
    uint32_t number; /* the band's */
    struct lod_l3_stream stream;
    struct lod_span band; /* its bytes */
    struct lod_span chunks;
    uint32_t rows; /* of samples */
    size_t stride; /* bytes of a row of samples */
};

/* The unit of `bytes` bytes, of inputs that are complete, which it borrows. -EILSEQ. */
LOD_MUST_CHECK int lod_l3_unit_find(const uint8_t row[LOD_ROW_BYTES], unsigned form,
                                    uint64_t number, const struct lod_inputs *inputs, size_t bytes,
                                    struct lod_l3_unit *ret_unit);

/* Samples, `stride` bytes a row, to the bytes of the unit; they are changed. -EILSEQ. */
LOD_MUST_CHECK int lod_l3_unit_finish(const struct lod_l3_unit *unit, uint8_t *samples,
                                      uint8_t *into);

#endif

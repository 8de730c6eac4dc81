/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A unit of an l3 item is one band of patches. It needs the stream's head, the band's own bytes
 * and, for pixels, the palette; nothing else of the image is read. The decoding is in l3_make.c.
 */
#ifndef LOD_L3_UNIT_H
#define LOD_L3_UNIT_H

#include "codec.h"
#include "compiler.h"
#include "l3/container/l3_row.h"
#include "l3/patch/l3_stream.h"

/* The first read of a stream: one frame. Most heads and all small streams fit. */
#define LOD_L3_FIRST_BYTES (64u << 10)

/* Appends missing inputs, as lod_maker.need. */
LOD_MUST_CHECK int lod_l3_unit_need(const uint8_t row[LOD_ROW_BYTES], unsigned form,
                                    uint64_t number, struct lod_inputs *inputs);

struct lod_l3_unit {
    struct lod_l3_row row;
    unsigned form;
    uint32_t number; /* of the band */
    struct lod_l3_stream stream;
    struct lod_span band; /* the band's compressed bytes */
    struct lod_span chunks;
    uint32_t rows; /* of samples */
    size_t stride; /* bytes of a row of samples */
};

/* Finds the unit of `bytes` bytes in complete inputs, which it borrows. Returns -EILSEQ. */
LOD_MUST_CHECK int lod_l3_unit_find(const uint8_t row[LOD_ROW_BYTES], unsigned form,
                                    uint64_t number, const struct lod_inputs *inputs, size_t bytes,
                                    struct lod_l3_unit *ret_unit);

/*
 * Converts samples, rows `stride` bytes apart, to the bytes of the unit; the samples may be
 * overwritten. Returns -EILSEQ.
 */
LOD_MUST_CHECK int lod_l3_unit_finish(const struct lod_l3_unit *unit, uint8_t *samples,
                                      uint8_t *into);

#endif

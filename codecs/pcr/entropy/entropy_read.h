/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes the entropy-coded bytes of one progressive scan without restarts: the inverse of
 * entropy.c. ITU-T T.81, annexes F and G. The bytes are untrusted input.
 */
#ifndef LOD_ENTROPY_READ_H
#define LOD_ENTROPY_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"
#include "compiler.h"
#include "pcr/entropy/entropy.h"

#define LOD_ENTROPY_LOOK_BITS 10

/* A Huffman table for decoding. */
struct lod_entropy_decoder {
    bool known;
    uint16_t look[1 << LOD_ENTROPY_LOOK_BITS]; /* bits << 8 | symbol; 0: the code is longer */
    /* Indexed by code length; codes are extended to 16 bits. */
    uint32_t end[LOD_HUFFMAN_BITS_MAX + 1];      /* codes of this length are below this */
    uint32_t first[LOD_HUFFMAN_BITS_MAX + 1];    /* the first code of this length */
    uint16_t value_at[LOD_HUFFMAN_BITS_MAX + 1]; /* the place of its value */
    uint8_t values[256];
};

struct lod_entropy_decoders {
    struct lod_entropy_decoder of[2][LOD_HUFFMAN_TABLES]; /* by class, number */
};

/* Returns -EILSEQ if there are more codes than their lengths allow. */
LOD_MUST_CHECK int lod_entropy_decoder_make(const struct lod_huffman_table *table,
                                            struct lod_entropy_decoder *ret_decoder);

/* Returns whether the tables exist that a scan needs. */
bool lod_entropy_decoders_serve(const struct lod_entropy_decoders *decoders,
                                const struct lod_entropy_scan *scan);

/*
 * Adds the coefficients of one scan to `jpeg`, for whose frame `scan` was read. `coded` are the
 * bytes between SOS and the next marker. Returns -EILSEQ if they are malformed or end early; `jpeg`
 * is then undefined.
 */
LOD_MUST_CHECK int lod_entropy_read(struct lod_jpeg *jpeg, const struct lod_entropy_scan *scan,
                                    const struct lod_entropy_decoders *decoders,
                                    struct lod_span coded);

#endif

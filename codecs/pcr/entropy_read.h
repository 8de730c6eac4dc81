/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entropy-coded bytes of one progressive scan to coefficients: entropy.c's way back. ITU-T
 * T.81, annexes F and G. Nothing in them is trusted; no restarts.
 */
#ifndef LOD_ENTROPY_READ_H
#define LOD_ENTROPY_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"
#include "compiler.h"
#include "pcr/entropy.h"

#define LOD_ENTROPY_LOOK_BITS 10

/* A Huffman table for decoding. */
struct lod_entropy_decoder {
    bool known;
    uint16_t look[1 << LOD_ENTROPY_LOOK_BITS]; /* bits << 8 | symbol; 0: a longer code */
    uint32_t end[LOD_HUFFMAN_BITS_MAX + 1];    /* codes so long, as 16 bits, are below this */
    uint32_t first[LOD_HUFFMAN_BITS_MAX + 1];  /* the first of them, as 16 bits */
    uint16_t value_at[LOD_HUFFMAN_BITS_MAX + 1];
    uint8_t values[256];
};

struct lod_entropy_decoders {
    struct lod_entropy_decoder of[2][LOD_HUFFMAN_TABLES]; /* by class, number */
};

/* -EILSEQ: more codes than bits can tell apart. */
LOD_MUST_CHECK int lod_entropy_decoder_make(const struct lod_huffman_table *table,
                                            struct lod_entropy_decoder *ret_decoder);

/*
 * Adds what one scan says to `jpeg`, whose frame `scan` was read for. `coded`: what stands between
 * SOS and the next marker. -EILSEQ: malformed, or it ends early; `jpeg` is then good for nothing.
 */
LOD_MUST_CHECK int lod_entropy_read(struct lod_jpeg *jpeg, const struct lod_entropy_scan *scan,
                                    const struct lod_entropy_decoders *decoders,
                                    struct lod_span coded);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plain interface to libjpeg: reads the coefficients of any JPEG, decodes and encodes pixels.
 * Its longjmp never leaves the sources of this interface.
 */
#ifndef LOD_JPEG_IO_H
#define LOD_JPEG_IO_H

#include <stdbool.h>

#include "buf.h"
#include "bytes.h"
#include "compiler.h"
#include "pcr/jpeg/jpeg_planes.h"

/* Limit of lod_jpeg_decode for the pixels of an image, and for its coefficients. */
#define LOD_JPEG_DECODE_BYTES_MAX (1ull << 30)

/*
 * Reads all coefficients. `bytes_max` limits libjpeg's memory; while the coefficients are copied,
 * they are held twice. Returns -ENOTSUP with a static text in *ret_why if they cannot be read
 * without loss (corrupt or truncated data, incomplete progression), or -ENOMEM.
 */
LOD_MUST_CHECK int lod_jpeg_read(struct lod_span file, uint64_t bytes_max,
                                 struct lod_jpeg **ret_jpeg, const char **ret_why);

/*
 * Decodes a file with libjpeg's defaults into `pixels`, replacing its contents. Gray stays gray,
 * CMYK and YCCK become 4 channels, all else RGB. A file that ends early is decoded up to its end.
 * Returns -ENOTSUP if libjpeg does not decode it, -E2BIG beyond LOD_JPEG_DECODE_BYTES_MAX, or
 * -ENOMEM.
 */
LOD_MUST_CHECK int lod_jpeg_decode(struct lod_span file, struct lod_buf *pixels,
                                   uint32_t *ret_width, uint32_t *ret_height,
                                   uint32_t *ret_channels);

/*
 * The same into `into`, which has room for an image of exactly these sides and channels.
 * `bytes_max` limits the pixels and libjpeg's memory together. Returns -EILSEQ if it is not such an
 * image or ends early, -E2BIG or -ENOMEM.
 */
LOD_MUST_CHECK int lod_jpeg_decode_into(struct lod_span file, uint64_t bytes_max, uint32_t width,
                                        uint32_t height, uint32_t channels, uint8_t *into);

struct lod_jpeg_encode_options {
    unsigned quality; /* libjpeg's, 1 .. 100 */
    bool half;        /* chroma of half the width and height (4:2:0); else whole (4:4:4) */
};

/*
 * Appends to `file` a baseline JPEG of gray (1 channel) or RGB (3) pixels without gaps. Returns
 * -EINVAL for other channels or sides that a JPEG cannot have, or -ENOMEM.
 */
LOD_MUST_CHECK int lod_jpeg_encode(const uint8_t *pixels, uint32_t width, uint32_t height,
                                   uint32_t channels, const struct lod_jpeg_encode_options *options,
                                   struct lod_buf *file);

#endif

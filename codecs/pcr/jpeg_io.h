/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libjpeg behind plain functions: coefficients of any JPEG, pixels for measuring. jpeg_io.c and its
 * jpeg_failure alone see jpeglib.h; longjmp never leaves them.
 */
#ifndef LOD_JPEG_IO_H
#define LOD_JPEG_IO_H

#include "buf.h"
#include "bytes.h"
#include "compiler.h"
#include "pcr/jpeg_planes.h"

/* Pixels of an image, and its coefficients, that lod_jpeg_decode will hold. */
#define LOD_JPEG_DECODE_BYTES_MAX (1ull << 30)

/*
 * Reads all coefficients. `bytes_max` limits libjpeg's memory; while they are copied they are held
 * twice. -ENOTSUP with *ret_why, a static text, when they cannot be had without loss (corrupt or
 * truncated data, incomplete progression); -ENOMEM.
 */
LOD_MUST_CHECK int lod_jpeg_read(struct lod_span file, uint64_t bytes_max,
                                 struct lod_jpeg **ret_jpeg, const char **ret_why);

/*
 * Decodes a file with libjpeg's defaults into `pixels` (replaced): gray stays gray, all else
 * becomes RGB; CMYK and YCCK come out as 4 channels. A file that ends early decodes as far as it
 * goes. -ENOTSUP: libjpeg does not decode it; -E2BIG: more than LOD_JPEG_DECODE_BYTES_MAX; -ENOMEM.
 */
LOD_MUST_CHECK int lod_jpeg_decode(struct lod_span file, struct lod_buf *pixels,
                                   uint32_t *ret_width, uint32_t *ret_height,
                                   uint32_t *ret_channels);

/*
 * The same into `into`, which has room for an image of just these sides and channels; `bytes_max`:
 * of pixels and libjpeg's memory together. -EILSEQ: it is no such image, or ends early; -E2BIG;
 * -ENOMEM.
 */
LOD_MUST_CHECK int lod_jpeg_decode_into(struct lod_span file, uint64_t bytes_max, uint32_t width,
                                        uint32_t height, uint32_t channels, uint8_t *into);

#endif

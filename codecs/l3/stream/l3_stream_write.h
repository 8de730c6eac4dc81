/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encodes an image as an L3 stream (l3_stream.h; FORMAT.md, L3 stream). The result depends only on
 * the image and the options.
 */
#ifndef LOD_L3_STREAM_WRITE_H
#define LOD_L3_STREAM_WRITE_H

#include "buf.h"
#include "compiler.h"
#include "l3/patch/l3_image.h"

enum lod_l3_mode {
    LOD_L3_SMALL = 0, /* entropy coded, except patches that are smaller in mode packed */
    LOD_L3_PACKED = 1,
    LOD_L3_PAPER = 2,
    LOD_L3_MODES = 3,
};

struct lod_l3_options {
    enum lod_l3_mode mode;
    uint8_t side_log2; /* LOD_L3_SIDE_LOG2_MIN .. _MAX; 0: the default of the mode */
};

/* Returns the memory that encoding takes besides the samples and the stream's buffer. */
uint64_t lod_l3_encode_cost(const struct lod_l3_image *image);

/*
 * Appends the stream of a valid image whose samples are all below 2^bits. Returns -ENOMEM, or
 * -E2BIG if the stream would exceed 2^32 - 1 bytes. After an error the bytes appended are
 * undefined.
 */
LOD_MUST_CHECK int lod_l3_encode(const struct lod_l3_image *image, const uint8_t *samples,
                                 size_t stride, const struct lod_l3_options *options,
                                 struct lod_buf *stream);

#endif

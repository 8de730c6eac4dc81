/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole image out of a .l3 file (l3_file.h): its pixels as under decoded/, or its samples on a
 * device. For those who have the file at hand; a mount decodes bands (l3_make.h).
 */
#ifndef LOD_L3_WHOLE_H
#define LOD_L3_WHOLE_H

#include "bytes.h"
#include "compiler.h"
#include "gpu.h"
#include "l3/l3_file.h"
#include "l3/l3_stream.h"
#include "pixels.h"

struct lod_l3_whole {
    struct lod_l3_file file;
    struct lod_l3_stream stream;
    struct lod_pixels pixels;
};

/* Opens a file; borrows its bytes. -EILSEQ. */
LOD_MUST_CHECK int lod_l3_whole_open(struct lod_span bytes, struct lod_l3_whole *ret_whole);

/*
 * All pixels, lod_pixels_bytes of them, to `into`. On `gpu`, or on the host if that is NULL, band
 * by band. -EILSEQ, -ENOMEM; -E2BIG: more than a device takes at once.
 */
LOD_MUST_CHECK int lod_l3_whole_pixels(const struct lod_l3_whole *whole, struct lod_gpu *gpu,
                                       uint8_t *into);

/*
 * Is a sample what a pixel is, so that samples on a device are an array of pixels? Not so with a
 * palette, below 8 bits, and where a container has them in another order or scale.
 */
bool lod_l3_whole_is_plain(const struct lod_l3_whole *whole);

/* The samples, left on the device: lod_l3_batch_keep. */
LOD_MUST_CHECK int lod_l3_whole_keep(const struct lod_l3_whole *whole, struct lod_gpu *gpu,
                                     uint64_t *ret_address);

#endif

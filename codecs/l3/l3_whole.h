/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole image from a .l3 file (l3_file.h): its pixels as under decoded/, or its samples in device
 * memory. For programs that have the file; a mount decodes bands instead (l3_make.h).
 */
#ifndef LOD_L3_WHOLE_H
#define LOD_L3_WHOLE_H

#include "bytes.h"
#include "compiler.h"
#include "gpu.h"
#include "l3/l3_file.h"
#include "l3/patch/l3_stream.h"
#include "pixels.h"

struct lod_l3_whole {
    struct lod_l3_file file;
    struct lod_l3_stream stream;
    struct lod_pixels pixels;
};

/* Parses a file and borrows its bytes. Returns -EILSEQ. */
LOD_MUST_CHECK int lod_l3_whole_open(struct lod_span bytes, struct lod_l3_whole *ret_whole);

/*
 * Writes all pixels, lod_pixels_bytes of them, to `into`. Decodes on `gpu`, or band by band on the
 * host if that is NULL. Returns -EILSEQ, -ENOMEM, or -E2BIG if the device cannot take the image at
 * once.
 */
LOD_MUST_CHECK int lod_l3_whole_pixels(const struct lod_l3_whole *whole, struct lod_gpu *gpu,
                                       uint8_t *into);

/*
 * Returns whether samples are pixels as they are, so that samples in device memory are an array of
 * pixels. False for palettes, depths below 8 bits, and containers that reorder or scale samples.
 */
bool lod_l3_whole_is_plain(const struct lod_l3_whole *whole);

/* Decodes the samples and leaves them in device memory; see lod_l3_batch_keep. */
LOD_MUST_CHECK int lod_l3_whole_keep(const struct lod_l3_whole *whole, struct lod_gpu *gpu,
                                     uint64_t *ret_address);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes a progressive JPEG at several of its ends in one pass: each scan is read once, and the
 * image so far is written out at each end.
 */
#ifndef LOD_JPEG_SERIES_H
#define LOD_JPEG_SERIES_H

#include "bytes.h"
#include "compiler.h"

struct lod_jpeg_series {
    /* Each ends a scan, and none is less than the one before. After the last there is only the end
     * marker. */
    const uint64_t *ends;
    unsigned count;
    /* The image at ends[i] is in `into`; an error of it ends the series. */
    int (*step)(void *ctx, unsigned i);
    void *ctx;
};

/*
 * The image at each end is that of lod_jpeg_decode_into for the file that is cut there and ended by
 * an end marker. Ends inside a scan are no error, but then the images may differ from those.
 */
LOD_MUST_CHECK int lod_jpeg_decode_series(struct lod_span file, uint64_t bytes_max, uint32_t width,
                                          uint32_t height, uint32_t channels, uint8_t *into,
                                          const struct lod_jpeg_series *series);

#endif

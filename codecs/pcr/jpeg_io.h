/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libjpeg behind plain functions: coefficients in, scans out, pixels for measuring. jpeg_io.c
 * and its jpeg_failure alone see jpeglib.h; longjmp never leaves them. A handle belongs to one
 * thread at a time.
 */
#ifndef LOD_JPEG_IO_H
#define LOD_JPEG_IO_H

#include "buf.h"
#include "bytes.h"
#include "compiler.h"
#include "script.h"

/* Pixels of an image, and its coefficients, that lod_jpeg_decode will hold. */
#define LOD_JPEG_DECODE_BYTES_MAX (1ull << 30)

/* The quantised coefficients of one JPEG file. Borrows the file's bytes until destroy. */
struct lod_jpeg;

/*
 * Reads all coefficients. `bytes_max` limits libjpeg's memory. -ENOTSUP with *ret_why, a static
 * text, when they cannot be had without loss (corrupt or truncated data, incomplete progression);
 * -ENOMEM.
 */
LOD_MUST_CHECK int lod_jpeg_read(struct lod_span file, uint64_t bytes_max,
                                 struct lod_jpeg **ret_jpeg, const char **ret_why);
struct lod_jpeg *lod_jpeg_destroy(struct lod_jpeg *jpeg);

/*
 * Appends to `out` a progressive JPEG of these coefficients: SOI, DQT, SOF, then the scans of
 * `script` (already fitted), each behind its own DHT, and EOI; no APPn, no COM, no DRI. On failure
 * `out` is as before: -ENOTSUP, a coefficient is out of the range that progressive coding carries;
 * -ENOMEM.
 */
LOD_MUST_CHECK int lod_jpeg_write(struct lod_jpeg *jpeg, const struct lod_script *script,
                                  struct lod_buf *out);

/* 0 if both hold the same coefficients, tables, sampling and ids; -EBADMSG if not. */
LOD_MUST_CHECK int lod_jpeg_same(struct lod_jpeg *a, struct lod_jpeg *b);

/* The blocks of an image: what entropy coding needs to know of it. */
#define LOD_JPEG_BLOCK 64 /* coefficients, row by row */
struct lod_jpeg_component {
    uint8_t id;
    uint8_t h, v; /* blocks in an MCU, 1 .. 4 each */
    uint32_t blocks_wide, blocks_high;
};

struct lod_jpeg_frame {
    uint8_t components; /* 1 .. 4 */
    uint32_t mcus_wide, mcus_high;
    struct lod_jpeg_component component[LOD_SCRIPT_COMPONENTS];
};

void lod_jpeg_frame(const struct lod_jpeg *jpeg, struct lod_jpeg_frame *ret_frame);

/*
 * Row y of component c's blocks, mcus_wide * h of them; y < mcus_high * v. Those past blocks_wide
 * and blocks_high are an MCU's padding, as far as the file sent it. Stays valid until destroy.
 * NULL: libjpeg failed.
 */
int16_t (*lod_jpeg_row(struct lod_jpeg *jpeg, unsigned c, uint32_t y))[LOD_JPEG_BLOCK];

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

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The quantised coefficients of a JPEG file: a plane for each component, with rows of blocks, each
 * block in zigzag order. jpeg_io.c reads them from any JPEG, scans_read.c from files of pack. Used
 * by one thread at a time.
 */
#ifndef LOD_JPEG_PLANES_H
#define LOD_JPEG_PLANES_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "pcr/jpeg/script.h"

#define LOD_JPEG_BLOCK        64 /* coefficients */
#define LOD_JPEG_QUANT_TABLES 4

/* The row-order index of coefficient k of the zigzag order: T.81, figure A.6. */
extern const uint8_t lod_zigzag[LOD_JPEG_BLOCK];

/* The blocks of an image. */
struct lod_jpeg_component {
    uint8_t id;
    uint8_t h, v;   /* blocks in an MCU, 1 .. 4 each */
    uint8_t quant;  /* table, 0 .. 3 */
    uint8_t coding; /* its Huffman tables when written: 0 luminance, 1 chrominance */
    uint32_t blocks_wide, blocks_high;
};

struct lod_jpeg_frame {
    uint8_t components; /* 1 .. 4 */
    uint16_t width, height;
    uint32_t mcus_wide, mcus_high;
    struct lod_jpeg_component component[LOD_SCRIPT_COMPONENTS];
};

struct lod_jpeg {
    struct lod_jpeg_frame frame;
    uint16_t quant[LOD_JPEG_QUANT_TABLES][LOD_JPEG_BLOCK];   /* zigzag */
    int16_t (*plane[LOD_SCRIPT_COMPONENTS])[LOD_JPEG_BLOCK]; /* mcus_wide * h blocks a row */
};

/* Computes the blocks and MCUs of a frame whose size, ids, h and v are set. */
void lod_jpeg_frame_measure(struct lod_jpeg_frame *frame);

/* Returns 0 if both have the same size, ids and sampling, -EBADMSG if not. */
LOD_MUST_CHECK int lod_jpeg_frame_same(const struct lod_jpeg_frame *a,
                                       const struct lod_jpeg_frame *b);

/* Returns the bytes of the planes of a measured frame. */
uint64_t lod_jpeg_frame_bytes(const struct lod_jpeg_frame *frame);

/* Creates planes with all coefficients 0. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_jpeg_create(const struct lod_jpeg_frame *frame, struct lod_jpeg **ret_jpeg);
struct lod_jpeg *lod_jpeg_destroy(struct lod_jpeg *jpeg);

/*
 * Returns row y of component c, mcus_wide * h blocks; y < mcus_high * v. Blocks beyond blocks_wide
 * and blocks_high are the padding of an MCU, as far as the file has it.
 */
static inline int16_t (*lod_jpeg_row(const struct lod_jpeg *jpeg, unsigned c,
                                     uint32_t y))[LOD_JPEG_BLOCK]
{
    return jpeg->plane[c] + (size_t)y * jpeg->frame.mcus_wide * jpeg->frame.component[c].h;
}

#endif

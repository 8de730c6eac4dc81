/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The quantised coefficients of one JPEG file, in memory of our own: a plane a component, row by
 * row of blocks, each block in zigzag order. Read by jpeg_io.c (any JPEG) and scans_read.c (what
 * pack wrote). Belongs to one thread at a time.
 */
#ifndef LOD_JPEG_PLANES_H
#define LOD_JPEG_PLANES_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "script.h"

#define LOD_JPEG_BLOCK        64 /* coefficients */
#define LOD_JPEG_QUANT_TABLES 4

/* Where coefficient k of the zigzag order stands in a block row by row: T.81, figure A.6. */
extern const uint8_t lod_zigzag[LOD_JPEG_BLOCK];

/* The blocks of an image. */
struct lod_jpeg_component {
    uint8_t id;
    uint8_t h, v;   /* blocks in an MCU, 1 .. 4 each */
    uint8_t quant;  /* table, 0 .. 3 */
    uint8_t coding; /* the Huffman tables a writer numbers it with: 0, of chrominance 1 */
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

/* Fills blocks and MCUs of a frame whose size, ids, h and v are set. */
void lod_jpeg_frame_measure(struct lod_jpeg_frame *frame);

/* What the planes of a measured frame take. */
uint64_t lod_jpeg_frame_bytes(const struct lod_jpeg_frame *frame);

/* All coefficients 0. -ENOMEM. */
LOD_MUST_CHECK int lod_jpeg_create(const struct lod_jpeg_frame *frame, struct lod_jpeg **ret_jpeg);
struct lod_jpeg *lod_jpeg_destroy(struct lod_jpeg *jpeg);

/*
 * Row y of component c's blocks, mcus_wide * h of them; y < mcus_high * v. Those past blocks_wide
 * and blocks_high are an MCU's padding, as far as the file sent it.
 */
static inline int16_t (*lod_jpeg_row(const struct lod_jpeg *jpeg, unsigned c,
                                     uint32_t y))[LOD_JPEG_BLOCK]
{
    return jpeg->plane[c] + (size_t)y * jpeg->frame.mcus_wide * jpeg->frame.component[c].h;
}

/* 0 if both hold the same coefficients, tables, sampling and ids; -EBADMSG if not. Padding aside.
 */
LOD_MUST_CHECK int lod_jpeg_same(const struct lod_jpeg *a, const struct lod_jpeg *b);

#endif

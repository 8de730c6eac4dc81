/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks the chunks of a PNG file before anything is inflated: finds the kind of image and the place
 * of each chunk. Checks lengths, order and CRCs. Opens no zlib stream.
 */
#ifndef LOD_PNG_CHUNKS_H
#define LOD_PNG_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"
#include "compiler.h"
#include "l3/patch/l3_image.h"

#define LOD_PNG_CHUNK_BYTES 12u         /* length, type, CRC */
#define LOD_PNG_IHDR_BYTES  33u         /* the signature and the chunk IHDR */
#define LOD_PNG_BYTES_MAX   0x7fffffffu /* of a chunk's contents; also the longest side */

enum lod_png_colour {
    LOD_PNG_GRAY = 0,
    LOD_PNG_RGB = 2,
    LOD_PNG_PALETTE = 3,
    LOD_PNG_GRAY_ALPHA = 4,
    LOD_PNG_RGBA = 6,
};

/* The fields of IHDR, checked. */
struct lod_png_header {
    uint32_t width, height; /* 1 .. 2^31 - 1 */
    uint8_t depth;          /* 1, 2, 4, 8 or 16, as the colour type allows */
    uint8_t colour;         /* enum lod_png_colour */
    bool interlaced;
};

/* A file that lod_png_scan accepted: 33 bytes, `before`, `idat`, `after`, and 12 bytes of IEND. */
struct lod_png_layout {
    struct lod_png_header header;
    struct lod_span before; /* chunks between IHDR and the first IDAT, including their headers */
    /* the PLTE chunk in `before`, with its header; bytes is 0 if there is none */
    struct lod_span plte;
    struct lod_span idat;  /* all IDAT chunks, including their headers */
    struct lod_span after; /* chunks between the last IDAT and IEND, including their headers */
    bool transparent;      /* the file has a tRNS */
};

/* Returns whether PNG has this combination of depth and colour type. */
bool lod_png_header_valid(const struct lod_png_header *header);

/* Returns the image as samples without meaning: a palette image has one sample a pixel. */
struct lod_l3_image lod_png_image(const struct lod_png_header *header);

/* Reads the signature and IHDR. Returns -ENOTSUP and a reason in *ret_why, static text. */
LOD_MUST_CHECK int lod_png_read_header(struct lod_span file, struct lod_png_header *ret_header,
                                       const char **ret_why);

/*
 * Reads all chunks. Returns -ENOTSUP and a reason in *ret_why, static text, if
 *
 * - the file is damaged, or bytes follow IEND;
 * - it is animated;
 * - it has critical or unsafe-to-copy chunks that this file does not list;
 * - a chunk stands where PNG gives it no meaning.
 */
LOD_MUST_CHECK int lod_png_scan(struct lod_span file, struct lod_png_layout *ret_layout,
                                const char **ret_why);

#endif

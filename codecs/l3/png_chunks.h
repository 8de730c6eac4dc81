/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chunks of a PNG file, looked at before anything is inflated: what kind of image it is and
 * where its chunks lie. No zlib stream is opened here; lengths, order and CRCs are checked.
 */
#ifndef LOD_PNG_CHUNKS_H
#define LOD_PNG_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"
#include "compiler.h"
#include "l3/l3_image.h"

#define LOD_PNG_CHUNK_BYTES 12u         /* length, type, CRC */
#define LOD_PNG_IHDR_BYTES  33u         /* the signature and the chunk IHDR */
#define LOD_PNG_BYTES_MAX   0x7fffffffu /* of a chunk's contents, and of a side */

enum lod_png_colour {
    LOD_PNG_GRAY = 0,
    LOD_PNG_RGB = 2,
    LOD_PNG_PALETTE = 3,
    LOD_PNG_GRAY_ALPHA = 4,
    LOD_PNG_RGBA = 6,
};

/* What IHDR says, checked. */
struct lod_png_header {
    uint32_t width, height; /* 1 .. 2^31 - 1 */
    uint8_t depth;          /* 1, 2, 4, 8 or 16, as the colour type allows */
    uint8_t colour;         /* enum lod_png_colour */
    bool interlaced;
};

/* A file that lod_png_scan accepted: 33 bytes, `before`, `idat`, `after`, and 12 bytes of IEND. */
struct lod_png_layout {
    struct lod_png_header header;
    struct lod_span before; /* chunks between IHDR and the first IDAT, whole */
    struct lod_span plte;   /* of those, PLTE; bytes 0: there is none */
    struct lod_span idat;   /* all IDAT chunks, whole */
    struct lod_span after;  /* chunks between the last IDAT and IEND, whole */
    bool transparent;       /* there is a tRNS */
};

/* Is this combination one that PNG has? */
bool lod_png_header_valid(const struct lod_png_header *header);

/* The image without its colours' meaning: samples of palette indices are one a pixel. */
struct lod_l3_image lod_png_image(const struct lod_png_header *header);

/* Signature and IHDR alone. -ENOTSUP with *ret_why, a static text. */
LOD_MUST_CHECK int lod_png_read_header(struct lod_span file, struct lod_png_header *ret_header,
                                       const char **ret_why);

/*
 * All chunks. -ENOTSUP with *ret_why when the file is damaged or has what a PNG of the same pixels
 * and chunks in one IDAT could not carry over: animation, critical or unsafe-to-copy chunks nobody
 * knows, bytes behind IEND, chunks in places that give them no meaning.
 */
LOD_MUST_CHECK int lod_png_scan(struct lod_span file, struct lod_png_layout *ret_layout,
                                const char **ret_why);

#endif

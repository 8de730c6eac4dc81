/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What rebuilding and making rebuild data have in common: the operations of a header part and what
 * they take from the full file. FORMAT.md, Rebuild data.
 */
#ifndef LOD_EXACT_PARTS_H
#define LOD_EXACT_PARTS_H

#include "bytes.h"
#include "compiler.h"
#include "pcr/entropy.h"
#include "pcr/exact.h"
#include "pcr/jpeg_planes.h"
#include "pcr/jpeg_scan.h"

/* A byte: operation << 4 | bytes of arguments; 15: a varint with their number follows. */
enum lod_exact_op {
    LOD_EXACT_LITERAL = 0,  /* bytes */
    LOD_EXACT_SEGMENTS = 1, /* varint first, varint count: APPn and COM of full */
    LOD_EXACT_DQT = 2,      /* a byte a table: precision << 4 | number */
    LOD_EXACT_SOF = 3,      /* u8 marker */
    LOD_EXACT_DHT = 4,      /* a byte a table: kind << 6 | class << 4 | number, then a custom one */
    LOD_EXACT_DRI = 5,      /* u16 MCUs */
    LOD_EXACT_SCAN = 6,     /* u8 flags, u16 run_max if LIMITED, the contents of SOS */
    LOD_EXACT_EOI = 7,
    LOD_EXACT_PADDING = 8, /* the tail has padding blocks */
    LOD_EXACT_OPS = 9,
};
#define LOD_EXACT_LONG 15u

enum lod_exact_table {
    LOD_EXACT_CUSTOM = 0, /* counts and values follow */
    LOD_EXACT_LUMINANCE = 1,
    LOD_EXACT_CHROMINANCE = 2,
    LOD_EXACT_OPTIMAL = 3, /* for the next scan */
};

#define LOD_EXACT_PAD_ZEROS 0x01u
#define LOD_EXACT_PATCHED   0x02u /* the tail has changes to the scan's bytes */
#define LOD_EXACT_LIMITED   0x04u
#define LOD_EXACT_FLAGS     0x07u

/* Rebuild data begins with where its header part is. */
#define LOD_EXACT_OWN    0 /* varint bytes, then the header part */
#define LOD_EXACT_SHARED 1 /* u16 slot */

struct lod_exact_parts {
    struct lod_span full;
    struct lod_jpeg_layout layout;
    unsigned tables; /* a bit for each that stands in `quant` */
    uint16_t quant[4][LOD_JPEG_BLOCK];
    struct lod_span sof; /* the segment, its marker included */
};

/* -EILSEQ: `full` is no file that pack writes. */
LOD_MUST_CHECK int lod_exact_parts_read(struct lod_span full, struct lod_exact_parts *ret_parts);

/* The contents of a SOS segment as a scan; restart and flags are the caller's. -EILSEQ. */
LOD_MUST_CHECK int lod_exact_scan_read(struct lod_cursor sos, const struct lod_jpeg_frame *frame,
                                       bool progressive, struct lod_entropy_scan *ret_scan);

#endif

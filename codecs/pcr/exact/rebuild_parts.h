/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Definitions shared by rebuilding and by making rebuild data: the operations of a header part, and
 * the parts that they take from the file at full. FORMAT.md, Rebuild data.
 */
#ifndef LOD_REBUILD_PARTS_H
#define LOD_REBUILD_PARTS_H

#include "bytes.h"
#include "compiler.h"
#include "pcr/entropy/entropy.h"
#include "pcr/exact/rebuild.h"
#include "pcr/jpeg/jpeg_planes.h"
#include "pcr/jpeg/jpeg_scan.h"

/* An operation is a byte: operation << 4 | number of argument bytes. 15 means that the number
 * follows as a varint. */
enum lod_rebuild_op {
    LOD_REBUILD_LITERAL = 0, /* bytes */
    /* varint first, varint count: copies that many APPn and COM segments of full */
    LOD_REBUILD_SEGMENTS = 1,
    LOD_REBUILD_DQT = 2, /* for each table a byte: precision << 4 | number */
    LOD_REBUILD_SOF = 3, /* u8 marker */
    /* for each table a byte: kind << 6 | class << 4 | number; a custom table follows its byte */
    LOD_REBUILD_DHT = 4,
    LOD_REBUILD_DRI = 5,  /* u16 MCUs */
    LOD_REBUILD_SCAN = 6, /* u8 flags, u16 run_max if LIMITED, the contents of SOS */
    LOD_REBUILD_EOI = 7,
    LOD_REBUILD_PADDING = 8, /* the tail has padding blocks */
    LOD_REBUILD_OPS = 9,
};
#define LOD_REBUILD_LONG 15u

enum lod_rebuild_table {
    LOD_REBUILD_CUSTOM = 0, /* counts and values follow */
    LOD_REBUILD_LUMINANCE = 1,
    LOD_REBUILD_CHROMINANCE = 2,
    LOD_REBUILD_OPTIMAL = 3, /* for the next scan */
};

#define LOD_REBUILD_PAD_ZEROS 0x01u
#define LOD_REBUILD_PATCHED   0x02u /* the tail has changes to the scan's bytes */
#define LOD_REBUILD_LIMITED   0x04u
#define LOD_REBUILD_FLAGS     0x07u

/* The first byte of rebuild data. It says where the header part is. */
#define LOD_REBUILD_OWN    0 /* varint bytes, then the header part */
#define LOD_REBUILD_SHARED 1 /* u16 slot */

struct lod_rebuild_parts {
    struct lod_span full;
    struct lod_jpeg_layout layout;
    unsigned tables; /* a bit for each table that `quant` has */
    uint16_t quant[4][LOD_JPEG_BLOCK];
    struct lod_span sof; /* the segment, its marker included */
};

/* Returns -EILSEQ if `full` is not a file that pack writes. */
LOD_MUST_CHECK int lod_rebuild_parts_read(struct lod_span full,
                                          struct lod_rebuild_parts *ret_parts);

/* Reads the contents of a SOS segment as a scan. The caller sets restart and flags. Returns
 * -EILSEQ. */
LOD_MUST_CHECK int lod_rebuild_scan_read(struct lod_cursor sos, const struct lod_jpeg_frame *frame,
                                         bool progressive, struct lod_entropy_scan *ret_scan);

#endif

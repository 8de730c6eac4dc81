/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the markers of a JPEG file: bounds, kinds and places of segments. Does not decode the
 * entropy-coded bits, and allocates nothing. Follows ITU-T T.81 annex B.
 */
#ifndef LOD_JPEG_SCAN_H
#define LOD_JPEG_SCAN_H

#include <stdint.h>

#include "bytes.h"
#include "compiler.h"
#include "pcr/jpeg/script.h"

#define LOD_JPEG_SIDE_MAX     65500u
#define LOD_JPEG_SCANS_MAX    128  /* more would be an attack on decoding time */
#define LOD_JPEG_SEGMENTS_MAX 1024 /* APPn and COM */

enum lod_jpeg_segment_kind {
    LOD_JPEG_JFIF,  /* APP0 "JFIF" */
    LOD_JPEG_ADOBE, /* APP14 "Adobe", 12 bytes or more */
    LOD_JPEG_ICC,   /* APP2 "ICC_PROFILE" */
    LOD_JPEG_EXIF,  /* APP1 "Exif" */
    LOD_JPEG_OTHER, /* any other APPn, and COM */
};

struct lod_jpeg_segment {
    enum lod_jpeg_segment_kind kind;
    uint32_t offset; /* of the 0xff of its marker */
    uint32_t bytes;  /* marker and length included */
};

struct lod_jpeg_layout {
    uint8_t sof; /* the SOF marker, 0xc0 .. 0xcf */
    uint8_t components;
    uint16_t width, height;
    uint8_t h[4], v[4];      /* sampling factors */
    uint16_t luma_table[64]; /* of component 0 at its first scan, in file order */
    uint32_t scans;
    uint32_t end;        /* one past EOI; trailing bytes follow */
    uint8_t orientation; /* EXIF, 1 .. 8; 0: none */
    uint32_t segments_count;
    struct lod_jpeg_segment segments[LOD_JPEG_SEGMENTS_MAX];
};

/*
 * Reads the markers of a JPEG file. Returns 0, or -ENOTSUP if the file must be stored WHOLE;
 * *ret_why is then the reason, a static text (arithmetic, 12 bit, lossless, DNL, truncated, too
 * many scans).
 */
LOD_MUST_CHECK int lod_jpeg_scan(struct lod_span file, struct lod_jpeg_layout *ret_layout,
                                 const char **ret_why);

/*
 * Returns the end of the entropy-coded bytes that start at `at`: the 0xff of the next marker that
 * is not a restart marker, or `file.bytes` if there is none.
 */
size_t lod_jpeg_entropy_end(struct lod_span file, size_t at);

#endif

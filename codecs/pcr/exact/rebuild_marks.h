/* SPDX-License-Identifier: Apache-2.0 */
/* The segments of a source file in order, and the place of each scan's entropy-coded bytes. */
#ifndef LOD_REBUILD_MARKS_H
#define LOD_REBUILD_MARKS_H

#include "bytes.h"
#include "compiler.h"
#include "pcr/jpeg/jpeg_scan.h"

#define LOD_REBUILD_MARKS_MAX 2048 /* segments, EOI included */

struct lod_rebuild_mark {
    uint8_t code;     /* of its marker */
    uint32_t at, end; /* bounds of the segment, its marker included */
    uint32_t
        entropy_end; /* SOS: end of the entropy-coded bytes, which begin at `end`; else `end` */
};

struct lod_rebuild_marks {
    unsigned count;
    struct lod_rebuild_mark mark[LOD_REBUILD_MARKS_MAX]; /* the last is EOI */
};

/*
 * Reads the marks. Bytes between one mark's entropy_end and the next one's `at` belong to none.
 * Returns -E2BIG if there are too many marks or scans, -EILSEQ if there is no EOI.
 */
LOD_MUST_CHECK int lod_rebuild_marks_read(struct lod_span source,
                                          struct lod_rebuild_marks *ret_marks);

/* Returns the contents of a segment, after its length. */
struct lod_cursor lod_rebuild_mark_body(struct lod_span source,
                                        const struct lod_rebuild_mark *mark);

#endif

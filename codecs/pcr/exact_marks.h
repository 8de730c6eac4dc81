/* SPDX-License-Identifier: Apache-2.0 */
/* The segments of a source file in order, and the place of each scan's entropy-coded bytes. */
#ifndef LOD_EXACT_MARKS_H
#define LOD_EXACT_MARKS_H

#include "bytes.h"
#include "compiler.h"
#include "pcr/jpeg_scan.h"

#define LOD_EXACT_MARKS_MAX 2048 /* segments, EOI included */

struct lod_exact_mark {
    uint8_t code;         /* of its marker */
    uint32_t at, end;     /* the segment, its marker included */
    uint32_t entropy_end; /* SOS: the scan's bytes stand from `end` to here; else `end` */
};

struct lod_exact_marks {
    unsigned count;
    struct lod_exact_mark mark[LOD_EXACT_MARKS_MAX]; /* the last is EOI */
};

/*
 * What stands between one mark's entropy_end and the next one's `at` belongs to none. -E2BIG: too
 * many of them, or of scans; -EILSEQ: no EOI.
 */
LOD_MUST_CHECK int lod_exact_marks_read(struct lod_span source, struct lod_exact_marks *ret_marks);

/* The contents of a segment, behind its length. */
struct lod_cursor lod_exact_mark_body(struct lod_span source, const struct lod_exact_mark *mark);

#endif

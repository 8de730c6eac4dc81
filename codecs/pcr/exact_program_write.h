/* SPDX-License-Identifier: Apache-2.0 */
/* The header part of rebuild data, written: the source's segments as operations. */
#ifndef LOD_EXACT_PROGRAM_WRITE_H
#define LOD_EXACT_PROGRAM_WRITE_H

#include "buf.h"
#include "pcr/exact_marks.h"
#include "pcr/exact_parts.h"

struct lod_exact_program {
    struct lod_span source;
    const struct lod_exact_marks *marks;
    const struct lod_exact_parts *parts; /* of the full file */
    struct lod_jpeg *jpeg;               /* its coefficients, padding blocks filled in */
    bool padded;                         /* the tail has padding blocks */
    uint8_t flags[LOD_JPEG_SCANS_MAX];   /* of each scan: PAD_ZEROS, PATCHED */
};

/* Appends the program to `out`. -ENOMEM. */
LOD_MUST_CHECK int lod_exact_program_write(const struct lod_exact_program *program,
                                           struct lod_buf *out);

#endif

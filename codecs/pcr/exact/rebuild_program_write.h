/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the header part of rebuild data: the source's segments as operations. */
#ifndef LOD_REBUILD_PROGRAM_WRITE_H
#define LOD_REBUILD_PROGRAM_WRITE_H

#include "buf.h"
#include "pcr/exact/rebuild_marks.h"
#include "pcr/exact/rebuild_parts.h"

struct lod_rebuild_program {
    struct lod_span source;
    const struct lod_rebuild_marks *marks;
    const struct lod_rebuild_parts *parts; /* of the file at full */
    struct lod_jpeg *jpeg;                 /* its coefficients, with padding blocks filled */
    bool padded;                           /* the tail has padding blocks */
    uint8_t flags[LOD_JPEG_SCANS_MAX];     /* of each scan: PAD_ZEROS, PATCHED */
};

/* Appends the program to `out`. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_rebuild_program_write(const struct lod_rebuild_program *program,
                                             struct lod_buf *out);

#endif

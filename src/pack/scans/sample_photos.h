/* SPDX-License-Identifier: Apache-2.0 */
/* The contents of a sample, for the sources that measure it. */
#ifndef LOD_SAMPLE_PHOTOS_H
#define LOD_SAMPLE_PHOTOS_H

#include "buf.h"
#include "pack/scans/sample.h"
#include "pcr/jpeg/script.h"

struct lod_sample_photo {
    struct lod_buf file;
    unsigned class;
    bool drawn, choosing;
};

struct lod_sample {
    struct lod_sample_limits limits;
    unsigned looked_at;               /* files offered and read */
    unsigned seen[LOD_QUANT_CLASSES]; /* photographs among them */
    unsigned choosing[LOD_QUANT_CLASSES], choosing_all;
    unsigned drawn;
    double drawn_ns, choosing_ns; /* estimated time for measuring them */
    bool drawn_all;               /* the next one would take too long */
    uint64_t bytes;               /* of the photographs kept */
    unsigned count;
    struct lod_sample_photo photos[LOD_SAMPLE_FILES_MAX]; /* in the order they were offered */
};

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What is in a sample, for those who measure it: scans.c alone. */
#ifndef LOD_SAMPLE_PHOTOS_H
#define LOD_SAMPLE_PHOTOS_H

#include "buf.h"
#include "pack/sample.h"
#include "pcr/script.h"

struct lod_sample_photo {
    struct lod_buf file;
    unsigned class;
};

struct lod_sample {
    unsigned looked_at; /* files offered and read */
    uint64_t bytes;     /* of the photographs kept */
    struct {
        unsigned count;
        uint64_t pixels;
    } classes[LOD_QUANT_CLASSES];
    unsigned count;
    struct lod_sample_photo photos[LOD_SAMPLE_PHOTOS_MAX]; /* in the order they were offered */
};

#endif

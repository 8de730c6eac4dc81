/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes many images, or bands of them, in one job of a device: a single small image has too few
 * patches to keep a device busy. Knows no files; the caller provides the bytes and the memory for
 * the pixels.
 */
#ifndef LOD_BATCH_H
#define LOD_BATCH_H

#include "bytes.h"
#include "compiler.h"
#include "gpu.h"
#include "l3/patch/l3_stream.h"

/* Bands first .. first + count - 1 of one image. */
struct lod_l3_part {
    const struct lod_l3_stream *stream; /* opened and borrowed, like all below */
    uint32_t first, count;
    struct lod_span bands; /* the bytes of the bands, adjacent as they are stored */
    /* where the first sample of band `first` is written; NULL: see lod_l3_batch_keep */
    uint8_t *into;
    size_t stride;
    int error; /* result of the part: 0, or -EILSEQ and the samples are undefined */
};

/* Returns the size of a job of these parts. Above LOD_GPU_JOB_BYTES_MAX it is refused. */
uint64_t lod_l3_batch_bytes(const struct lod_l3_part *parts, unsigned count);

/*
 * Decodes all parts; each gets its own error. Returns -E2BIG above LOD_GPU_JOB_BYTES_MAX, or
 * -ENOMEM; then no part's error is set. A device that fails is not an error: see gpu.h.
 * Thread-safe.
 */
LOD_MUST_CHECK int lod_l3_batch(struct lod_gpu *gpu, struct lod_l3_part *parts, unsigned count);

/*
 * Decodes one part and leaves its pixels in device memory, rows without gaps. Returns their
 * address; free it with lod_gpu_release. Returns -ENOTSUP if the device has no such addresses,
 * -EILSEQ, or an error of lod_l3_batch.
 */
LOD_MUST_CHECK int lod_l3_batch_keep(struct lod_gpu *gpu, const struct lod_l3_part *part,
                                     uint64_t *ret_address);

#endif

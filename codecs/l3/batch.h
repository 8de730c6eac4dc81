/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many images, or bands of them, decoded in one job of a device: a small image has too few patches
 * to fill one. Knows no files; bytes come from their owner, pixels go to where he says.
 */
#ifndef LOD_BATCH_H
#define LOD_BATCH_H

#include "bytes.h"
#include "compiler.h"
#include "gpu.h"
#include "l3/l3_stream.h"

/* Bands first .. first + count - 1 of one image. */
struct lod_l3_part {
    const struct lod_l3_stream *stream; /* opened; borrowed, as all below */
    uint32_t first, count;
    struct lod_span bands; /* their bytes, side by side as they are stored */
    uint8_t *into;         /* the first sample of band `first`; NULL: see lod_l3_batch_keep */
    size_t stride;
    int error; /* after the batch: 0, or -EILSEQ and what is at `into` is undefined */
};

/* Bytes of a job of these parts; not more than LOD_GPU_JOB_BYTES_MAX is taken. */
uint64_t lod_l3_batch_bytes(const struct lod_l3_part *parts, unsigned count);

/*
 * Decodes all parts; each has its own error. -E2BIG: past LOD_GPU_JOB_BYTES_MAX; -ENOMEM; no part's
 * error is set then. A device that fails is no error: see gpu.h. Any thread.
 */
LOD_MUST_CHECK int lod_l3_batch(struct lod_gpu *gpu, struct lod_l3_part *parts, unsigned count);

/*
 * One part whose pixels stay on the device, rows without gaps: their address there, which the
 * caller gives back by lod_gpu_release. -ENOTSUP: the device has no such addresses; -EILSEQ, and
 * what lod_l3_batch returns.
 */
LOD_MUST_CHECK int lod_l3_batch_keep(struct lod_gpu *gpu, const struct lod_l3_part *part,
                                     uint64_t *ret_address);

#endif

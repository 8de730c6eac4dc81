/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the header part of rebuild data, which is a program. pack runs it too, to check its result.
 */
#ifndef LOD_REBUILD_RUN_H
#define LOD_REBUILD_RUN_H

#include "pcr/exact/rebuild_parts.h"

/* The places of the entropy-coded bytes of the scans in a rebuilt file. */
struct lod_rebuild_trace {
    unsigned count;
    struct {
        size_t at, end;
    } scan[LOD_JPEG_SCANS_MAX];
};

/*
 * As lod_rebuild_file, for a file at full that is parsed and whose coefficients are read.
 * *ret_bytes may be less than `room`. Overwrites the padding blocks of `jpeg`.
 */
LOD_MUST_CHECK int lod_rebuild_run(const struct lod_rebuild_parts *parts, struct lod_jpeg *jpeg,
                                   struct lod_span header, struct lod_span tail, uint8_t *out,
                                   size_t room, size_t *ret_bytes,
                                   struct lod_rebuild_trace *ret_trace);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The header part of rebuild data is a program, run here; pack runs it too, to prove what it made.
 */
#ifndef LOD_EXACT_RUN_H
#define LOD_EXACT_RUN_H

#include "pcr/exact_parts.h"

/* Where the scans of a rebuilt file have their entropy-coded bytes. */
struct lod_exact_trace {
    unsigned count;
    struct {
        size_t at, end;
    } scan[LOD_JPEG_SCANS_MAX];
};

/*
 * lod_exact_rebuild with the full file taken apart and its coefficients read. *ret_bytes may be
 * less than `room`. The padding blocks of `jpeg` are overwritten.
 */
LOD_MUST_CHECK int lod_exact_run(const struct lod_exact_parts *parts, struct lod_jpeg *jpeg,
                                 struct lod_span header, struct lod_span tail, uint8_t *out,
                                 size_t room, size_t *ret_bytes, struct lod_exact_trace *ret_trace);

#endif

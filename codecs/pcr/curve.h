/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rate-distortion curve of one photograph under one scan script: bytes and MSSIM at q1 .. q10.
 * Pack measures candidates with it (`--scans=auto`); nothing here touches a store.
 */
#ifndef LOD_CURVE_H
#define LOD_CURVE_H

#include "bytes.h"
#include "compiler.h"
#include "script.h"

/*
 * MSSIM is taken on the middle of a photograph, bytes on the whole: 512 x 512 pixels hold several
 * hundred windows at the coarsest of five scales, and measuring must cost less than packing.
 */
#define LOD_CURVE_SIDE       512u
#define LOD_CURVE_PIXELS_MAX (LOD_CURVE_SIDE * LOD_CURVE_SIDE)

struct lod_curve {
    double source_bytes;
    double bytes[LOD_SCRIPT_GROUPS]; /* of the file at q1 .. q10 */
    double mssim[LOD_SCRIPT_GROUPS]; /* against the full decode; 1 at the last */
};

/* One photograph being measured: transcoded once a script, its full decode kept. */
struct lod_curve_source;

/*
 * Borrows `jpeg` until destroy. *ret_class: its quantisation class. -ENOTSUP: not a JPEG that can
 * be transcoded, or too small for MSSIM; leave it out of the sample. -ENOMEM.
 */
LOD_MUST_CHECK int lod_curve_source_create(struct lod_span jpeg, unsigned *ret_class,
                                           struct lod_curve_source **ret_source);
struct lod_curve_source *lod_curve_source_destroy(struct lod_curve_source *source);

/* -ENOTSUP: the encoder stores this one WHOLE; leave it out of the sample. -ENOMEM. */
LOD_MUST_CHECK int lod_curve_measure(struct lod_curve_source *source,
                                     const struct lod_script *script, struct lod_curve *ret_curve);

#endif

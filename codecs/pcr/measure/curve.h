/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rate-distortion curve of one photograph under one scan script: bytes and MSSIM at q1 .. q10.
 * Pack compares candidate scripts with it (`--scans=auto`). Uses no store.
 */
#ifndef LOD_CURVE_H
#define LOD_CURVE_H

#include "bytes.h"
#include "compiler.h"
#include "pcr/jpeg/script.h"
#include "pcr/measure/photo_features.h"

/*
 * MSSIM is computed on a crop of a large photograph, bytes on the whole file. A crop of 512 x 512
 * pixels holds several hundred windows at the coarsest of the five scales; 256 x 256 is enough to
 * compare scripts with each other. A hash of the file decides where the crop lies. A centred crop
 * would show the subject of most photographs, which is not typical of the rest.
 */
#define LOD_CURVE_SIDE          512u
#define LOD_CURVE_SIDE_CHOOSING 256u

struct lod_curve {
    double source_bytes;
    double bytes[LOD_SCRIPT_GROUPS];  /* of the file at q1 .. q10 */
    double mssim[LOD_SCRIPT_GROUPS];  /* against the full decode; 1 at the last */
    double decode[LOD_SCRIPT_GROUPS]; /* time to decode, as a share of the source's */
    double features[LOD_PHOTO_FEATURES];
};

/*
 * One photograph being measured. It is transcoded once for each script; its full decode is kept.
 * Fidelities of two scripts that have sent the same bits are measured once.
 */
struct lod_curve_source;

/*
 * Prepares a photograph; borrows `jpeg` until destroy. `side` is that of the crop. *ret_class is
 * the quantisation class. Returns -ENOTSUP if it cannot be transcoded or is too small for MSSIM:
 * leave it out of the sample. -ENOMEM.
 */
LOD_MUST_CHECK int lod_curve_source_create(struct lod_span jpeg, uint32_t side, unsigned *ret_class,
                                           struct lod_curve_source **ret_source);
struct lod_curve_source *lod_curve_source_destroy(struct lod_curve_source *source);

/*
 * Measures one script; `top` as in encoder.h. Returns -ENOTSUP if the encoder stores the photograph
 * WHOLE: leave it out of the sample. -ENOMEM.
 */
LOD_MUST_CHECK int lod_curve_measure(struct lod_curve_source *source,
                                     const struct lod_script *script, unsigned top,
                                     struct lod_curve *ret_curve);

/* Computes the bytes that the photograph would take as scan groups without its source file:
 * --full=scans. */
LOD_MUST_CHECK int lod_curve_scans_bytes(struct lod_curve_source *source,
                                         const struct lod_script *script, double *ret_bytes);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks a coded scan. Reads its entropy-coded bytes symbol by symbol, as a decoder does, and
 * compares each symbol with the coefficients from which it was coded. It stores no coefficients, so
 * it takes half of the time of decoding and comparing. ITU-T T.81, annexes F and G.
 */
#ifndef LOD_ENTROPY_CHECK_H
#define LOD_ENTROPY_CHECK_H

#include "bytes.h"
#include "compiler.h"
#include "pcr/entropy/entropy_read.h"

/*
 * Returns 0 if this scan is right: a decoder that has the coefficients of `jpeg` down to bit
 * scan->high must get from it the coefficients down to bit scan->low. Padding blocks are read, but
 * not compared. Returns -EBADMSG if it gets other values, -EILSEQ if a table is missing or it is
 * not a progressive scan without restarts.
 */
LOD_MUST_CHECK int lod_entropy_check(const struct lod_jpeg *jpeg,
                                     const struct lod_entropy_scan *scan,
                                     const struct lod_entropy_decoders *decoders,
                                     struct lod_span coded);

#endif

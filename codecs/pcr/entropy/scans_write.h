/* SPDX-License-Identifier: Apache-2.0 */
/* Writes coefficients as a progressive JPEG, with the same bytes as libjpeg's encoder. */
#ifndef LOD_SCANS_WRITE_H
#define LOD_SCANS_WRITE_H

#include "buf.h"
#include "compiler.h"
#include "pcr/jpeg/jpeg_planes.h"
#include "pcr/jpeg/script.h"

/*
 * Appends to `out` a progressive JPEG of these coefficients: SOI, DQT, SOF, then the scans of
 * `script` (already fitted), each after its own DHT, and EOI. It has no APPn, COM or DRI. Returns
 * -ENOTSUP if a coefficient is out of the range of progressive coding, or -ENOMEM; `out` is then
 * unchanged.
 */
LOD_MUST_CHECK int lod_scans_write(const struct lod_jpeg *jpeg, const struct lod_script *script,
                                   struct lod_buf *out);

#endif

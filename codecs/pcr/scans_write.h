/* SPDX-License-Identifier: Apache-2.0 */
/* Coefficients to a progressive JPEG, byte for byte what libjpeg's encoder makes of them. */
#ifndef LOD_SCANS_WRITE_H
#define LOD_SCANS_WRITE_H

#include "buf.h"
#include "compiler.h"
#include "pcr/jpeg_planes.h"
#include "script.h"

/*
 * Appends to `out` a progressive JPEG of these coefficients: SOI, DQT, SOF, then the scans of
 * `script` (already fitted), each behind its own DHT, and EOI; no APPn, no COM, no DRI. On failure
 * `out` is as before: -ENOTSUP, a coefficient is out of the range that progressive coding carries;
 * -ENOMEM.
 */
LOD_MUST_CHECK int lod_scans_write(const struct lod_jpeg *jpeg, const struct lod_script *script,
                                   struct lod_buf *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The JPEG of a pcr item at a fidelity, as stored bytes. */
#ifndef LOD_PCR_SCANS_H
#define LOD_PCR_SCANS_H

#include "codec.h"

/* Adds the pieces of q1 .. q10 or full to `plan`. The row is sound and not WHOLE. */
LOD_MUST_CHECK int lod_pcr_scans_plan(const uint8_t row[LOD_ROW_BYTES], enum lod_fidelity fidelity,
                                      struct lod_plan *plan);

#endif

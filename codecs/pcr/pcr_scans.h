/* SPDX-License-Identifier: Apache-2.0 */
/* The JPEG of a pcr item at a fidelity, as stored bytes. */
#ifndef LOD_PCR_SCANS_H
#define LOD_PCR_SCANS_H

#include <stdbool.h>

#include "codec.h"

/* Returns whether the file at this fidelity is the source itself, group 12.
 * The row must be sound. */
bool lod_pcr_shows_source(const uint8_t row[LOD_ROW_BYTES], enum lod_fidelity fidelity);

/* Adds the pieces of q1 .. q10 or full to `plan`. The row must be sound. */
LOD_MUST_CHECK int lod_pcr_scans_plan(const uint8_t row[LOD_ROW_BYTES], enum lod_fidelity fidelity,
                                      struct lod_plan *plan);

#endif

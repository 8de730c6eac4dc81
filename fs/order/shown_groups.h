/* SPDX-License-Identifier: Apache-2.0 */
/* Which groups of a record a fidelity shows; this follows from the record's row of RECD. */
#ifndef LOD_SHOWN_GROUPS_H
#define LOD_SHOWN_GROUPS_H

#include <stdbool.h>

#include "codec.h"
#include "index/index.h"

/*
 * Returns the groups *ret_first .. *ret_last that a reader of all items reads. A record without all
 * ten groups of scans holds the source files, which every fidelity above its groups shows. Lossless
 * images without levels are complete at every fidelity; those with levels are complete from q10 on.
 */
void lod_shown_groups(const struct lod_record_desc *recd, enum lod_fidelity fidelity,
                      unsigned *ret_first, unsigned *ret_last);

#endif

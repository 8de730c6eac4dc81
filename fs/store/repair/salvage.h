/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers the tree of a store from its records, for the index; only repair.c uses it. */
#ifndef LOD_SALVAGE_H
#define LOD_SALVAGE_H

#include "compiler.h"
#include "repair/interrupt.h"
#include "repair/losses.h"
#include "repair/salvaged.h"
#include "backend/store.h"

/*
 * Reads every record file of the store. A file that cannot be read is a loss in the report, not an
 * error. Returns -ENOMEM, -ENOENT if there is no folder of records, -ENOTSUP for a record of
 * another version, -E2BIG, -EINTR.
 */
LOD_MUST_CHECK int lod_salvage(struct lod_store *store, struct lod_interrupt interrupt,
                               struct lod_salvage *salvage, struct lod_repair_report *report);

#endif

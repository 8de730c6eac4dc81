/* SPDX-License-Identifier: Apache-2.0 */
/* What the records of a store say about its tree, gathered for the index; repair.c alone uses it.
 */
#ifndef LOD_SALVAGE_H
#define LOD_SALVAGE_H

#include "compiler.h"
#include "repair/interrupt.h"
#include "repair/losses.h"
#include "repair/salvaged.h"
#include "store/store.h"

/*
 * Reads every record file of the store. What cannot be read is a loss in the report, not an error.
 * -ENOMEM; -ENOENT: there is no folder of records; -ENOTSUP: a record of another version; -E2BIG;
 * -EINTR.
 */
LOD_MUST_CHECK int lod_salvage(struct lod_store *store, struct lod_interrupt interrupt,
                               struct lod_salvage *salvage, struct lod_repair_report *report);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes index and manifest again from the records of a local store: the same bytes that pack
 * wrote. Records are never changed, so their damage stays. If index and manifest are right, nothing
 * is written, and the store need not be writable. Memory: about 100 bytes and the path for a name,
 * and 64 bytes for an item.
 */
#ifndef LOD_REPAIR_H
#define LOD_REPAIR_H

#include <stddef.h>

#include "backend/why.h"
#include "compiler.h"
#include "repair/interrupt.h"
#include "repair/losses.h"

/*
 * Returns 0 if index and manifest are right now; the report lists the files that they lack. Errors:
 *
 * - -ENOENT: no store there, or pack did not finish it.
 * - -EWOULDBLOCK: pack is writing to it.
 * - -EEXIST, -ENOTDIR, -EINVAL: the records do not form one tree.
 * - -EINTR: `interrupt` asked to stop.
 * - Others: errors of the system.
 *
 * `why` gets a sentence. After an error nothing was changed, except by an error of the last step,
 * the renames. That step is not interrupted.
 */
LOD_MUST_CHECK int lod_repair(const char *location, struct lod_interrupt interrupt,
                              struct lod_repair_report *ret_report, struct lod_why *why);

#endif

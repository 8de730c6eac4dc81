/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Index and manifest made again from the records of a local store: the same bytes that pack wrote.
 * Records are never touched: what is damaged in them stays so. Where index and manifest are as they
 * should be nothing is written, so the store need not be writable. Memory: about 100 bytes a name
 * and its path, and 64 an item.
 */
#ifndef LOD_REPAIR_H
#define LOD_REPAIR_H

#include <stddef.h>

#include "compiler.h"
#include "repair/interrupt.h"
#include "repair/losses.h"

/*
 * 0: index and manifest are whole (again); the report has what is missing from them. -ENOENT: no
 * store there, or one that pack did not finish; -EWOULDBLOCK: a pack works there; -EEXIST,
 * -ENOTDIR, -EINVAL: the records do not make one tree; -EINTR: `interrupt` said so; else what
 * failed. `why` gets a sentence; nothing was changed then, unless the error is of the last step,
 * the renaming, which is not interrupted.
 */
LOD_MUST_CHECK int lod_repair(const char *location, struct lod_interrupt interrupt,
                              struct lod_repair_report *ret_report, char *why, size_t why_room);

#endif

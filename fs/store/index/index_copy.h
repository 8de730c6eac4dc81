/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A copy of the index of a far store on a local disk, made by a thread while the index is used.
 * Names and sizes are looked up in any order, and each lookup would cost a round trip. The copy is
 * a file without a name in $TMPDIR, which is gone with the process. Nothing in it is checked: its
 * readers check each block.
 */
#ifndef LOD_INDEX_COPY_H
#define LOD_INDEX_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/store.h"
#include "compiler.h"

struct lod_index_copy;

/*
 * Starts copying `index`, which is borrowed. Its requests read `ranges` ranges in parallel. `keep`:
 * the whole copy is offered to the store's own copy, for later mounts. -ENOSPC: it would take more
 * than a quarter of the free space there; other errors: there can be no copy.
 */
LOD_MUST_CHECK int lod_index_copy_start(struct lod_object *index, unsigned ranges, bool keep,
                                        struct lod_index_copy **ret_copy);
/* Ends the copy, after the request in flight. Accepts NULL. */
struct lod_index_copy *lod_index_copy_end(struct lod_index_copy *copy);

/*
 * Reads [offset, offset + bytes) of the copy. Returns false if the copy lacks some of them; these
 * are then copied next. Accepts NULL. Any thread.
 */
LOD_MUST_CHECK bool lod_index_copy_read(struct lod_index_copy *copy, uint64_t offset, void *into,
                                        size_t bytes);

#endif

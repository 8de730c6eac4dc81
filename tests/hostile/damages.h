/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accidents: what disks, memory and file systems do to the files of a store. Each is drawn from a
 * seed, applied, and told to the watch.
 */
#ifndef LOD_DAMAGES_H
#define LOD_DAMAGES_H

#include "chance.h"
#include "mem_store.h"

/* One damage to `store`; `other` is a sound store of other bytes, to take files and blocks from. */
void damages_apply(struct chance *chance, struct mem_store *store, const struct mem_store *other);

#endif

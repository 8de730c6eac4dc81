/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accidents: damage that disks, memory and file systems do to the files of a store. Each is drawn
 * from a seed, applied, and described to the watch.
 */
#ifndef LOD_DAMAGES_H
#define LOD_DAMAGES_H

#include "chance.h"
#include "mem_store.h"

/* Damages `store` once. Files and blocks may be taken from `other`,
 * a sound store of other bytes. */
void damages_apply(struct chance *chance, struct mem_store *store, const struct mem_store *other);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attacks: extreme numbers in the fields of FORMAT.md, in one place or in all that say the same.
 * The hashes are made right afterwards, by seals_close.
 */
#ifndef LOD_RESEAL_H
#define LOD_RESEAL_H

#include "chance.h"
#include "mem_store.h"
#include "seals.h"

/* One field of `store`, a copy of the sound one, changed; told to the watch. */
void reseal_attack(const struct seals *seals, struct chance *chance, struct mem_store *store);

#endif

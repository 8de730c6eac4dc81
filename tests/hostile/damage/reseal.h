/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attacks: extreme numbers in the fields of FORMAT.md, in one place or in all places that repeat
 * the field. seals_close recomputes the hashes afterwards.
 */
#ifndef LOD_RESEAL_H
#define LOD_RESEAL_H

#include "chance.h"
#include "mem_store.h"
#include "seals.h"

/* Changes one field of `store`, a copy of the sound one, and describes it to the watch. */
void reseal_attack(const struct seals *seals, struct chance *chance, struct mem_store *store);

#endif

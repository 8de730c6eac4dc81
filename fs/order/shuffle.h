/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arithmetic of a reading order: pure functions of numbers, without I/O and without state. The
 * same on every machine, for any number of threads. FORMAT.md, Reading order, has the formulas.
 */
#ifndef LOD_SHUFFLE_H
#define LOD_SHUFFLE_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "hash.h"

/* Returns the seed of one pass over a store. */
uint64_t lod_shuffle_pass_seed(struct lod_id store, uint64_t seed, uint32_t pass);

/* Returns the seed of the run that begins at extent `cursor` of a pass. */
uint64_t lod_shuffle_run_seed(uint64_t pass_seed, uint32_t cursor, uint32_t repeat);

/* Sorts numbers by (XXH3-64(u32 number, seed), number). Returns -ENOMEM. */
LOD_MUST_CHECK int lod_shuffle(uint32_t *numbers, size_t count, uint64_t seed);

/*
 * Deals `count` extents to `nodes` nodes: each goes to the node with the fewest items so far, the
 * lowest of equals. `items` has the items of each extent. Writes the node of each extent, and the
 * sum of each node.
 */
void lod_shuffle_deal(const uint32_t *items, uint32_t count, uint32_t nodes, uint32_t *ret_node,
                      uint64_t *ret_sums);

#endif

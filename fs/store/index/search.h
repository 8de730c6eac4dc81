/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binary search over sorted rows of which some cannot be read. A damaged block affects only its own
 * rows. It knows no rows.
 */
#ifndef LOD_SEARCH_H
#define LOD_SEARCH_H

#include <stdint.h>

#include "compiler.h"

/* Compares the search key with row `number`: < 0, 0, > 0 in *ret_order, or returns an error. */
typedef int (*lod_search_probe)(void *ctx, uint32_t number, int *ret_order);

/*
 * Finds the row of [low, high) that matches; it is then the last row that was probed. A row that
 * cannot be read is skipped: the next readable row decides. Returns -ENOENT only if no unreadable
 * row can be the match; else that row's error.
 */
LOD_MUST_CHECK int lod_search(lod_search_probe probe, void *ctx, uint32_t low, uint32_t high,
                              uint32_t *ret_number);

#endif

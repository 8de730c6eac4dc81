/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binary search over sorted rows some of which cannot be read: a damaged block costs what is in it
 * and nothing else. Knows no rows.
 */
#ifndef LOD_SEARCH_H
#define LOD_SEARCH_H

#include <stdint.h>

#include "compiler.h"

/* Compares what is looked for with row `number`: < 0, 0, > 0 in *ret_order, or an error. */
typedef int (*lod_search_probe)(void *ctx, uint32_t number, int *ret_order);

/*
 * The row of [low, high) that matches. Rows that cannot be read are stepped over to the right: the
 * next readable one, or `high`, decides. -ENOENT only if no unreadable row may have been the one;
 * else that row's error. The last row that was probed is the one found.
 */
LOD_MUST_CHECK int lod_search(lod_search_probe probe, void *ctx, uint32_t low, uint32_t high,
                              uint32_t *ret_number);

#endif

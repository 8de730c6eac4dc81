/* SPDX-License-Identifier: Apache-2.0 */
/* Halving, with a step to the right where a row cannot be read; see search.h. */
#include "store/search.h"

#include <errno.h>

#include "store/format.h"

/* Rows a search looks at behind a damaged one before it gives up: more than a block of names, of
 * at least one byte each, can damage. */
#define DAMAGED_ROWS_MAX LOD_BLOCK_PAYLOAD

/* The first row of [middle, high) that can be read, or `high`; *ret_damage: why not `middle`. */
static int probe_from(lod_search_probe probe, void *ctx, uint32_t middle, uint32_t high,
                      uint32_t *ret_at, int *ret_order, int *ret_damage)
{
    for (uint32_t at = middle;; at++) {
        int error = at < high ? probe(ctx, at, ret_order) : 0;
        if (!error) {
            *ret_at = at;
            return 0;
        }
        if (error == -ENOMEM || error == -EINTR || at - middle >= DAMAGED_ROWS_MAX) {
            return error;
        }
        *ret_damage = error;
    }
}

int lod_search(lod_search_probe probe, void *ctx, uint32_t low, uint32_t high, uint32_t *ret_number)
{
    int gap = 0; /* the error of the rows right at and above `high`; 0: they can be read */

    while (low < high) {
        uint32_t middle = low + (high - low) / 2, at = high;
        int order = -1, damage = 0;
        int error = probe_from(probe, ctx, middle, high, &at, &order, &damage);
        if (error) {
            return error;
        }
        if (at < high && order == 0) {
            *ret_number = at;
            return 0;
        }
        if (at < high && order > 0) {
            low = at + 1;
        } else {
            gap = damage;
            high = middle;
        }
    }
    return gap ? gap : -ENOENT;
}

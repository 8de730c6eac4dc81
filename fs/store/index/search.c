/* SPDX-License-Identifier: Apache-2.0 */
/* Binary search that steps to the right over unreadable rows; see search.h. */
#include "index/search.h"

#include <errno.h>

#include "backend/format.h"
#include "memory/flight.h"

/* A search ends with an error after this many unreadable rows. One damaged block cannot hold more:
 * a name has at least one byte. */
#define DAMAGED_ROWS_MAX LOD_BLOCK_PAYLOAD

/* Finds the first readable row of [middle, high), or `high`. *ret_damage gets the error of an
 * unreadable row. */
static int probe_from(lod_search_probe probe, void *ctx, uint32_t middle, uint32_t high,
                      uint32_t *ret_at, int *ret_order, int *ret_damage)
{
    for (uint32_t at = middle;; at++) {
        int error = at < high ? probe(ctx, at, ret_order) : 0;
        if (!error) {
            *ret_at = at;
            return 0;
        }
        if (lod_error_is_temporary(error) || at - middle >= DAMAGED_ROWS_MAX) {
            return error;
        }
        *ret_damage = error;
    }
}

int lod_search(lod_search_probe probe, void *ctx, uint32_t low, uint32_t high, uint32_t *ret_number)
{
    int gap = 0; /* the error of the rows at `high` and above; 0: readable */

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

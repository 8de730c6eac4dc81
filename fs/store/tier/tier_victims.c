/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which slices are evicted; see tier_evict.h. */
#include <stdlib.h>

#include "tier/tier_evict.h"

/* Negative: `a` goes first. Uses within a minute count as one: a record's last slice goes first. */
static int compare(const void *a, const void *b)
{
    const struct lod_tier_slice *x = a, *y = b;
    const int64_t x_used = x->used_s / LOD_TIER_USED_S, y_used = y->used_s / LOD_TIER_USED_S;

    return x_used != y_used ? (x_used > y_used) - (x_used < y_used) : (y->n > x->n) - (y->n < x->n);
}

static void sort(struct lod_tier_victims *victims)
{
    if (victims->count) {
        qsort(victims->at, victims->count, sizeof(*victims->at), compare);
    }
    if (victims->count > LOD_TIER_VICTIMS) {
        victims->count = LOD_TIER_VICTIMS;
    }
}

int lod_tier_victims_add(struct lod_tier_victims *victims, const struct lod_tier_slice *slice)
{
    if (victims->count == 2 * LOD_TIER_VICTIMS) {
        sort(victims);
    }
    return LOD_LIST_ADD(victims, *slice);
}

void lod_tier_victims_sort(struct lod_tier_victims *victims)
{
    sort(victims);
    victims->next = 0;
    victims->bytes = 0;
    for (size_t i = 0; i < victims->count; i++) {
        victims->bytes += victims->at[i].bytes;
    }
}

bool lod_tier_victims_take(struct lod_tier_victims *victims, struct lod_tier_slice *ret_slice)
{
    if (victims->next == victims->count) {
        return false;
    }
    *ret_slice = victims->at[victims->next++];
    victims->bytes -= ret_slice->bytes;
    return true;
}

void lod_tier_victims_finish(struct lod_tier_victims *victims)
{
    free(victims->at);
    *victims = (struct lod_tier_victims){0};
}

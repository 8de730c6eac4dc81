/* SPDX-License-Identifier: Apache-2.0 */
/* A set of item numbers as bits. The caller allocates them: one for each item of the store. */
#ifndef LOD_ITEM_SET_H
#define LOD_ITEM_SET_H

#include <stdbool.h>
#include <stdint.h>

static inline bool lod_item_set_has(const uint8_t *set, uint32_t item)
{
    return set[item / 8] >> item % 8 & 1;
}

static inline void lod_item_set_add_range(uint8_t *set, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        set[i / 8] |= (uint8_t)(1u << i % 8);
    }
}

/* Returns how many items of a range are in the set. */
static inline uint32_t lod_item_set_count(const uint8_t *set, uint32_t first, uint32_t count)
{
    uint32_t found = 0;

    for (uint32_t i = first; i < first + count; i++) {
        found += lod_item_set_has(set, i);
    }
    return found;
}

#endif

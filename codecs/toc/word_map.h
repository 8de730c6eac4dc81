/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Distinct 64-bit words and a number for each, in the order of their first appearance. For
 * encoders.
 */
#ifndef LOD_WORD_MAP_H
#define LOD_WORD_MAP_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "compiler.h"

#define LOD_WORD_NONE UINT64_MAX

struct lod_word_map {
    uint64_t *key; /* 2^bits slots; LOD_WORD_NONE: free */
    uint32_t *number;
    unsigned bits, room_bits; /* slots in use, and in memory */
    uint32_t count;
    uint32_t none_number; /* of the word LOD_WORD_NONE, plus 1; 0: it has none yet */
};

/* An empty map that holds `words` words without growing. -ENOMEM. */
LOD_MUST_CHECK int lod_word_map_init(struct lod_word_map *map, uint64_t words);
void lod_word_map_finish(struct lod_word_map *map);

/* Empties the map and uses no more of its room than `words` words need. */
void lod_word_map_clear(struct lod_word_map *map, uint64_t words);

/* Twice the room when more than half is taken. -ENOMEM leaves the map as it was. */
LOD_MUST_CHECK int lod_word_map_grow(struct lod_word_map *map);

static inline uint64_t lod_word_map_slot(const struct lod_word_map *map, uint64_t word)
{
    uint64_t mask = (UINT64_C(1) << map->bits) - 1;
    uint64_t slot = (word ^ word >> 32) * UINT64_C(0x9e3779b97f4a7c15) >> 32 & mask;
    while (map->key[slot] != word && map->key[slot] != LOD_WORD_NONE) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

/* The word's number; a new word gets the next one. At least half of the slots stay free. */
static inline uint32_t lod_word_map_put(struct lod_word_map *map, uint64_t word)
{
    if (__builtin_expect(word == LOD_WORD_NONE, 0)) {
        map->none_number = map->none_number ? map->none_number : ++map->count;
        return map->none_number - 1;
    }
    uint64_t slot = lod_word_map_slot(map, word);
    if (map->key[slot] == LOD_WORD_NONE) {
        map->key[slot] = word;
        map->number[slot] = map->count++;
    }
    return map->number[slot];
}

static inline int lod_word_map_full(const struct lod_word_map *map)
{
    return map->count >= UINT64_C(1) << (map->bits - 1);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Maps distinct 64-bit words to numbers, in the order of their first appearance. For encoders. */
#ifndef LOD_WORD_MAP_H
#define LOD_WORD_MAP_H

#include <stdint.h>
#include <string.h>

#include "compiler.h"

#define LOD_WORD_NONE UINT64_MAX

struct lod_word_map {
    uint64_t *key; /* 2^bits slots; LOD_WORD_NONE: free */
    uint32_t *number;
    unsigned bits, room_bits; /* log2 of the slots in use, and of those allocated */
    uint32_t count;
    uint32_t none_number; /* number of the word LOD_WORD_NONE, plus 1; 0: not in the map */
};

/* Makes an empty map for `words` words without growing. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_word_map_init(struct lod_word_map *map, uint64_t words);
void lod_word_map_finish(struct lod_word_map *map);

/* Empties the map and uses only as many slots as `words` words need. */
void lod_word_map_clear(struct lod_word_map *map, uint64_t words);

/* Doubles the slots when more than half are taken. After -ENOMEM the map is as before. */
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

/*
 * Returns the word's number; a new word gets the next one. At least half of the slots must be free.
 */
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

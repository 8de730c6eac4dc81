/* SPDX-License-Identifier: Apache-2.0 */
/* A hash map with open addressing and linear probing; see word_map.h. */
#include "toc/encode/word_map.h"

#include <errno.h>
#include <stdlib.h>

#define BITS_MIN 4u
#define BITS_MAX 31u

static unsigned bits_for(uint64_t words)
{
    unsigned bits = BITS_MIN;
    while (bits < BITS_MAX && UINT64_C(1) << (bits - 1) < words) {
        bits++;
    }
    return bits;
}

static int make(struct lod_word_map *map, unsigned bits)
{
    size_t slots = (size_t)1 << bits;
    uint64_t *key = malloc(slots * sizeof(*key));
    uint32_t *number = malloc(slots * sizeof(*number));

    if (!key || !number) {
        free(key);
        free(number);
        return -ENOMEM;
    }
    memset(key, 0xff, slots * sizeof(*key));
    *map = (struct lod_word_map){.key = key, .number = number, .bits = bits, .room_bits = bits};
    return 0;
}

int lod_word_map_init(struct lod_word_map *map, uint64_t words)
{
    *map = (struct lod_word_map){0};
    return make(map, bits_for(words));
}

void lod_word_map_finish(struct lod_word_map *map)
{
    free(map->key);
    free(map->number);
    *map = (struct lod_word_map){0};
}

void lod_word_map_clear(struct lod_word_map *map, uint64_t words)
{
    unsigned bits = bits_for(words);
    map->bits = bits < map->room_bits ? bits : map->room_bits;
    map->count = 0;
    map->none_number = 0;
    memset(map->key, 0xff, ((size_t)1 << map->bits) * sizeof(*map->key));
}

int lod_word_map_grow(struct lod_word_map *map)
{
    struct lod_word_map larger;

    if (map->bits == BITS_MAX || make(&larger, map->bits + 1)) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < (size_t)1 << map->bits; i++) {
        if (map->key[i] != LOD_WORD_NONE) {
            uint64_t slot = lod_word_map_slot(&larger, map->key[i]);
            larger.key[slot] = map->key[i];
            larger.number[slot] = map->number[i];
        }
    }
    larger.count = map->count;
    larger.none_number = map->none_number;
    lod_word_map_finish(map);
    *map = larger;
    return 0;
}

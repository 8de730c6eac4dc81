/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of names, and the rule of parts (FORMAT.md, Parts): which of n parts of a store a file
 * is in. A part is an interval of keys, so it is one stretch of the items of each codec where these
 * are stored by key. It is pure.
 */
#ifndef LOD_PART_H
#define LOD_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOD_PARTS_MAX 1024u

/* Part `number`, from 0, of `count`. Count 0: no part, but the whole store. */
struct lod_store_part {
    uint16_t count, number;
};

/* Returns the key of a file: the hash of its name up to the last dot. Files of one stem, such as an
 * image and its mask, have one key, also in different folders. */
uint64_t lod_name_key(const char *name, size_t bytes, uint64_t seed);

/* Returns the number of the part of `count` that a key is in. It never decreases as keys grow. */
uint32_t lod_part_of(uint64_t key, uint32_t count);

/*
 * Reads a number of a folder's name: decimal, without leading zeros, below `end`. Returns false for
 * anything else.
 */
bool lod_part_parse(const char *name, uint32_t end, uint16_t *ret_number);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two hashes of a store, both of the XXH3 family (FORMAT.md, Conventions). They detect
 * accidental damage, not attacks. Only hash.c includes xxhash.h.
 */
#ifndef LOD_HASH_H
#define LOD_HASH_H

#include <stddef.h>
#include <stdint.h>

/*
 * A 128-bit identity of a record or store. On disk `low` comes first, then `high`, little endian.
 */
struct lod_id {
    uint64_t low, high;
};

uint64_t lod_hash64(const void *bytes, size_t count, uint64_t seed);
struct lod_id lod_hash128(const void *bytes, size_t count);

/* Writes "%016x%016x" of high and low, the form used in messages and in manifest.json. */
#define LOD_ID_TEXT_BYTES 33
void lod_id_text(struct lod_id id, char text[LOD_ID_TEXT_BYTES]);

#endif

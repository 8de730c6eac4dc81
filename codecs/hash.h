/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two hashes of a store, both of the XXH3 family (FORMAT.md, Conventions). They find accidents,
 * not attackers. Only this file's source sees xxhash.h.
 */
#ifndef LOD_HASH_H
#define LOD_HASH_H

#include <stddef.h>
#include <stdint.h>

/* 128 bits that name a record or a store; on disk `low`, then `high`, little endian. */
struct lod_id {
    uint64_t low, high;
};

uint64_t lod_hash64(const void *bytes, size_t count, uint64_t seed);
struct lod_id lod_hash128(const void *bytes, size_t count);

/* "%016x%016x" of high and low: as an id is shown and as it stands in manifest.json. */
#define LOD_ID_TEXT_BYTES 33
void lod_id_text(struct lod_id id, char text[LOD_ID_TEXT_BYTES]);

#endif

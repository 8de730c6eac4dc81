/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a tier: TIER/<store id>/<2 hex>/<key>.<n> is the beginning of slice n, of
 * LOD_SLICE_BYTES, of an object whose contents have the hash `key`. The name has all metadata, so
 * there is no index, journal or fsync. Every mount that appends writes the same bytes at the same
 * place, so a file is right at any length. After a crash a file may have wrong bytes, which its
 * readers detect by their hashes. This file makes no decisions.
 */
#ifndef LOD_TIER_FILES_H
#define LOD_TIER_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "hash.h"

/* Opens the folder of a store, after making it if necessary. */
LOD_MUST_CHECK int lod_tier_files_open(int tier_fd, struct lod_id store_id, int *ret_fd);

/* Returns how many bytes of slice `n` are stored in the tier; 0: none. */
uint64_t lod_tier_slice_bytes(int store_fd, uint64_t key, uint64_t n);

/* Reads bytes of a slice. -ENOENT: not all of them are there. `load`: as lod_file_load_private,
 * past the page cache. Other errors are of the disk. */
LOD_MUST_CHECK int lod_tier_slice_read(int store_fd, uint64_t key, uint64_t n, uint64_t offset,
                                       void *into, size_t bytes, bool load);

/* Appends to a slice that has `offset` bytes. Returns how many were written in *ret_bytes, also on
 * error. -ESTALE: it has another size meanwhile. */
LOD_MUST_CHECK int lod_tier_slice_append(int store_fd, uint64_t key, uint64_t n, uint64_t offset,
                                         const void *from, size_t bytes, size_t *ret_bytes);

/* Unlinks a slice. Returns how many bytes it had in *ret_bytes. -ENOENT. */
LOD_MUST_CHECK int lod_tier_slice_unlink(int store_fd, uint64_t key, uint64_t n,
                                         uint64_t *ret_bytes);

/* Marks the slice as the first one to be evicted for others; an error changes nothing. */
void lod_tier_slice_unused(int store_fd, uint64_t key, uint64_t n);

/* A slice that lod_tier_files_each found, of any store. */
struct lod_tier_slice {
    char store[LOD_ID_TEXT_BYTES];
    uint64_t key, n, bytes;
    int64_t used_s; /* when it was used: see LOD_TIER_USED_S; 0: it is not needed */
};

/* A read marks a slice as used if its last mark is older than this. */
#define LOD_TIER_USED_S 60

/* Calls each(ctx, slice) for the slices of all stores of a tier, in no order, without other files.
 * Returns the first result of `each` that is not 0. */
typedef int (*lod_tier_slice_each)(void *ctx, const struct lod_tier_slice *slice);
LOD_MUST_CHECK int lod_tier_files_each(int tier_fd, lod_tier_slice_each each, void *ctx);

/* Unlinks a slice that was not used since lod_tier_files_each reported it. Returns how many bytes
 * it had in *ret_bytes. -ENOENT, -ESTALE. */
LOD_MUST_CHECK int lod_tier_slice_evict_first(int tier_fd, const struct lod_tier_slice *slice,
                                              uint64_t *ret_bytes);

#endif

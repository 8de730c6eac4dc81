/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applies a fuzzer's input to a sound store as a list of changes (place u24, length u8, bytes), so
 * that small inputs reach every field. Places count only the bytes in the ranges of patches_map.
 */
#ifndef LOD_PATCHES_H
#define LOD_PATCHES_H

#include <stdint.h>

#include "bytes.h"
#include "mem_store.h"

#define PATCH_RANGES_MAX 64

struct patch_map {
    struct {
        unsigned file;
        uint64_t at, bytes;
    } ranges[PATCH_RANGES_MAX];
    unsigned count;
    uint64_t bytes; /* of all ranges */
};

/* Finds the ranges of structures: of the index, of the samples, or of the records with the suffix
 * `what`. */
void patches_map(const struct mem_store *store, const char *what, struct patch_map *ret_map);
void patches_apply(const struct patch_map *map, struct mem_store *store, struct lod_span input);

#endif

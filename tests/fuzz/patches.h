/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fuzzer's input as changes of a sound store, so that small inputs reach every field: a list of
 * (place u24, length u8, bytes). Places count only bytes that mean something, see patches_map.
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

/* The structures of the index, or of the records of a codec by its suffix. */
void patches_map(const struct mem_store *store, const char *what, struct patch_map *ret_map);
void patches_apply(const struct patch_map *map, struct mem_store *store, struct lod_span input);

#endif

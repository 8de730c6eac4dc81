/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting by 64-bit keys, stable, in as many passes of 11 bits as the keys differ in. */
#ifndef LOD_RADIX_H
#define LOD_RADIX_H

#include <stddef.h>
#include <stdint.h>

struct lod_keyed {
    uint64_t key;
    uint32_t number;
};

/* `spare` has room for `count` of them too. */
void lod_radix_sort(struct lod_keyed *keyed, size_t count, struct lod_keyed *spare);

#endif

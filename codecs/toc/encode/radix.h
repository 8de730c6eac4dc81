/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stable sort by 64-bit keys. It takes one pass for each digit of 11 bits in which the keys differ.
 */
#ifndef LOD_RADIX_H
#define LOD_RADIX_H

#include <stddef.h>
#include <stdint.h>

struct lod_keyed {
    uint64_t key;
    uint32_t number;
};

/* Sorts `keyed`. `spare` is working memory for `count` elements. */
void lod_radix_sort(struct lod_keyed *keyed, size_t count, struct lod_keyed *spare);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part K of N of a pack: a run of records. Records are in the order of the keys of names. So the
 * files of a name, such as a picture and its mask, are in one part or in two adjacent parts.
 */
#ifndef LOD_PACK_PART_H
#define LOD_PACK_PART_H

#include <stdint.h>

#include "pack/plan/order.h"

#define LOD_PARTS_MAX 1000000u

struct lod_pack_part {
    uint32_t number, count; /* K and N, K from 1; both 0: there are no parts */
};

struct lod_part_run {
    uint32_t first, count; /* record numbers of the order, from 0 */
};

/* Sets ret_numbers[r] to the number of the part, from 1, that writes record r. All parts read about
 * the same number of source bytes. */
void lod_part_numbers(const struct lod_order *order, uint32_t parts, uint32_t *ret_numbers);

/* Returns the records of a part, perhaps none. */
struct lod_part_run lod_part_records(const struct lod_order *order,
                                     const struct lod_pack_part *part);

#endif

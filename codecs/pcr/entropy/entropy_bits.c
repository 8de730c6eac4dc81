/* SPDX-License-Identifier: Apache-2.0 */
/* The slow path of writing four bytes, kept out of the calling loops; see entropy_bits.h. */
#include "pcr/entropy/entropy_bits.h"

struct lod_bits lod_bits_spill_slowly(struct lod_bits b, uint32_t word)
{
    for (int shift = 24; shift >= 0; shift -= 8) {
        lod_bits_stuffed(&b, (uint8_t)(word >> shift));
    }
    return b;
}

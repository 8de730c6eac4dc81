/* SPDX-License-Identifier: Apache-2.0 */
/* Radix sort, least significant digit first; see radix.h. */
#include "toc/encode/radix.h"

#include <string.h>

#define DIGIT_BITS 11u
#define DIGITS     (1u << DIGIT_BITS)

static void pass(const struct lod_keyed *from, size_t count, unsigned shift, struct lod_keyed *to)
{
    size_t place[DIGITS] = {0}, sum = 0;

    for (size_t i = 0; i < count; i++) {
        place[from[i].key >> shift & (DIGITS - 1)]++;
    }
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        size_t of_digit = place[digit];
        place[digit] = sum;
        sum += of_digit;
    }
    for (size_t i = 0; i < count; i++) {
        to[place[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
    }
}

void lod_radix_sort(struct lod_keyed *keyed, size_t count, struct lod_keyed *spare)
{
    struct lod_keyed *from = keyed, *to = spare;
    uint64_t differ = 0;

    for (size_t i = 1; i < count; i++) {
        differ |= keyed[i].key ^ keyed[0].key;
    }
    for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
        if (differ >> shift & (DIGITS - 1)) {
            pass(from, count, shift, to);
            struct lod_keyed *other = from;
            from = to;
            to = other;
        }
    }
    if (from != keyed) {
        memcpy(keyed, from, count * sizeof(*keyed));
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers that depend on a seed only, so that every case can be repeated. */
#ifndef LOD_CHANCE_H
#define LOD_CHANCE_H

#include <stdint.h>

struct chance {
    uint64_t state;
};

static inline uint64_t chance_bits(struct chance *chance)
{
    uint64_t z = chance->state += 0x9e3779b97f4a7c15u; /* splitmix64 */

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Returns a number in 0 .. limit - 1, or 0 for a limit of 0. */
static inline uint64_t chance_below(struct chance *chance, uint64_t limit)
{
    return limit ? chance_bits(chance) % limit : 0;
}

#endif

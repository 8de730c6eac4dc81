/* SPDX-License-Identifier: Apache-2.0 */
/* The clock that waits and measurements go by: it only goes forward. */
#ifndef LOD_CLOCK_H
#define LOD_CLOCK_H

#include <stdint.h>
#include <time.h>

#define LOD_SECOND_NS 1000000000ull

static inline uint64_t lod_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * LOD_SECOND_NS + (uint64_t)now.tv_nsec;
}

#endif

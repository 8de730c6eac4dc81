/* SPDX-License-Identifier: Apache-2.0 */
/* A time of a store (FORMAT.md, "Conventions"): seconds * 2^30 + nanoseconds in 64 bits. */
#ifndef LOD_MTIME_H
#define LOD_MTIME_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define LOD_MTIME_SHIFT           30
#define LOD_MTIME_SECONDS_END     ((int64_t)1 << (63 - LOD_MTIME_SHIFT)) /* in the year 2242 */
#define LOD_MTIME_NANOSECONDS_MAX 999999999

/* A time before the first instant (in the year 1697) or after the last becomes that instant. */
static inline int64_t lod_mtime_of(struct timespec time)
{
    if (time.tv_sec >= LOD_MTIME_SECONDS_END) {
        time = (struct timespec){LOD_MTIME_SECONDS_END - 1, LOD_MTIME_NANOSECONDS_MAX};
    } else if (time.tv_sec < -LOD_MTIME_SECONDS_END) {
        time = (struct timespec){-LOD_MTIME_SECONDS_END, 0};
    }
    return time.tv_sec * ((int64_t)1 << LOD_MTIME_SHIFT) + time.tv_nsec;
}

static inline struct timespec lod_mtime_time(int64_t mtime)
{
    return (struct timespec){.tv_sec = (time_t)(mtime >> LOD_MTIME_SHIFT),
                             .tv_nsec = (long)(mtime & ((1l << LOD_MTIME_SHIFT) - 1))};
}

static inline bool lod_mtime_valid(int64_t mtime)
{
    return lod_mtime_time(mtime).tv_nsec <= LOD_MTIME_NANOSECONDS_MAX;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory that this process may still use, limited by the machine and by its control groups. It
 * is an estimate of the moment.
 */
#ifndef LOD_AVAILABLE_H
#define LOD_AVAILABLE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Returns the smallest of MemAvailable and the remainders of all control groups of this process, in
 * bytes. Page cache that can be dropped counts as available. UINT64_MAX: none of them can be read.
 */
uint64_t lod_available_bytes(void);

/* Returns whether a control group limits this process. */
bool lod_available_is_limited(void);

/*
 * The parts, for tests. `text` is that of /proc/meminfo. `limit`, `usage` and `stat` are the texts
 * of a control group's files (v1 or v2); "max" and huge limits mean none. They return UINT64_MAX
 * for none.
 */
uint64_t lod_available_of_meminfo(const char *text);
uint64_t lod_available_of_group(const char *limit, const char *usage, const char *stat);

/*
 * Returns the automatic size of a cache: a quarter of `available`, and 256 MiB at least as far as
 * that leaves 256 MiB. It is a whole number of MiB, at least 1.
 */
uint64_t lod_available_cache_bytes(uint64_t available);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts and writes sequential scans without restarts, which nearly all sources have. It makes the
 * same bytes as entropy.c in half of the time. entropy.c calls it, and codes all other scans.
 */
#ifndef LOD_ENTROPY_PLAIN_H
#define LOD_ENTROPY_PLAIN_H

#include "pcr/entropy/entropy.h"

static inline bool lod_entropy_is_plain(const struct lod_entropy_scan *scan)
{
    return !scan->progressive && !scan->restart_mcus && !scan->plain_padding;
}

/* As lod_entropy_write, for a sequential scan without restarts. */
LOD_MUST_CHECK int lod_entropy_write_plain(const struct lod_jpeg *jpeg,
                                           const struct lod_entropy_scan *scan,
                                           const struct lod_entropy_tables *tables, uint8_t *out,
                                           size_t room, size_t *ret_bytes);

/* As lod_entropy_count without tokens, for a sequential scan without restarts. */
LOD_MUST_CHECK int lod_entropy_count_plain(const struct lod_jpeg *jpeg,
                                           const struct lod_entropy_scan *scan,
                                           struct lod_entropy_counts *ret_counts);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RECD rows that were checked once, by number: every read asks for that of its record. A row that
 * is kept stays until the end and never changes, so finding it takes no lock and no reference. As
 * many as a budget allows; which those are, and where rows come from, is index.c's.
 */
#ifndef LOD_RECDS_H
#define LOD_RECDS_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "store/index.h"

struct lod_recds {
    uint32_t count; /* rows below it may be kept */
    _Atomic(struct lod_recd *) *rows;
};

/* For an index of `records` records; together they take `bytes_max` bytes at most. -ENOMEM. */
LOD_MUST_CHECK int lod_recds_init(struct lod_recds *recds, uint32_t records, size_t bytes_max);
/* What they take together once all are kept. */
size_t lod_recds_bytes(const struct lod_recds *recds);
/* Accepts one that is all zero. */
void lod_recds_finish(struct lod_recds *recds);

/* NULL: not kept. Any thread. */
const struct lod_recd *lod_recds_find(const struct lod_recds *recds, uint32_t number);

/* Keeps a copy, if it may and has memory for it. */
void lod_recds_keep(struct lod_recds *recds, const struct lod_recd *recd);

#endif

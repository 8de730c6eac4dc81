/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups `first` .. `last` of a record for all its items, read in slices in the order of the file.
 * Frames that are in memory are left out, so what q1 fetched is not fetched again for q5. Whether
 * it is worth it is stream.c's business.
 */
#ifndef LOD_PREFIX_H
#define LOD_PREFIX_H

#include "compiler.h"
#include "fetch.h"

/* Called after each slice. */
typedef void (*lod_prefix_step)(void *ctx);

/*
 * Stops early, without an error, where memory ends or the store fails: who wants those frames will
 * fetch them, and hear what is wrong with them. The frames are not yet checked.
 */
void lod_prefix_fetch(struct lod_fetch *fetch, const struct lod_item *item, unsigned first,
                      unsigned last, lod_prefix_step step, void *ctx);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups `first` .. `last` of a record for all its items, read in the order of the file in as few
 * requests as can be. Frames that are in memory are left out, so what q1 fetched is not fetched
 * again for q5. Whether it is worth it is stream.c's business.
 */
#ifndef LOD_PREFIX_H
#define LOD_PREFIX_H

#include <stdbool.h>

#include "compiler.h"
#include "fetch.h"
#include "store/stage.h"

/* Called after each load. False: no more of them. */
typedef bool (*lod_prefix_step)(void *ctx);

/*
 * Stops early, without an error, where memory ends or the store fails: who wants those frames will
 * fetch them, and hear what is wrong with them. The frames are not yet checked. `stage`: the
 * caller's alone meanwhile.
 */
void lod_prefix_fetch(struct lod_fetch *fetch, struct lod_stage *stage, const struct lod_item *item,
                      unsigned first, unsigned last, lod_prefix_step step, void *ctx);

#endif

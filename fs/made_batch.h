/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many units in one job of a device: what readers are about to ask for (ahead.h), of one item or of
 * several, made together and left where readers look. Failures are theirs to find: a unit that
 * cannot be made here is made, and refused, when it is asked for.
 */
#ifndef LOD_MADE_BATCH_H
#define LOD_MADE_BATCH_H

#include "ahead.h"
#include "compiler.h"
#include "made.h"

/* `count` <= LOD_AHEAD_BATCH_MAX, all of codecs that make many. Any thread that holds no promise of
 * `work`. */
void lod_made_batch(const struct lod_made_in *in, struct lod_gpu *gpu,
                    const struct lod_ahead_unit *units, unsigned count);

#endif

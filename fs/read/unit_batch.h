/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes many units in one job of a device, before they are requested (readahead.h). They may belong
 * to several items. The result is left in the cache. A unit that fails is not reported: a reader
 * that requests it makes it again and gets the error.
 */
#ifndef LOD_UNIT_BATCH_H
#define LOD_UNIT_BATCH_H

#include "read/readahead.h"
#include "read/unit_cache.h"

/* `count` <= LOD_READAHEAD_BATCH_MAX, all of codecs with make_many. The calling thread holds no
 * reservation of `work`. */
void lod_unit_batch(const struct lod_unit_cache_in *in, struct lod_gpu *gpu,
                    const struct lod_readahead_unit *units, unsigned count);

#endif

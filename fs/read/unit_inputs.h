/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A unit to be made, and the inputs that its codec needs. Used by unit_cache.c, which makes one
 * unit, and unit_batch.c, which makes many on a device.
 */
#ifndef LOD_UNIT_INPUTS_H
#define LOD_UNIT_INPUTS_H

#include "codec.h"
#include "compiler.h"
#include "dataset/dataset.h"
#include "frames/frames.h"
#include "memory/buffer_pool.h"

struct lod_unit_inputs {
    struct lod_dataset *dataset;
    struct lod_frames *frames;
    const struct lod_item *item;
    unsigned form;
    uint64_t unit, bytes;         /* of this unit */
    struct lod_buffer_pool *pool; /* memory of inputs; NULL: malloc */
};

/* Describes unit `unit` of a form that has `made_bytes` bytes in all. */
struct lod_unit_inputs lod_unit_inputs_of(struct lod_dataset *dataset, struct lod_frames *frames,
                                          const struct lod_item *item, unsigned form, uint64_t unit,
                                          uint64_t made_bytes);

/* Returns the key of the unit in the cache of made units. */
struct lod_key lod_unit_inputs_key(const struct lod_unit_inputs *making);

/*
 * Reads all inputs that the codec needs. The caller calls lod_unit_inputs_drop, also after an
 * error. Returns -EILSEQ, -EIO (already logged), or an error of lod_error_is_temporary.
 */
LOD_MUST_CHECK int lod_unit_inputs_gather(const struct lod_unit_inputs *making,
                                          struct lod_inputs *inputs);
void lod_unit_inputs_drop(const struct lod_unit_inputs *making, struct lod_inputs *inputs);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache of made units (MADE pieces of a plan). For each unit it reserves memory, gathers and
 * checks the inputs, and runs the codec's maker once for all readers. unit_batch.h makes many units
 * at once on a device.
 *
 * A unit for which the cache is too small is kept in working memory of makers while it is read.
 * Otherwise it would be made again for each request. See large_units.h.
 */
#ifndef LOD_UNIT_CACHE_H
#define LOD_UNIT_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/memory_semaphore.h"
#include "memory/cache.h"
#include "compiler.h"
#include "dataset/dataset.h"
#include "read/devices.h"
#include "frames/frames.h"
#include "memory/buffer_pool.h"
#include "read/large_units.h"

/* Where makers find their inputs and put their results. All borrowed. */
struct lod_unit_cache_in {
    struct lod_dataset *dataset;
    struct lod_frames *frames;
    struct lod_cache *cache;
    struct lod_large_units *large; /* NULL: all units go to `cache` */
    struct lod_memory_semaphore *work;
    struct lod_devices *devices;  /* NULL: the host makes all */
    struct lod_buffer_pool *pool; /* NULL: malloc */
};

/* Bytes [at, at + bytes) of a made form, which are in one unit. `bytes` may be 0: the unit will be
 * read from there on. */
struct lod_unit_part {
    const struct lod_item *item;
    unsigned form;
    uint64_t made_bytes; /* of the whole form; it determines the length of the last unit */
    uint64_t unit_bytes; /* of each unit but the last */
    uint64_t at, bytes;
};

/*
 * Returns one reference to the unit of a part, which has at least the bytes of the part. Returns
 * -EIO (already logged) or an error of lod_error_is_temporary. The calling thread holds no
 * reservation of `work`.
 */
LOD_MUST_CHECK int lod_unit_cache_get(const struct lod_unit_cache_in *in,
                                      const struct lod_unit_part *part, struct lod_blob **ret_blob);

/* Returns whether a unit is kept or being made. */
struct lod_unit_inputs;
bool lod_unit_cache_has(const struct lod_unit_cache_in *in, const struct lod_unit_inputs *making);

/* Keeps a unit that was made already, if there is room for it. */
void lod_unit_cache_put(const struct lod_unit_cache_in *in, const struct lod_unit_inputs *making,
                        struct lod_blob *blob);

/* Makes the whole unit of a part at `into`, which has room for it, and keeps nothing. Otherwise the
 * same as lod_unit_cache_get. */
LOD_MUST_CHECK int lod_unit_make(const struct lod_unit_cache_in *in,
                                 const struct lod_unit_part *part, uint8_t *into);

/*
 * Makes the forms series->first .. last of a series in turn at `into`; each has `bytes` bytes.
 * Keeps nothing. `step` runs with a reservation of `work`, so it reads nothing. Otherwise the same.
 */
LOD_MUST_CHECK int lod_unit_make_series(const struct lod_unit_cache_in *in,
                                        const struct lod_item *item,
                                        const struct lod_series *series, unsigned last,
                                        uint64_t bytes, uint8_t *into);

#endif

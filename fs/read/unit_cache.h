/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache of made units (MADE pieces of a plan). For each unit it reserves memory, gathers and
 * checks the inputs, and runs the codec's maker once for all readers. unit_batch.h makes many units
 * at once on a device.
 *
 * A unit for which the cache is too small is kept in memory that makers lend. It stays while it is
 * read: otherwise it would be made again for each request.
 */
#ifndef LOD_UNIT_CACHE_H
#define LOD_UNIT_CACHE_H

#include <stdint.h>

#include "memory/memory_semaphore.h"
#include "memory/cache.h"
#include "compiler.h"
#include "dataset/dataset.h"
#include "read/devices.h"
#include "frames/frames.h"
#include "memory/buffer_pool.h"

/* Where makers find their inputs and put their results. All borrowed. */
struct lod_unit_cache_in {
    struct lod_dataset *dataset;
    struct lod_frames *frames;
    struct lod_cache *cache;
    struct lod_cache *large; /* NULL: all units go to `cache` */
    struct lod_memory_semaphore *work;
    struct lod_devices *devices;  /* NULL: the host makes all */
    struct lod_buffer_pool *pool; /* NULL: malloc */
};

/*
 * Returns one reference to unit `unit` of a form of the item. `made_bytes` is the size of the whole
 * form; it determines the length of the last unit. Returns -EIO (already logged) or an error of
 * lod_error_passes. The calling thread holds no reservation of `work`.
 */
LOD_MUST_CHECK int lod_unit_cache_get(const struct lod_unit_cache_in *in,
                                      const struct lod_item *item, unsigned form, uint64_t unit,
                                      uint64_t made_bytes, struct lod_blob **ret_blob);

/* Notes that the end of a unit of `bytes` bytes was read: if it is a large unit, its memory may be
 * used for others. */
void lod_unit_cache_let_go(const struct lod_unit_cache_in *in, const struct lod_item *item,
                           unsigned form, uint64_t unit, uint64_t bytes);

/* Returns the cache that keeps a unit of this size. */
struct lod_cache *lod_unit_cache_of(const struct lod_unit_cache_in *in, uint64_t bytes);

/* A unit stays in the cache of large units until three to six others were made for which there was
 * no room. */
#define LOD_UNIT_CHANCES 12u

/* As lod_unit_cache_get, but makes the whole unit at `into`, which has room for it, and keeps
 * nothing. */
LOD_MUST_CHECK int lod_unit_make(const struct lod_unit_cache_in *in, const struct lod_item *item,
                                 unsigned form, uint64_t unit, uint64_t made_bytes, uint8_t *into);

/*
 * Makes the forms series->first .. last of a series in turn at `into`; each has `bytes` bytes.
 * Keeps nothing. `step` runs with a reservation of `work`, so it reads nothing. Otherwise the same.
 */
LOD_MUST_CHECK int lod_unit_make_series(const struct lod_unit_cache_in *in,
                                        const struct lod_item *item,
                                        const struct lod_series *series, unsigned last,
                                        uint64_t bytes, uint8_t *into);

#endif

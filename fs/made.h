/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a codec makes of an item (MADE pieces): inputs gathered and checked, memory promised, the
 * codec's maker run once a unit however many ask, the result kept in the mount's cache. What is
 * about to be asked for may be made many at once on a device (made_batch.h).
 */
#ifndef LOD_MADE_H
#define LOD_MADE_H

#include <stdint.h>

#include "budget.h"
#include "cache.h"
#include "compiler.h"
#include "dataset.h"
#include "devices.h"
#include "frames.h"
#include "spare.h"

/* Where makers find what they need and leave what they made. All borrowed. */
struct lod_made_in {
    struct lod_dataset *dataset;
    struct lod_frames *frames;
    struct lod_cache *cache;
    struct lod_budget *work;
    struct lod_devices *devices; /* NULL: the host makes all */
    struct lod_spare *spare;     /* NULL: memory is fresh */
};

/*
 * Unit `unit` of a form of the item: one reference in *ret_blob. `made_bytes`: of all that is made
 * in this form, to know how long the last unit is. -EIO (already logged), -ENOMEM, -EINTR. The
 * thread may hold no promise of `work`.
 */
LOD_MUST_CHECK int lod_made_get(const struct lod_made_in *in, const struct lod_item *item,
                                unsigned form, uint64_t unit, uint64_t made_bytes,
                                struct lod_blob **ret_blob);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a unit: reserves memory, gathers the inputs, calls the codec's maker. */
#include "read/unit_cache.h"

#include <errno.h>

#include "read/unit_inputs.h"

#define FEW 8u /* about as many programs may read units in turn */

struct wanted {
    const struct lod_unit_cache_in *in;
    struct lod_unit_inputs making;
    const struct lod_series *series; /* ends with this unit; NULL: the unit alone is made */
    uint64_t reserved;               /* by `fill`: until the unit is in a cache */
};

/* Runs the maker. Devices may make later units, so this unit is offered to them for measuring. */
static int run(const struct wanted *wanted, const struct lod_inputs *inputs, uint8_t *into)
{
    const struct lod_unit_inputs *making = &wanted->making;
    const struct lod_maker *maker = making->item->codec->maker;
    struct lod_unit unit = {.row = making->item->row,
                            .form = making->form,
                            .unit = making->unit,
                            .inputs = inputs,
                            .into = into,
                            .bytes = making->bytes};

    if (wanted->series) {
        return maker->make_series(&unit, wanted->series);
    }
    int error = maker->make(unit.row, unit.form, unit.unit, inputs, unit.into, unit.bytes);
    if (!error) {
        lod_devices_offer(wanted->in->devices, maker, &unit);
    }
    return error;
}

/* Makes the unit at `into`, or in a new blob if that is NULL. */
static int make(const struct wanted *wanted, uint8_t *into, struct lod_blob **ret_blob)
{
    struct lod_inputs inputs = {0};
    struct lod_blob *blob = NULL;

    int error = lod_unit_inputs_gather(&wanted->making, &inputs);
    if (!error && !into) {
        error = lod_buffer_pool_blob(wanted->in->pool, wanted->making.bytes, &blob);
    }
    error = error ? error : run(wanted, &inputs, into ? into : blob->data);
    lod_unit_inputs_drop(&wanted->making, &inputs);
    if (error) {
        lod_blob_unref(blob);
        return error;
    }
    *ret_blob = blob;
    return 0;
}

/* The same with memory reserved for the maker, which the caller releases. An error is logged.
 */
static int make_reserved(struct wanted *wanted, uint8_t *into, struct lod_blob **ret_blob)
{
    const struct lod_item *item = wanted->making.item;
    struct lod_memory_semaphore *work = wanted->in->work;
    uint64_t cost = item->codec->maker->cost(item->row, wanted->making.form);

    if (cost > work->bytes_max) {
        return lod_dataset_item_failed(wanted->in->dataset, item, -E2BIG);
    }
    wanted->reserved = lod_memory_semaphore_take(work, cost);
    int error = make(wanted, into, ret_blob);
    return error ? lod_dataset_item_failed(wanted->in->dataset, item, error) : 0;
}

static void give_back(const struct wanted *wanted)
{
    if (wanted->reserved) {
        lod_memory_semaphore_give(wanted->in->work, wanted->reserved);
    }
}

static int fill(void *ctx, struct lod_key key, struct lod_blob **ret_blob)
{
    (void)key;
    return make_reserved(ctx, NULL, ret_blob);
}

/* Returns whether a unit is kept in memory that makers lend: the cache has no room for two units of
 * its size, or it has room for few and makers have more memory. */
struct lod_cache *lod_unit_cache_of(const struct lod_unit_cache_in *in, uint64_t bytes)
{
    const uint64_t cache = lod_cache_bytes_max(in->cache);
    const uint64_t lent = in->large ? lod_cache_bytes_max(in->large) : 0;
    const uint64_t few = lent > cache ? FEW : 2;

    return bytes <= lent && bytes > cache / few ? in->large : in->cache;
}

static struct wanted wanted_of(const struct lod_unit_cache_in *in, const struct lod_item *item,
                               unsigned form, uint64_t unit, uint64_t made_bytes)
{
    struct wanted wanted = {
        .in = in,
        .making = lod_unit_inputs_of(in->dataset, in->frames, item, form, unit, made_bytes),
    };

    wanted.making.pool = in->pool;
    return wanted;
}

int lod_unit_cache_get(const struct lod_unit_cache_in *in, const struct lod_item *item,
                       unsigned form, uint64_t unit, uint64_t made_bytes,
                       struct lod_blob **ret_blob)
{
    struct wanted wanted = wanted_of(in, item, form, unit, made_bytes);
    struct lod_cache *cache = lod_unit_cache_of(in, wanted.making.bytes);

    int error = lod_cache_get(cache, lod_unit_inputs_key(&wanted.making), fill, &wanted, ret_blob);
    give_back(&wanted);
    return error;
}

void lod_unit_cache_let_go(const struct lod_unit_cache_in *in, const struct lod_item *item,
                           unsigned form, uint64_t unit, uint64_t bytes)
{
    const struct lod_unit_inputs made = {.item = item, .form = form, .unit = unit};

    if (in->large && lod_unit_cache_of(in, bytes) == in->large) {
        lod_cache_let_go(in->large, lod_unit_inputs_key(&made));
    }
}

static int make_at(struct wanted *wanted, uint8_t *into)
{
    struct lod_blob *none;

    int error = make_reserved(wanted, into, &none);
    give_back(wanted);
    return error;
}

int lod_unit_make(const struct lod_unit_cache_in *in, const struct lod_item *item, unsigned form,
                  uint64_t unit, uint64_t made_bytes, uint8_t *into)
{
    struct wanted wanted = wanted_of(in, item, form, unit, made_bytes);

    return make_at(&wanted, into);
}

int lod_unit_make_series(const struct lod_unit_cache_in *in, const struct lod_item *item,
                         const struct lod_series *series, unsigned last, uint64_t bytes,
                         uint8_t *into)
{
    struct wanted wanted = wanted_of(in, item, last, 0, bytes);

    wanted.series = series;
    return make_at(&wanted, into);
}

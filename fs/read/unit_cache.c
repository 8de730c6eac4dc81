/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a unit: reserves memory, gathers the inputs, calls the codec's maker. */
#include "read/unit_cache.h"

#include <errno.h>

#include "read/unit_inputs.h"

#define READERS_IN_TURN 8u /* about this many programs may read units in turn */

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
    struct lod_inputs inputs;
    struct lod_blob *blob = NULL;

    lod_inputs_begin(&inputs);
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

/* The same with memory reserved for the maker, which the caller releases.
 * An error is logged. */
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
        lod_memory_semaphore_release(wanted->in->work, wanted->reserved);
    }
}

static int fill(void *ctx, struct lod_key key, struct lod_blob **ret_blob)
{
    (void)key;
    return make_reserved(ctx, NULL, ret_blob);
}

/* A lod_cache_fill: returns a unit that was made already. */
static int fill_with(void *ctx, struct lod_key key, struct lod_blob **ret_blob)
{
    (void)key;
    *ret_blob = lod_blob_ref(ctx);
    return 0;
}

/*
 * Returns whether a unit is kept in memory of makers instead of the cache: if the cache has no room
 * for two of its size, or has room for few and the makers' memory is larger.
 */
static bool is_large(const struct lod_unit_cache_in *in, uint64_t bytes)
{
    const uint64_t cache = lod_cache_bytes_max(in->cache);
    const uint64_t lent = in->large ? in->work->kept.bytes_max : 0;
    const uint64_t units = lent > cache ? READERS_IN_TURN : 2;

    return bytes <= lent && bytes > cache / units;
}

static struct wanted wanted_of(const struct lod_unit_cache_in *in, const struct lod_unit_part *part)
{
    struct wanted wanted = {
        .in = in,
        .making = lod_unit_inputs_of(in->dataset, in->frames, part->item, part->form,
                                     part->at / part->unit_bytes, part->made_bytes),
    };

    wanted.making.pool = in->pool;
    return wanted;
}

int lod_unit_cache_get(const struct lod_unit_cache_in *in, const struct lod_unit_part *part,
                       struct lod_blob **ret_blob)
{
    struct wanted wanted = wanted_of(in, part);
    const struct lod_key key = lod_unit_inputs_key(&wanted.making);

    int error = is_large(in, wanted.making.bytes)
                    ? lod_large_units_get(in->large, key, part->at % part->unit_bytes, part->bytes,
                                          fill, &wanted, ret_blob)
                    : lod_cache_get(in->cache, key, fill, &wanted, ret_blob);
    give_back(&wanted);
    return error;
}

bool lod_unit_cache_has(const struct lod_unit_cache_in *in, const struct lod_unit_inputs *making)
{
    const struct lod_key key = lod_unit_inputs_key(making);

    return is_large(in, making->bytes) ? lod_large_units_has(in->large, key)
                                       : lod_cache_has(in->cache, key);
}

void lod_unit_cache_put(const struct lod_unit_cache_in *in, const struct lod_unit_inputs *making,
                        struct lod_blob *blob)
{
    const struct lod_key key = lod_unit_inputs_key(making);
    struct lod_blob *kept = NULL;

    int error = is_large(in, making->bytes)
                    ? lod_large_units_get(in->large, key, 0, 0, fill_with, blob, &kept)
                    : lod_cache_get(in->cache, key, fill_with, blob, &kept);
    if (!error) {
        lod_blob_unref(kept);
    }
}

static int make_at(struct wanted *wanted, uint8_t *into)
{
    struct lod_blob *none;

    int error = make_reserved(wanted, into, &none);
    give_back(wanted);
    return error;
}

int lod_unit_make(const struct lod_unit_cache_in *in, const struct lod_unit_part *part,
                  uint8_t *into)
{
    struct wanted wanted = wanted_of(in, part);

    return make_at(&wanted, into);
}

int lod_unit_make_series(const struct lod_unit_cache_in *in, const struct lod_item *item,
                         const struct lod_series *series, unsigned last, uint64_t bytes,
                         uint8_t *into)
{
    const struct lod_unit_part part = {
        .item = item, .form = last, .made_bytes = bytes, .unit_bytes = bytes};
    struct wanted wanted = wanted_of(in, &part);

    wanted.series = series;
    return make_at(&wanted, into);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a unit: reserves memory, gathers the inputs, calls the codec's maker. */
#include "read/unit_cache.h"

#include <errno.h>

#include "read/unit_inputs.h"

struct wanted {
    const struct lod_unit_cache_in *in;
    struct lod_unit_inputs making;
};

static int make_into(const struct wanted *wanted, const struct lod_inputs *inputs,
                     struct lod_blob *blob)
{
    const struct lod_unit_inputs *making = &wanted->making;
    const struct lod_maker *maker = making->item->codec->maker;
    struct lod_unit unit = {.row = making->item->row,
                            .form = making->form,
                            .unit = making->unit,
                            .inputs = inputs,
                            .into = blob->data,
                            .bytes = making->bytes};

    int error = maker->make(unit.row, unit.form, unit.unit, inputs, unit.into, unit.bytes);
    if (!error) {
        lod_devices_offer(wanted->in->devices, maker, &unit);
    }
    return error;
}

static int make(const struct wanted *wanted, struct lod_blob **ret_blob)
{
    struct lod_inputs inputs = {0};
    struct lod_blob *blob = NULL;

    int error = lod_unit_inputs_gather(&wanted->making, &inputs);
    error = error ? error : lod_buffer_pool_blob(wanted->in->pool, wanted->making.bytes, &blob);
    error = error ? error : make_into(wanted, &inputs, blob);
    lod_unit_inputs_drop(&wanted->making, &inputs);
    if (error) {
        lod_blob_unref(blob);
        return error;
    }
    *ret_blob = blob;
    return 0;
}

static int fill(void *ctx, struct lod_key key, struct lod_blob **ret_blob)
{
    const struct wanted *wanted = ctx;
    const struct lod_item *item = wanted->making.item;
    struct lod_memory_semaphore *work = wanted->in->work;
    uint64_t cost = item->codec->maker->cost(item->row, wanted->making.form);

    (void)key;
    if (cost > work->bytes_max) {
        return lod_dataset_item_failed(wanted->in->dataset, item, -E2BIG);
    }
    uint64_t reserved = lod_memory_semaphore_take(work, cost);
    int error = make(wanted, ret_blob);
    lod_memory_semaphore_give(work, reserved);
    return error ? lod_dataset_item_failed(wanted->in->dataset, item, error) : 0;
}

int lod_unit_cache_get(const struct lod_unit_cache_in *in, const struct lod_item *item,
                       unsigned form, uint64_t unit, uint64_t made_bytes,
                       struct lod_blob **ret_blob)
{
    struct wanted wanted = {
        .in = in,
        .making = lod_unit_inputs_of(in->dataset, in->frames, item, form, unit, made_bytes),
    };

    wanted.making.pool = in->pool;
    return lod_cache_get(in->cache, lod_unit_inputs_key(&wanted.making), fill, &wanted, ret_blob);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All batches together take at most half of the memory semaphore, so that readers can still make
 * units of their own. Units that do not fit wait for the next batch.
 */
#include "read/unit_batch.h"

#include <stdbool.h>
#include <stdlib.h>

#include "read/unit_inputs.h"

/* Each thread may have a batch; together they take half of the semaphore. */
#define SHARE (2 * LOD_READAHEAD_THREADS_MAX)

struct one {
    struct lod_unit_inputs making;
    struct lod_inputs inputs;
    struct lod_blob *blob;
};

struct batch {
    unsigned count;
    struct one one[LOD_READAHEAD_BATCH_MAX];
    struct lod_unit unit[LOD_READAHEAD_BATCH_MAX];
};

/* Prepares one unit; a unit that cannot be prepared is left out. */
static void add(const struct lod_unit_cache_in *in, const struct lod_readahead_unit *wanted,
                struct batch *batch)
{
    struct one *one = &batch->one[batch->count];

    *one =
        (struct one){.making = lod_unit_inputs_of(in->dataset, in->frames, &wanted->item,
                                                  wanted->form, wanted->unit, wanted->made_bytes)};
    one->making.pool = in->pool;
    if (lod_unit_cache_has(in, &one->making)) {
        return;
    }
    if (lod_unit_inputs_gather(&one->making, &one->inputs) != 0 ||
        lod_buffer_pool_blob(in->pool, one->making.bytes, &one->blob) != 0) {
        lod_unit_inputs_drop(&one->making, &one->inputs);
        return;
    }
    batch->unit[batch->count++] = (struct lod_unit){.row = one->making.item->row,
                                                    .form = one->making.form,
                                                    .unit = one->making.unit,
                                                    .inputs = &one->inputs,
                                                    .into = one->blob->data,
                                                    .bytes = one->making.bytes};
}

/* Makes all units and releases their inputs. */
static bool make_all(const struct lod_unit_cache_in *in, struct lod_gpu *gpu, struct batch *batch)
{
    const struct lod_maker *maker = batch->one[0].making.item->codec->maker;
    bool made = maker->make_many(gpu, batch->unit, batch->count) == 0;

    for (unsigned i = 0; i < batch->count; i++) {
        lod_unit_inputs_drop(&batch->one[i].making, &batch->one[i].inputs);
    }
    if (made) {
        lod_devices_made(in->devices, batch->count);
    }
    return made;
}

static void publish_all(const struct lod_unit_cache_in *in, bool made, struct batch *batch)
{
    for (unsigned i = 0; i < batch->count; i++) {
        if (made && batch->unit[i].error == 0) {
            lod_unit_cache_put(in, &batch->one[i].making, batch->one[i].blob);
        }
        lod_blob_unref(batch->one[i].blob);
    }
    batch->count = 0;
}

/* Returns how many of the first units fit into `bytes_max`; at least one. */
static unsigned fitting(const struct lod_readahead_unit *units, unsigned count, uint64_t bytes_max,
                        uint64_t *ret_bytes)
{
    unsigned fit = 0;
    uint64_t bytes = 0;

    while (fit < count) {
        const struct lod_item *item = &units[fit].item;
        uint64_t cost = item->codec->maker->cost(item->row, units[fit].form);
        if (fit &&
            (cost > bytes_max || bytes > bytes_max - cost || item->codec != units[0].item.codec)) {
            break;
        }
        bytes += cost;
        fit++;
    }
    *ret_bytes = bytes;
    return fit;
}

static void run(const struct lod_unit_cache_in *in, struct lod_gpu *gpu,
                const struct lod_readahead_unit *units, unsigned count, uint64_t bytes,
                struct batch *batch)
{
    uint64_t reserved = lod_memory_semaphore_take(in->work, bytes);

    for (unsigned i = 0; i < count; i++) {
        add(in, &units[i], batch);
    }
    bool made = batch->count && make_all(in, gpu, batch);
    /* Release the reservation first: publishing can block on a maker that is waiting for memory. */
    lod_memory_semaphore_release(in->work, reserved);
    publish_all(in, made, batch);
}

void lod_unit_batch(const struct lod_unit_cache_in *in, struct lod_gpu *gpu,
                    const struct lod_readahead_unit *units, unsigned count)
{
    struct batch *batch = calloc(1, sizeof(*batch));
    unsigned taken;

    for (unsigned done = 0; batch && done < count; done += taken) {
        uint64_t bytes;
        taken = fitting(units + done, count - done, in->work->bytes_max / SHARE, &bytes);
        if (bytes <= in->work->bytes_max) {
            run(in, gpu, units + done, taken, bytes, batch);
        }
    }
    free(batch);
}

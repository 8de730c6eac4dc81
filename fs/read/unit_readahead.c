/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the next units, and makes them on the host or a device. */
#include "read/unit_readahead.h"

#include "read/unit_cache.h"
#include "read/unit_batch.h"

static struct lod_unit_part begin_of(const struct lod_readahead_unit *unit)
{
    const struct lod_item *item = &unit->item;
    const uint64_t unit_bytes = item->codec->maker->unit_bytes(item->row, unit->form);

    return (struct lod_unit_part){.item = item,
                                  .form = unit->form,
                                  .made_bytes = unit->made_bytes,
                                  .unit_bytes = unit_bytes,
                                  .at = unit->unit * unit_bytes};
}

static void make(void *ctx, const struct lod_readahead_unit *units, unsigned count)
{
    const struct lod_unit_cache_in *in = ctx;
    struct lod_gpu *gpu = lod_devices_now(in->devices, units[0].item.codec->maker);

    if (gpu && count > 1) {
        lod_unit_batch(in, gpu, units, count);
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        const struct lod_unit_part part = begin_of(&units[i]);
        struct lod_blob *blob = NULL;
        if (lod_unit_cache_get(in, &part, &blob) == 0) {
            lod_blob_unref(blob);
        }
    }
}

static unsigned batch(void *ctx, const struct lod_item *item)
{
    const struct lod_unit_cache_in *in = ctx;

    return lod_devices_now(in->devices, item->codec->maker) ? LOD_READAHEAD_BATCH_MAX : 1;
}

/*
 * Returns the size of the item's form, in whichever format uses it; 0 if the item has no such form.
 */
static uint64_t made_bytes_of(const struct lod_item *item, unsigned form)
{
    static const enum lod_format formats[] = {LOD_FORMAT_TREE, LOD_FORMAT_DECODED};
    struct lod_plan plan;

    for (unsigned i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        uint64_t bytes = 0;
        if (lod_codec_plan(item->codec, item->row, formats[i], LOD_FULL, &plan) != 0) {
            continue;
        }
        for (unsigned p = 0; p < plan.count; p++) {
            const struct lod_piece *piece = &plan.pieces[p];
            bytes += piece->kind == LOD_PIECE_MADE && piece->form == form ? piece->bytes : 0;
        }
        if (bytes) {
            return bytes;
        }
    }
    return 0;
}

static bool next(void *ctx, const struct lod_readahead_unit *unit,
                 struct lod_readahead_unit *ret_next)
{
    const struct lod_unit_cache_in *in = ctx;
    const struct lod_record_desc *recd = &unit->item.recd;
    struct lod_readahead_unit found = {.form = unit->form};

    if (unit->item.number + 1 - recd->first_item >= recd->items ||
        lod_dataset_item(in->dataset, unit->item.number + 1, &found.item) != 0) {
        return false;
    }
    found.made_bytes = made_bytes_of(&found.item, unit->form);
    *ret_next = found;
    return found.made_bytes != 0;
}

const struct lod_readahead_calls lod_unit_readahead = {.make = make, .batch = batch, .next = next};

/* SPDX-License-Identifier: Apache-2.0 */
/* The items and records of a window; see met.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "order/met.h"
#include "order/shuffle.h"

/* A stretch of the chain within one pass. */
struct stretch {
    const struct lod_pass *pass;
    uint32_t cursor, extents;
};

/* The part of `extents` extents, from the `skip`-th of the window on, that lies in one pass. */
static struct stretch stretch_at(const struct lod_met *met, uint32_t skip, uint32_t extents)
{
    uint64_t cursor = (uint64_t)met->state.cursor + skip;
    unsigned p = 0;

    while (p + 1 < LOD_MET_PASSES && cursor >= met->passes[p].count) {
        cursor -= met->passes[p++].count;
    }
    const struct lod_pass *pass = &met->passes[p];
    const uint64_t left = cursor < pass->count ? pass->count - cursor : 0;
    return (struct stretch){.pass = pass,
                            .cursor = (uint32_t)cursor,
                            .extents = extents < left ? extents : (uint32_t)left};
}

static uint64_t sum(const struct lod_met *met, uint32_t skip, uint32_t extents)
{
    uint64_t values = 0;

    while (extents) {
        const struct stretch part = stretch_at(met, skip, extents);
        if (!part.extents) {
            break;
        }
        values += lod_pass_sum(part.pass, part.cursor, part.extents);
        skip += part.extents;
        extents -= part.extents;
    }
    return values;
}

uint64_t lod_met_values(const struct lod_met *met)
{
    return sum(met, 0, lod_met_window_extents(&met->state.window));
}

/* Lists the items of some extents of the window, not shuffled. */
static int list(const struct lod_met *met, uint32_t skip, uint32_t extents, uint32_t *items,
                size_t room, size_t *ret_count)
{
    size_t count = 0;

    while (extents) {
        const struct stretch part = stretch_at(met, skip, extents);
        size_t added = 0;
        int error = part.extents ? lod_pass_list(part.pass, part.cursor, part.extents,
                                                 items + count, room - count, &added)
                                 : -EILSEQ;
        if (error) {
            return error;
        }
        count += added;
        skip += part.extents;
        extents -= part.extents;
    }
    *ret_count = count;
    return 0;
}

/* Places are shuffled, not items: near the end of a pass an item can be in the window twice. */
static int shuffle(uint32_t *items, size_t count, uint64_t seed)
{
    uint32_t *places = calloc(count + 1, sizeof(*places));
    uint32_t *sorted = calloc(count + 1, sizeof(*sorted));
    int error = places && sorted && count <= UINT32_MAX ? 0 : -ENOMEM;

    for (size_t i = 0; !error && i < count; i++) {
        places[i] = (uint32_t)i;
    }
    error = error ? error : lod_shuffle(places, count, seed);
    if (!error) {
        memcpy(sorted, items, count * sizeof(*sorted));
        for (size_t i = 0; i < count; i++) {
            items[i] = sorted[places[i]];
        }
    }
    free(places);
    free(sorted);
    return error;
}

/* Returns the extents that are shuffled together, from the `skip`-th on. In the first repeat
 * nothing is loaded, so they are few: then neighbouring reads share requests to the store. */
static uint32_t mixed(const struct lod_met *met, uint32_t skip, uint32_t extents)
{
    uint64_t bytes = met->bytes[skip];
    uint32_t end = skip + 1;

    if (met->state.repeat) {
        return extents - skip;
    }
    while (end < extents && met->bytes[end] <= LOD_MET_STRETCH_BYTES &&
           bytes <= LOD_MET_STRETCH_BYTES - met->bytes[end]) {
        bytes += met->bytes[end++];
    }
    return end - skip;
}

int lod_met_items(const struct lod_met *met, uint32_t *items, size_t room, size_t *ret_count)
{
    const uint32_t extents = lod_met_window_extents(&met->state.window);
    size_t count = 0, added = 0;
    int error = 0;

    for (uint32_t at = 0, length; !error && at < extents; at += length) {
        length = mixed(met, at, extents);
        error = list(met, at, length, items + count, room - count, &added);
        const uint64_t seed =
            lod_shuffle_run_seed(met->passes[0].seed, met->state.cursor + at, met->state.repeat);
        error = error ? error : shuffle(items + count, added, seed);
        count += added;
    }
    if (!error) {
        *ret_count = count;
    }
    return error;
}

void lod_met_records(const struct lod_met *met, uint32_t *records, size_t room, size_t *ret_count,
                     size_t *ret_window)
{
    const uint32_t window = lod_met_window_extents(&met->state.window);
    uint64_t bytes = 0;
    size_t count = 0;

    *ret_window = 0;
    for (uint32_t at = 0; at < met->bytes_count; at++) {
        bytes += met->bytes[at];
        if (at >= window && (met->state.whole || bytes > met->state.room)) {
            break;
        }
        const struct stretch here = stretch_at(met, at, 1);
        const struct lod_extent *extent = &met->order->extents.at[here.pass->extents[here.cursor]];
        for (uint32_t r = 0; r < extent->records; r++, count++) {
            if (count < room) {
                records[count] = extent->first_record + r;
            }
        }
        *ret_window = at < window ? count : *ret_window;
    }
    *ret_count = count;
}

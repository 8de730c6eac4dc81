/* SPDX-License-Identifier: Apache-2.0 */
/* One pass of a reading order; see read_order.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "order/item_set.h"
#include "order/read_order.h"
#include "order/shuffle.h"

/* The extents with a selected item, in the order of the pass. */
static int permute(struct lod_pass *pass)
{
    const struct lod_read_order *order = pass->order;

    pass->extents = calloc(order->extents.count + 1, sizeof(*pass->extents));
    if (!pass->extents) {
        return -ENOMEM;
    }
    for (uint32_t e = 0; e < order->extents.count; e++) {
        if (order->counts[e]) {
            pass->extents[pass->count++] = e;
        }
    }
    return pass->stored ? 0 : lod_shuffle(pass->extents, pass->count, pass->seed);
}

static void measure(struct lod_pass *pass, const uint64_t *sums, uint32_t node, uint32_t nodes)
{
    pass->items = pass->items_min = pass->items_max = sums[node];
    for (uint32_t n = 0; n < nodes; n++) {
        pass->items_min = sums[n] < pass->items_min ? sums[n] : pass->items_min;
        pass->items_max = sums[n] > pass->items_max ? sums[n] : pass->items_max;
    }
}

/* Leaves the extents of one node. */
static int deal(struct lod_pass *pass, uint32_t node, uint32_t nodes)
{
    uint32_t *counts = calloc(pass->count + 1, sizeof(*counts));
    uint32_t *dealt = calloc(pass->count + 1, sizeof(*dealt));
    uint64_t *sums = calloc(nodes, sizeof(*sums));
    const uint32_t all = pass->count;

    if (counts && dealt && sums) {
        for (uint32_t i = 0; i < all; i++) {
            counts[i] = pass->order->counts[pass->extents[i]];
        }
        lod_shuffle_deal(counts, all, nodes, dealt, sums);
        measure(pass, sums, node, nodes);
        pass->count = 0;
        for (uint32_t i = 0; i < all; i++) {
            if (dealt[i] == node) {
                pass->extents[pass->count++] = pass->extents[i];
            }
        }
    }
    const int error = counts && dealt && sums ? 0 : -ENOMEM;
    free(counts);
    free(dealt);
    free(sums);
    return error;
}

int lod_pass_plan(const struct lod_read_order *order, uint32_t pass, uint32_t node, uint32_t nodes,
                  struct lod_pass *ret_pass)
{
    struct lod_pass planned = {
        .order = order,
        .stored = pass == LOD_PASS_STORED,
        .seed = lod_shuffle_pass_seed(order->store, order->seed, pass),
    };

    if (node >= nodes || nodes > LOD_NODES_OF_JOB_MAX) {
        return -EINVAL;
    }
    int error = permute(&planned);
    error = error ? error : deal(&planned, node, nodes);
    if (error) {
        lod_pass_finish(&planned);
        return error;
    }
    *ret_pass = planned;
    return 0;
}

void lod_pass_finish(struct lod_pass *pass)
{
    free(pass->extents);
    *pass = (struct lod_pass){.order = NULL};
}

uint32_t lod_pass_run(const struct lod_pass *pass, uint32_t cursor, enum lod_fidelity fidelity,
                      uint64_t bytes_max)
{
    uint64_t left = bytes_max;
    uint32_t at = cursor;

    for (; at < pass->count; at++) {
        const uint64_t bytes = pass->order->extents.at[pass->extents[at]].bytes[fidelity - 1];
        if (at > cursor && bytes > left) {
            break;
        }
        left -= bytes < left ? bytes : left;
    }
    return at - cursor;
}

/* Clips a stretch to the pass. */
static uint32_t end_of(const struct lod_pass *pass, uint32_t cursor, uint32_t count)
{
    return cursor >= pass->count          ? cursor
           : count > pass->count - cursor ? pass->count
                                          : cursor + count;
}

uint64_t lod_pass_sum(const struct lod_pass *pass, uint32_t cursor, uint32_t count)
{
    const uint32_t end = end_of(pass, cursor, count);
    uint64_t sum = 0;

    for (uint32_t i = cursor; i < end; i++) {
        sum += pass->order->counts[pass->extents[i]];
    }
    return sum;
}

struct items {
    const uint8_t *selected;
    uint32_t *at;
    size_t count, room;
};

static int add_item(struct items *items, uint32_t item)
{
    if (!lod_item_set_has(items->selected, item)) {
        return 0;
    }
    if (items->count == items->room) {
        return -ERANGE;
    }
    items->at[items->count++] = item;
    return 0;
}

static int add_extent(const struct lod_extents *extents, uint32_t number, struct items *items)
{
    const struct lod_extent *extent = &extents->at[number];
    uint32_t from, to;
    int error = 0;

    for (uint32_t i = 0; !error && i < extent->items; i++) {
        error = add_item(items, extent->first_item + i);
    }
    lod_extents_small_of(extents, number, &from, &to);
    for (uint32_t i = from; !error && i < to; i++) {
        error = add_item(items, lod_extents_small_item(extents, i));
    }
    return error;
}

int lod_pass_list(const struct lod_pass *pass, uint32_t cursor, uint32_t count, uint32_t *items,
                  size_t room, size_t *ret_count)
{
    struct items found = {.selected = pass->order->selected, .at = items, .room = room};
    const uint32_t end = end_of(pass, cursor, count);
    int error = 0;

    for (uint32_t i = cursor; !error && i < end; i++) {
        error = add_extent(&pass->order->extents, pass->extents[i], &found);
    }
    if (!error) {
        *ret_count = found.count;
    }
    return error;
}

int lod_pass_items(const struct lod_pass *pass, uint32_t cursor, uint32_t count, uint32_t repeat,
                   uint32_t *items, size_t room, size_t *ret_count)
{
    size_t listed = 0;
    int error = lod_pass_list(pass, cursor, count, items, room, &listed);

    if (!error && !pass->stored) {
        error = lod_shuffle(items, listed, lod_shuffle_run_seed(pass->seed, cursor, repeat));
    }
    if (!error) {
        *ret_count = listed;
    }
    return error;
}

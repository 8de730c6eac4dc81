/* SPDX-License-Identifier: Apache-2.0 */
/* Which items are selected; see read_order.h. pass.c has their order. */
#include "order/read_order.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "order/item_set.h"

static int create(struct lod_dataset *dataset, uint64_t seed, struct lod_read_order **ret_order)
{
    struct lod_index *index = lod_dataset_index(dataset);
    struct lod_read_order *order = calloc(1, sizeof(*order));

    if (!order) {
        return -ENOMEM;
    }
    order->store = lod_dataset_manifest(dataset)->store_id;
    order->seed = seed;
    int error = lod_extents_make(index, &order->extents);
    if (!error) {
        order->selected = calloc((size_t)lod_index_items(index) / 8 + 1, 1);
        order->counts = calloc(order->extents.count + 1, sizeof(*order->counts));
        error = order->selected && order->counts ? 0 : -ENOMEM;
    }
    if (error) {
        lod_read_order_destroy(order);
        return error;
    }
    *ret_order = order;
    return 0;
}

void lod_read_order_destroy(struct lod_read_order *order)
{
    if (order) {
        lod_extents_finish(&order->extents);
        free(order->selected);
        free(order->counts);
        free(order);
    }
}

/* -------------------------------------------------------------------------------- pictures */

/* Selects the items of all records of pictures. */
static int select_pictures(struct lod_index *index, uint8_t *set)
{
    bool found = false;
    struct lod_record_desc recd;
    int error = 0;

    for (unsigned raw = 0; !error && !found && raw < 2; raw++) {
        for (uint32_t r = 0; !error && r < lod_index_records(index); r++) {
            error = lod_index_record(index, r, &recd);
            if (!error && (raw ? recd.codec == LOD_CODEC_RAW
                               : recd.codec == LOD_CODEC_PCR || recd.codec == LOD_CODEC_L3)) {
                lod_item_set_add_range(set, recd.first_item, recd.items);
                found = true;
            }
        }
    }
    return error;
}

/* The first node whose parent is `parent` or a later one; parents never decrease. */
static int first_child(struct lod_index *index, uint32_t parent, uint32_t *ret_node)
{
    uint32_t low = 1, high = lod_index_nodes(index);
    struct lod_node node;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        int error = lod_index_node(index, middle, &node);
        if (error) {
            return error;
        }
        if (node.parent < parent) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *ret_node = low;
    return 0;
}

/* Selects the items whose own nodes are files in [from, to). */
static int select_files(struct lod_index *index, uint32_t from, uint32_t to, uint8_t *set)
{
    struct lod_node node;

    for (uint32_t n = from; n < to; n++) {
        int error = lod_index_node(index, n, &node);
        if (error) {
            return error;
        }
        if (S_ISREG(node.mode) && !(node.flags & LOD_NODE_ALIAS) &&
            node.ref < lod_index_items(index)) {
            lod_item_set_add_range(set, node.ref, 1);
        }
    }
    return 0;
}

/* Nodes are numbered breadth first, so the nodes below a folder are one range at each depth. */
static int select_below(struct lod_index *index, uint32_t folder, uint8_t *set)
{
    uint32_t from = folder, to = folder + 1;
    int error = 0;

    for (unsigned depth = 0; !error && from < to && depth < LOD_DEPTH_MAX; depth++) {
        uint32_t first = 0, last = 0;
        error = first_child(index, from, &first);
        error = error ? error : first_child(index, to, &last);
        error = error ? error : select_files(index, first, last, set);
        from = first;
        to = last;
    }
    return error;
}

static int select_split(struct lod_index *index, uint32_t folder, uint8_t *set)
{
    const size_t bytes = (size_t)lod_index_items(index) / 8 + 1;
    uint8_t *below = calloc(bytes, 1);

    if (!below) {
        return -ENOMEM;
    }
    int error = select_below(index, folder, below);
    for (size_t i = 0; i < bytes; i++) {
        set[i] &= below[i];
    }
    free(below);
    return error;
}

static void count_selected(struct lod_read_order *order)
{
    const struct lod_extents *extents = &order->extents;
    uint32_t from, to;

    for (uint32_t e = 0; e < extents->count; e++) {
        const struct lod_extent *extent = &extents->at[e];
        order->counts[e] = lod_item_set_count(order->selected, extent->first_item, extent->items);
        lod_extents_small_of(extents, e, &from, &to);
        for (uint32_t i = from; i < to; i++) {
            order->counts[e] +=
                lod_item_set_has(order->selected, lod_extents_small_item(extents, i));
        }
        order->items += order->counts[e];
    }
}

static int find_split(struct lod_dataset *dataset, const char *split, uint32_t *ret_node)
{
    struct lod_node node;
    int error = lod_dataset_walk(dataset, split, &node);

    if (!error && !S_ISDIR(node.mode)) {
        error = -ENOTDIR;
    }
    if (!error) {
        *ret_node = node.number;
    }
    return error;
}

int lod_read_order_create(struct lod_dataset *dataset, const char *split, uint64_t seed,
                          struct lod_read_order **ret_order)
{
    struct lod_index *index = lod_dataset_index(dataset);
    struct lod_read_order *order = NULL;
    int error = create(dataset, seed, &order);

    if (error) {
        return error;
    }
    error = find_split(dataset, split, &order->node);
    error = error ? error : select_pictures(index, order->selected);
    if (!error && order->node) {
        error = select_split(index, order->node, order->selected);
    }
    if (!error) {
        count_selected(order);
        error = order->items ? 0 : -ENODATA;
    }
    if (error) {
        lod_read_order_destroy(order);
        return error;
    }
    *ret_order = order;
    return 0;
}

/* ------------------------------------------------------------------------------------ lists */

static int select_list(struct lod_read_order *order, const uint32_t *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t extent = lod_extents_find(&order->extents, items[i]);
        if (extent == UINT32_MAX) {
            return -EINVAL;
        }
        if (order->counts[extent] == UINT32_MAX) {
            return -E2BIG;
        }
        order->counts[extent]++;
        lod_item_set_add_range(order->selected, items[i], 1);
    }
    order->items = count;
    return 0;
}

int lod_read_order_create_of(struct lod_dataset *dataset, const uint32_t *items, size_t count,
                             uint64_t seed, struct lod_read_order **ret_order)
{
    struct lod_read_order *order = NULL;
    int error = create(dataset, seed, &order);

    if (error) {
        return error;
    }
    error = select_list(order, items, count);
    if (error) {
        lod_read_order_destroy(order);
        return error;
    }
    *ret_order = order;
    return 0;
}

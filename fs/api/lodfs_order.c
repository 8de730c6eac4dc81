/* SPDX-License-Identifier: Apache-2.0 */
/* liblodfs, orders and their passes: a thin wrapper of fs/order. */
#include <errno.h>
#include <stdlib.h>

#include "api/lodfs_error.h"
#include "api/lodfs_made_order.h"
#include "api/lodfs_opened.h"
#include "api/lodfs_order.h"

struct lodfs_order {
    struct lod_read_order *made;
    char store[LOD_ID_TEXT_BYTES];
};

struct lodfs_pass {
    struct lod_pass planned;
};

static int wrap(struct lod_read_order *made, struct lodfs_order **ret_order)
{
    struct lodfs_order *order = malloc(sizeof(*order));

    if (!order) {
        lod_read_order_destroy(made);
        return -ENOMEM;
    }
    order->made = made;
    lod_id_text(made->store, order->store);
    *ret_order = order;
    return 0;
}

int lodfs_order_open(struct lodfs_store *store, const char *split, uint64_t seed,
                     struct lodfs_order **ret_order, struct lodfs_error *error)
{
    const struct lod_opened *opened = NULL;
    struct lod_read_order *made = NULL;
    int result = lod_opened_get(store, &opened, error);

    if (result) {
        return result;
    }
    result = lod_read_order_create(opened->dataset, split, seed, &made);
    result = result ? result : wrap(made, ret_order);
    if (result == -ENODATA) {
        return lod_say_named(error, result, "", split, "there is no picture in this folder");
    }
    return result ? lod_say_path(error, result, split) : 0;
}

int lodfs_order_open_items(struct lodfs_store *store, const uint32_t *items, size_t count,
                           uint64_t seed, struct lodfs_order **ret_order, struct lodfs_error *error)
{
    const struct lod_opened *opened = NULL;
    struct lod_read_order *made = NULL;
    int result = lod_opened_get(store, &opened, error);

    if (result) {
        return result;
    }
    result = lod_read_order_create_of(opened->dataset, items, count, seed, &made);
    result = result ? result : wrap(made, ret_order);
    if (result == -EINVAL) {
        return lod_say(error, result, "a number in the list is not of a file of this store");
    }
    return result ? lod_say(error, result, "cannot make an order: %s", lod_why(result)) : 0;
}

void lodfs_order_close(struct lodfs_order *order)
{
    if (order) {
        lod_read_order_destroy(order->made);
        free(order);
    }
}

const struct lod_read_order *lod_made_order(const struct lodfs_order *order)
{
    return order->made;
}

uint64_t lodfs_order_items(const struct lodfs_order *order)
{
    return order->made->items;
}

const char *lodfs_order_store(const struct lodfs_order *order)
{
    return order->store;
}

int lodfs_pass_open(const struct lodfs_order *order, uint32_t pass, uint32_t node, uint32_t nodes,
                    struct lodfs_pass **ret_pass, struct lodfs_error *error)
{
    struct lodfs_pass *opened = malloc(sizeof(*opened));
    int result = opened ? lod_pass_plan(order->made, pass, node, nodes, &opened->planned) : -ENOMEM;

    if (result) {
        free(opened);
        return lod_say(error, result, "cannot plan pass %u for node %u of %u: %s", pass, node,
                       nodes, lod_why(result));
    }
    *ret_pass = opened;
    return 0;
}

void lodfs_pass_close(struct lodfs_pass *pass)
{
    if (pass) {
        lod_pass_finish(&pass->planned);
        free(pass);
    }
}

uint64_t lodfs_pass_items(const struct lodfs_pass *pass)
{
    return pass->planned.items;
}

uint64_t lodfs_pass_items_min(const struct lodfs_pass *pass)
{
    return pass->planned.items_min;
}

uint64_t lodfs_pass_items_max(const struct lodfs_pass *pass)
{
    return pass->planned.items_max;
}

uint32_t lodfs_pass_run(const struct lodfs_pass *pass, uint32_t cursor, int fidelity,
                        uint64_t bytes)
{
    const enum lod_fidelity at = (enum lod_fidelity)fidelity;

    return lod_fidelity_name(at) ? lod_pass_run(&pass->planned, cursor, at, bytes) : 0;
}

uint64_t lodfs_pass_run_count(const struct lodfs_pass *pass, uint32_t cursor, uint32_t extents)
{
    return lod_pass_sum(&pass->planned, cursor, extents);
}

int lodfs_pass_run_items(const struct lodfs_pass *pass, uint32_t cursor, uint32_t extents,
                         uint32_t repeat, uint32_t *items, size_t room, size_t *ret_count,
                         struct lodfs_error *error)
{
    int result = lod_pass_items(&pass->planned, cursor, extents, repeat, items, room, ret_count);

    return result ? lod_say(error, result, "cannot list a run: %s", lod_why(result)) : 0;
}

void lodfs_pass_run_records(const struct lodfs_pass *pass, uint32_t cursor, uint32_t extents,
                            uint32_t *records, size_t room, size_t *ret_count)
{
    const struct lod_pass *planned = &pass->planned;
    size_t count = 0;

    for (uint32_t i = cursor; i < planned->count && i - cursor < extents; i++) {
        const struct lod_extent *extent = &planned->order->extents.at[planned->extents[i]];
        for (uint32_t r = 0; r < extent->records; r++, count++) {
            if (count < room) {
                records[count] = extent->first_record + r;
            }
        }
    }
    *ret_count = count;
}

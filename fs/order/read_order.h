/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order in which a job reads the items of a store: selected items, and their order in each
 * pass. It follows from the store's identity, a seed and the number of the pass (FORMAT.md, Reading
 * order). Orders and passes are only memory: they need no open store, and stay valid in a forked
 * child.
 */
#ifndef LOD_READ_ORDER_H
#define LOD_READ_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "dataset/dataset.h"
#include "order/extents.h"

/* The pass that is not shuffled: extents, and the items of each,
 * are in the order of storage. */
#define LOD_PASS_STORED UINT32_MAX

/* Immutable once it is created. Any thread. */
struct lod_read_order {
    struct lod_extents extents;
    uint8_t *selected; /* a bit for each item of the store */
    uint32_t *counts;  /* selected items of each extent */
    uint64_t items;    /* their sum */
    struct lod_id store;
    uint64_t seed;
    uint32_t node; /* of the folder that was selected; 0 for the root */
};

/*
 * Selects the pictures below the folder `split`, "" for all: items of pcr and l3, or of raw in a
 * store without either. Returns -ENOENT or -ENOTDIR for `split`, -ENODATA if it has no picture.
 */
LOD_MUST_CHECK int lod_read_order_create(struct lod_dataset *dataset, const char *split,
                                         uint64_t seed, struct lod_read_order **ret_order);

/*
 * Selects `count` items by their numbers. An item that is listed twice counts twice. Returns
 * -EINVAL if an item is not of this store, or is a tree list.
 */
LOD_MUST_CHECK int lod_read_order_create_of(struct lod_dataset *dataset, const uint32_t *items,
                                            size_t count, uint64_t seed,
                                            struct lod_read_order **ret_order);
/* Accepts NULL. */
void lod_read_order_destroy(struct lod_read_order *order);

/* The extents of one node in one pass, in their order; extents without a selected item are left
 * out. */
struct lod_pass {
    const struct lod_read_order *order;
    uint32_t *extents;
    uint32_t count;
    bool stored;
    uint64_t seed;
    uint64_t items;                /* of this node */
    uint64_t items_min, items_max; /* of the node with the fewest, and with the most */
};

/* Plans a pass for node `node` of `nodes`. The order must outlive it.
 * Returns -ENOMEM or -EINVAL. */
#define LOD_NODES_OF_JOB_MAX 65536u
LOD_MUST_CHECK int lod_pass_plan(const struct lod_read_order *order, uint32_t pass, uint32_t node,
                                 uint32_t nodes, struct lod_pass *ret_pass);
void lod_pass_finish(struct lod_pass *pass);

/*
 * Returns the extents of the run that begins at `cursor`: the longest stretch of which a reader of
 * all items reads at most `bytes_max` bytes. It is 1 at least, and 0 only at the end of the pass.
 */
uint32_t lod_pass_run(const struct lod_pass *pass, uint32_t cursor, enum lod_fidelity fidelity,
                      uint64_t bytes_max);

/* Writes the selected items of `count` extents from `cursor`, as they are stored, each once.
 * Returns -ERANGE if `room` is too small. */
LOD_MUST_CHECK int lod_pass_list(const struct lod_pass *pass, uint32_t cursor, uint32_t count,
                                 uint32_t *items, size_t room, size_t *ret_count);

/*
 * Writes the selected items of `count` extents from `cursor`, shuffled as one run, each once.
 * Returns -ERANGE if `room` is too small: the sum of their counts suffices.
 */
LOD_MUST_CHECK int lod_pass_items(const struct lod_pass *pass, uint32_t cursor, uint32_t count,
                                  uint32_t repeat, uint32_t *items, size_t room, size_t *ret_count);

/* Returns the selected items of `count` extents from `cursor`; fewer extents if the pass ends. */
uint64_t lod_pass_sum(const struct lod_pass *pass, uint32_t cursor, uint32_t count);

#endif

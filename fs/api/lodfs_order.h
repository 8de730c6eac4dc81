/* SPDX-License-Identifier: Apache-2.0 */
/*
 * liblodfs, orders: files by number, and the shuffled order in which a job reads them. Errors,
 * strings, threads and forks are as lodfs.h says.
 *
 *     lodfs_order_open(store, "train", seed, &order, &error);
 *     lodfs_pass_open(order, epoch, 0, 1, &pass, &error);
 *     while ((extents = lodfs_pass_run(pass, cursor, fidelity, bytes)) > 0) {
 *         lodfs_pass_run_items(pass, cursor, extents, 0, items, room, &count, &error);
 *         lodfs_item_read(..);     each of them
 *         cursor += extents;
 *     }
 */
#ifndef LODFS_ORDER_H
#define LODFS_ORDER_H

#include "lodfs.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * An item is a file's bytes as a store holds them, numbered from 0. Equal files and hard links are
 * one item. lodfs_items_of finds the items of `count` files; `paths` is one path after another,
 * each ended by a NUL. A path that is no file of the store gets UINT32_MAX. For a number that no
 * item has, the other functions return -ENOENT. lodfs_view_items_of takes paths as a mount shows
 * them, as "decoded/q4/cat/1.ppm"; those of framed files get UINT32_MAX.
 */
LODFS_EXPORT int lodfs_items_of(struct lodfs_store *store, const char *paths, size_t count,
                                uint32_t *items, struct lodfs_error *error);
LODFS_EXPORT int lodfs_view_items_of(struct lodfs_store *store, const char *paths, size_t count,
                                     uint32_t *items, struct lodfs_error *error);
/* The path of an item with a NUL, in up to `room` bytes: 4,096 suffice. -ERANGE. */
LODFS_EXPORT int lodfs_item_path(struct lodfs_store *store, uint32_t item, char *into, size_t room,
                                 struct lodfs_error *error);
/* The label that `pack --labels` gave a picture: 0 and up, or -1 for none. LODFS_LABEL_OF_FOLDER:
 * it has none of its own, so its folder counts. */
#define LODFS_LABEL_OF_FOLDER (-2)
LODFS_EXPORT int lodfs_item_label(struct lodfs_store *store, uint32_t item, int32_t *ret_label,
                                  struct lodfs_error *error);
LODFS_EXPORT int lodfs_item_bytes(struct lodfs_store *store, uint32_t item, int fidelity,
                                  uint64_t *ret_bytes, struct lodfs_error *error);
/* Bytes [offset, offset + bytes) of the item's file, clipped to its end. */
LODFS_EXPORT int lodfs_item_read(struct lodfs_store *store, uint32_t item, int fidelity,
                                 uint64_t offset, void *into, size_t bytes, size_t *ret_bytes,
                                 struct lodfs_error *error);

/*
 * The order in which a job reads selected items. It follows from the store, the items, `seed` and
 * the number of a pass, and is the same on every machine. Nothing is read of the store after
 * opening.
 *
 * lodfs_order_open selects the pictures below the folder `split`, "" for all. Pictures are
 * photographs and lossless images; in a store without either, all files but tables. -ENODATA: there
 * are none. lodfs_order_open_items selects items by their numbers; one that is listed twice counts
 * twice.
 */
struct lodfs_order;
LODFS_EXPORT int lodfs_order_open(struct lodfs_store *store, const char *split, uint64_t seed,
                                  struct lodfs_order **ret_order, struct lodfs_error *error);
LODFS_EXPORT int lodfs_order_open_items(struct lodfs_store *store, const uint32_t *items,
                                        size_t count, uint64_t seed, struct lodfs_order **ret_order,
                                        struct lodfs_error *error);
/* Call it after its passes are closed. Accepts NULL. */
LODFS_EXPORT void lodfs_order_close(struct lodfs_order *order);
LODFS_EXPORT uint64_t lodfs_order_items(const struct lodfs_order *order);
/* Returns the identity of the store: 32 hexadecimal digits. */
LODFS_EXPORT const char *lodfs_order_store(const struct lodfs_order *order);

/* The pass that is not shuffled, for validation. */
#define LODFS_PASS_STORED UINT32_MAX

/*
 * One pass through an order. A pass is a list of extents, which are stretches of the store that are
 * read together; each item is in one extent. With several nodes, each reads extents of its own:
 * this is the pass of node `node` of `nodes`, which are at most 65,536.
 */
struct lodfs_pass;
LODFS_EXPORT int lodfs_pass_open(const struct lodfs_order *order, uint32_t pass, uint32_t node,
                                 uint32_t nodes, struct lodfs_pass **ret_pass,
                                 struct lodfs_error *error);
LODFS_EXPORT void lodfs_pass_close(struct lodfs_pass *pass);
/* The number of items of this node; of the node with the fewest; of the node with the most. */
LODFS_EXPORT uint64_t lodfs_pass_items(const struct lodfs_pass *pass);
LODFS_EXPORT uint64_t lodfs_pass_items_min(const struct lodfs_pass *pass);
LODFS_EXPORT uint64_t lodfs_pass_items_max(const struct lodfs_pass *pass);

/*
 * A run is a stretch of extents whose items are shuffled together. Returns the extents of the run
 * that begins at extent `cursor`: as many as `bytes` bytes of the store hold at a fidelity, and 1
 * at least. Returns 0 at the end of the pass, or if there is no such fidelity.
 */
LODFS_EXPORT uint32_t lodfs_pass_run(const struct lodfs_pass *pass, uint32_t cursor, int fidelity,
                                     uint64_t bytes);
/*
 * Returns the number of items in `extents` extents from `cursor`. lodfs_pass_run_items needs `room`
 * for as many.
 */
LODFS_EXPORT uint64_t lodfs_pass_run_count(const struct lodfs_pass *pass, uint32_t cursor,
                                           uint32_t extents);
/* The items of a run, each once, in their order. A run that is read again has another order for
 * each `repeat`, which is 0 for the first time. */
LODFS_EXPORT int lodfs_pass_run_items(const struct lodfs_pass *pass, uint32_t cursor,
                                      uint32_t extents, uint32_t repeat, uint32_t *items,
                                      size_t room, size_t *ret_count, struct lodfs_error *error);
/*
 * The numbers of a run's records, *ret_count of them; the first `room` are written. A mount loads
 * them if they are announced to it (Python's Mount.ahead). Records of small files of other kinds
 * are in no run.
 */
LODFS_EXPORT void lodfs_pass_run_records(const struct lodfs_pass *pass, uint32_t cursor,
                                         uint32_t extents, uint32_t *records, size_t room,
                                         size_t *ret_count);

#ifdef __cplusplus
}
#endif

#endif

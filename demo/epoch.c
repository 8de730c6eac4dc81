/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An example for liblodfs: reads each picture of a store once, in the shuffled order of a seed, as
 * the first epoch of a training does. Run by run, so that a slow store is read in long stretches.
 *
 *     cc -o epoch epoch.c $(pkg-config --cflags --libs lodfs)
 *     ./epoch photos.lodfs q4 7
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <lodfs.h>
#include <lodfs_order.h>

#define RUN_BYTES (96u << 20) /* of the store, shuffled as a whole */

struct epoch {
    struct lodfs_store *store;
    int fidelity;
    uint64_t pictures, bytes;
    struct lodfs_error error;
};

/* Reads one picture into memory of its size. A trainer decodes it here. */
static int read_item(struct epoch *epoch, uint32_t item)
{
    uint64_t bytes = 0;
    size_t got = 0;
    int error = lodfs_item_bytes(epoch->store, item, epoch->fidelity, &bytes, &epoch->error);
    void *picture = error ? NULL : malloc(bytes + 1);

    if (!error && !picture) {
        snprintf(epoch->error.message, sizeof(epoch->error.message), "out of memory");
        return -1;
    }
    if (!error) {
        error = lodfs_item_read(epoch->store, item, epoch->fidelity, 0, picture, bytes, &got,
                                &epoch->error);
    }
    epoch->pictures += !error;
    epoch->bytes += got;
    free(picture);
    return error;
}

/* Reads the pictures of `extents` extents from `cursor`. */
static int read_run(struct epoch *epoch, const struct lodfs_pass *pass, uint32_t cursor,
                    uint32_t extents)
{
    size_t count = lodfs_pass_run_count(pass, cursor, extents);
    uint32_t *items = calloc(count + 1, sizeof(*items));
    int error = -1;

    if (items) {
        error = lodfs_pass_run_items(pass, cursor, extents, 0, items, count, &count, &epoch->error);
    }
    for (size_t i = 0; !error && i < count; i++) {
        error = read_item(epoch, items[i]);
    }
    free(items);
    return error;
}

static int read_pass(struct epoch *epoch, const struct lodfs_order *order)
{
    struct lodfs_pass *pass = NULL;
    uint32_t cursor = 0, extents;
    int error = lodfs_pass_open(order, 0, 0, 1, &pass, &epoch->error);

    while (!error && (extents = lodfs_pass_run(pass, cursor, epoch->fidelity, RUN_BYTES)) > 0) {
        error = read_run(epoch, pass, cursor, extents);
        cursor += extents;
    }
    lodfs_pass_close(pass);
    return error;
}

int main(int argc, char **argv)
{
    struct epoch epoch = {.fidelity = argc > 2 ? lodfs_fidelity(argv[2]) : 0};
    struct lodfs_order *order = NULL;

    if (argc != 4 || !epoch.fidelity) {
        fprintf(stderr, "usage: epoch STORE q1..q10|full|original SEED\n");
        return 2;
    }
    int error = lodfs_store_open(argv[1], 0, &epoch.store, &epoch.error);
    if (!error) {
        error =
            lodfs_order_open(epoch.store, "", strtoull(argv[3], NULL, 10), &order, &epoch.error);
    }
    error = error ? error : read_pass(&epoch, order);
    if (error) {
        fprintf(stderr, "epoch: %s\n", epoch.error.message);
    } else {
        printf("%" PRIu64 " pictures, %" PRIu64 " bytes\n", epoch.pictures, epoch.bytes);
    }
    lodfs_order_close(order);
    lodfs_store_close(epoch.store);
    return error ? 1 : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of an open store of liblodfs in one process. A forked child must not use the parent's
 * state, since threads that the child lacks may hold its locks. The child opens the store again on
 * first use, so nothing can block it.
 */
#ifndef LOD_LODFS_OPENED_H
#define LOD_LODFS_OPENED_H

#include "api/lodfs.h"
#include "compiler.h"
#include "dataset/dataset.h"
#include "read/reader.h"
#include "shard/shard_read.h"

/* Immutable; the parts are safe for any number of threads. */
struct lod_opened {
    unsigned generation; /* of the process that it belongs to */
    struct lod_dataset *dataset;
    struct lod_reader *reader;
    struct lod_shard_reader *shards;
};

/*
 * Returns the state of this process; it lives as long as `store`. In a forked child the first call
 * opens the store. Returns the errors of opening, or -ESTALE if another store is there now.
 */
LOD_MUST_CHECK int lod_opened_get(struct lodfs_store *store, const struct lod_opened **ret_opened,
                                  struct lodfs_error *error);

/* Returns the store's folder, for messages. */
const char *lod_opened_location(const struct lodfs_store *store);

/* Adds an owner of the handle, besides the caller of lodfs_store_open. lodfs_store_close removes
 * one. */
struct lodfs_store *lod_opened_ref(struct lodfs_store *store);

#endif

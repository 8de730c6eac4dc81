/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a store's files are kept: the back-end table. A back end serves named, immutable objects by
 * range; it knows nothing of what is in them. Objects are few, large, named in [A-Za-z0-9._-/].
 */
#ifndef LOD_STORE_H
#define LOD_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"

#define LOD_OBJECT_NAME_MAX 255
#define LOD_LOAD_ALIGN      4096u /* the largest block that disks here have */

struct lod_store;  /* one open location */
struct lod_object; /* one open object of it */

/* One name in a folder of the store; `folder`: it is a folder itself. Not 0: ends the list. */
typedef int (*lod_store_each)(void *ctx, const char *name, bool folder);

/* What a load of `bytes` may fill, and asks the device for: whole blocks. */
static inline size_t lod_load_whole(size_t bytes)
{
    return (bytes + LOD_LOAD_ALIGN - 1) / LOD_LOAD_ALIGN * LOD_LOAD_ALIGN;
}

struct lod_store_backend {
    const char *name;
    /* Does this back end take the location? The last line of the table takes everything. */
    int (*matches)(const char *location);
    int (*open)(const char *location, void **ret_state);
    void (*close)(void *state);
    /* See lod_store_list; NULL: this back end cannot. */
    int (*list)(void *state, const char *folder, lod_store_each each, void *ctx);
    int (*object_open)(void *state, const char *name, void **ret_object, uint64_t *ret_bytes);
    void (*object_close)(void *object);
    /* Fills all of `bytes` or fails; short objects are -EIO. Retries EINTR. */
    int (*object_pread)(void *object, uint64_t offset, void *into, size_t bytes);
    /* See lod_object_load: `bytes` are in the object, the memory holds
       lod_load_whole of them. NULL: as by object_pread. */
    int (*object_load)(void *object, uint64_t offset, void *into, size_t bytes);
    /* See lod_store_read_exactly; NULL: reads are always so. */
    void (*read_exactly)(void *state, bool page_cache);
};

/* -ENOENT: no such location. -ENOTDIR. Thread-safe handles; objects may outlive nothing. */
LOD_MUST_CHECK int lod_store_open(const char *location, struct lod_store **ret_store);
struct lod_store *lod_store_close(struct lod_store *store);
const char *lod_store_location(const struct lod_store *store);

/*
 * Objects opened from now on are read as they are asked for, without reading ahead: for those who
 * ask for all they want in large pieces. `page_cache`: what is loaded stays there too, for who
 * opens the store next. Before any other thread uses the store.
 */
void lod_store_read_exactly(struct lod_store *store, bool page_cache);

/* A store of another back end, whose state is around that of a store at `location`; see slow.h. */
LOD_MUST_CHECK int lod_store_wrap(const struct lod_store_backend *backend, void *state,
                                  const char *location, struct lod_store **ret_store);

/* -ENOENT: no such object. -EINVAL: a name outside the alphabet, absolute, or with "..". */
LOD_MUST_CHECK int lod_object_open(struct lod_store *store, const char *name,
                                   struct lod_object **ret_object);
struct lod_object *lod_object_close(struct lod_object *object);
uint64_t lod_object_bytes(const struct lod_object *object); /* when it was opened */

/* All of [offset, offset + bytes) into private memory, or an error. Any thread. */
LOD_MUST_CHECK int lod_object_pread(struct lod_object *object, uint64_t offset, void *into,
                                    size_t bytes);

/*
 * [offset, offset + bytes), as much of it as the object has, in as few and as large requests as the
 * back end can make, keeping no copy elsewhere: for those who keep what they read. `offset`,
 * `bytes` and the memory are multiples of LOD_LOAD_ALIGN; what the memory holds behind the object's
 * end is undefined. Any thread.
 */
LOD_MUST_CHECK int lod_object_load(struct lod_object *object, uint64_t offset, void *into,
                                   size_t bytes);

/*
 * Calls each(ctx, name, folder) for what is in `folder` of the store, in no order; not below it.
 * The first result of `each` that is not 0, or -ENOENT, -ENOTSUP: not every back end can list.
 */
LOD_MUST_CHECK int lod_store_list(struct lod_store *store, const char *folder, lod_store_each each,
                                  void *ctx);

extern const struct lod_store_backend lod_store_dir;

#endif

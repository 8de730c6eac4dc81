/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The back-end table. A back end serves named, immutable objects by range. It does not know their
 * contents. Objects are few and large, with names of [A-Za-z0-9._-/].
 */
#ifndef LOD_STORE_H
#define LOD_STORE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/outcome.h"
#include "backend/store_settings.h"
#include "backend/why.h"
#include "compiler.h"

#define LOD_OBJECT_NAME_MAX 255
#define LOD_FAR_TRIES       3u    /* to open a store whose bytes a network can have damaged */
#define LOD_LOAD_ALIGN      4096u /* the largest block of common disks */
/* Shared loads that begin and end at multiples of this need the fewest requests. */
#define LOD_LOAD_PAGE (2u << 20)

struct lod_store;  /* one open location */
struct lod_object; /* one open object of it */

/* Called for one name in a folder of the store; `folder`: it is a folder itself. A result other
 * than 0 ends the list. */
typedef int (*lod_store_each)(void *ctx, const char *name, bool folder);

/* Facts about an object from the manifest or the index, known before it is opened. */
struct lod_object_facts {
    uint64_t bytes; /* its size */
    uint64_t key;   /* a hash that covers its contents; 0: unknown */
};

/* The purpose of a read. A busy store serves DEMAND first. */
enum lod_read_class {
    LOD_READ_DEMAND, /* a reader waits for them */
    LOD_READ_AHEAD,  /* they may be needed later */
    LOD_READ_CLASSES,
};

/* One range of a read, and its result. */
struct lod_range {
    uint64_t offset;
    void *into;
    size_t bytes;
    int error;
};

/* The durations of a read. */
struct lod_read_time {
    uint64_t first_byte_ns; /* until the first byte; 0: unknown */
    uint64_t ns;            /* total */
    uint64_t copied_bytes;  /* bytes that came from a local copy of the store; of a load these are
                               the first ones */
    bool slowed;            /* the store asked for fewer requests */
};

/* Returns `bytes` rounded up to whole blocks: a load of `bytes` bytes can write that many. */
static inline size_t lod_load_whole(size_t bytes)
{
    return (bytes + LOD_LOAD_ALIGN - 1) / LOD_LOAD_ALIGN * LOD_LOAD_ALIGN;
}

/* An object that will be read soon, and how much of a local copy its beginning takes. */
struct lod_listed {
    uint64_t key, bytes;
};

/* A local copy of the store on a disk (tier/tier.h). */
enum lod_tier_state {
    LOD_TIER_NONE,     /* there is no tier */
    LOD_TIER_COUNTING, /* its files are being added up: it is read, not written */
    LOD_TIER_FILLING,
    LOD_TIER_FULL,
    LOD_TIER_NO_SPACE, /* its disk is full */
    LOD_TIER_PAST,     /* its disk fails or hangs, and is not used for minutes */
    LOD_TIER_STATES,
};
/* Returns "none", "counting", "filling", "full", "no_space" or "past". */
const char *lod_tier_state_name(enum lod_tier_state state);

struct lod_tier_stats {
    enum lod_tier_state state;
    uint64_t bytes, bytes_max; /* of all mounts that use it; this mount's limit */
    uint64_t lists_bytes; /* that records of lists may take, without those of other mounts' lists */
    uint64_t hits, misses; /* reads that it could serve wholly, or not */
    uint64_t read_bytes, written_bytes;
    uint64_t evicted_bytes; /* evicted for records that jobs have listed */
    uint64_t errors;        /* of its disk, and slices that were wrong */
};

/* The requests that a back end has sent, answered or not. */
struct lod_store_stats {
    struct lod_tier_stats tier;
    uint64_t requests[LOD_OUTCOMES]; /* by result */
    uint64_t retries;                /* of them: repeated after a failure */
    uint64_t hedges;                 /* of them: second requests for late ones */
    uint64_t connects;               /* connections opened */
    uint64_t first_byte_ns;          /* of recent requests, smoothed; 0: unknown */
};

struct lod_store_backend {
    const char *name;
    /* Returns whether this back end accepts the location. The last row accepts all. */
    int (*matches)(const char *location);
    /* `settings` may be NULL. `why` gets a sentence on error, or stays empty. */
    int (*open)(const char *location, const struct lod_store_settings *settings, void **ret_state,
                struct lod_why *why);
    void (*close)(void *state);
    /* See lod_store_list; NULL: not supported. */
    int (*list)(void *state, const char *folder, lod_store_each each, void *ctx);
    /* `facts` may be NULL. With them an object may be opened without a request. */
    int (*object_open)(void *state, const char *name, const struct lod_object_facts *facts,
                       void **ret_object, uint64_t *ret_bytes);
    void (*object_close)(void *object);
    /* Fills all of `bytes` or fails; short objects are -EIO. Retries EINTR. */
    int (*object_pread)(void *object, uint64_t offset, void *into, size_t bytes);
    /* See lod_object_read; no range is empty. It may leave `ret_time` unchanged. NULL: object_pread
     * reads one range after the other. Otherwise object_pread may be NULL. */
    void (*object_read)(void *object, struct lod_range *ranges, unsigned count,
                        enum lod_read_class class, struct lod_read_time *ret_time);
    /* See lod_object_load. The object has `bytes` bytes there, and the memory has lod_load_whole of
     * them. It may ignore `parts`. NULL: uses object_pread. */
    int (*object_load)(void *object, uint64_t offset, void *into, size_t bytes,
                       enum lod_read_class class, unsigned parts, struct lod_read_time *ret_time);
    /* See lod_object_copied, _offer and _report_wrong; NULL: 0, nothing, false. */
    uint64_t (*object_copied)(void *object, uint64_t from, uint64_t to);
    void (*object_offer)(void *object, uint64_t offset, const void *from, size_t bytes);
    bool (*object_report_wrong)(void *object, uint64_t offset, size_t bytes);
    /* See lod_store_copies; NULL: false. */
    bool (*copies)(const void *state, uint64_t key, uint64_t *ret_room);
    /* See lod_store_listed; NULL: nothing. */
    void (*listed)(void *state, const struct lod_listed *objects, size_t count);
    /* See lod_store_loads and lod_store_ranges; NULL: 1. */
    unsigned (*loads)(const void *state);
    unsigned (*ranges)(const void *state);
    /* See lod_store_is_far, _stop, _last_error and _stats; NULL: false, nothing, false, all 0. */
    bool (*is_far)(const void *state);
    void (*stop)(void *state);
    bool (*last_error)(void *state, char *text, size_t room);
    void (*stats)(void *state, struct lod_store_stats *ret_stats);
    /* See lod_store_read_exactly; NULL: reads are always exact. */
    void (*read_exactly)(void *state, bool shared);
    /* See lod_store_is_shared and lod_object_in_memory; NULL: not shared, cannot tell. */
    bool (*is_shared)(const void *state);
    int (*object_in_memory)(void *object, uint64_t offset, size_t bytes, bool *ret_is);
};

/* Returns -ENOENT or -ENOTDIR. Handles are thread-safe; close all objects before the store. */
LOD_MUST_CHECK int lod_store_open(const char *location, struct lod_store **ret_store);
/* The same for any location. `settings` may be NULL; `why` gets a sentence for the user on error.
 * Returns -EINVAL for an invalid location, -EACCES without keys. */
LOD_MUST_CHECK int lod_store_open_with(const char *location,
                                       const struct lod_store_settings *settings,
                                       struct lod_store **ret_store, struct lod_why *why);
struct lod_store *lod_store_close(struct lod_store *store);
/* Returns the location without secrets; see lod_location_show. */
const char *lod_store_location(const struct lod_store *store);

/* Returns whether each request takes as long as a network round trip. */
bool lod_store_is_far(const struct lod_store *store);

/* Returns whether manifest and index should be read, after `tried` tries of which the last one
 * ended with `error`: once, and some more times if a network can have damaged their bytes on the
 * way. */
static inline bool lod_store_opens_again(const struct lod_store *store, unsigned tried, int error)
{
    const bool damaged = error == -EBADMSG || error == -EILSEQ;

    return !tried || (damaged && tried < LOD_FAR_TRIES && lod_store_is_far(store));
}

/* Ends all requests in flight: these and later ones fail with -EINTR. Any thread. Accepts NULL. */
void lod_store_stop(struct lod_store *store);

/* Writes the reason of a recently failed request, for the user. Returns false if none failed. Any
 * thread. */
bool lod_store_last_error(struct lod_store *store, char *text, size_t room);

void lod_store_stats(struct lod_store *store, struct lod_store_stats *ret_stats);

/*
 * Makes reads of objects that are opened later exact, without readahead, for callers that read all
 * they need in large requests. `shared`: loads go through the kernel's page cache, where later
 * reads of any process find them; otherwise they bypass it. Call it before another thread uses the
 * store.
 */
void lod_store_read_exactly(struct lod_store *store, bool shared);

/*
 * Returns how many loads should be in flight at first. It is 1 for a disk, where a second load
 * would only cause seeks.
 */
unsigned lod_store_loads(const struct lod_store *store);

/* Returns how many ranges of one read are requested in parallel. */
unsigned lod_store_ranges(const struct lod_store *store);

/* Returns whether the back end keeps a local copy of bytes that are offered to it. `*ret_room`: how
 * many more bytes it would keep of the object with this key; key 0: of any object. 0 without a
 * copy. Any thread. */
bool lod_store_copies(const struct lod_store *store, uint64_t key, uint64_t *ret_room);

/* Announces to a back end with a copy all objects that will be read soon, the first one first: it
 * may evict others for them, and other users of the copy leave room for them. This list replaces
 * the one before. Never blocks for a disk. Any thread. */
void lod_store_listed(struct lod_store *store, const struct lod_listed *objects, size_t count);

/* Returns whether loads leave their bytes in memory, from which lod_object_pread reads. */
bool lod_store_is_shared(const struct lod_store *store);

/*
 * Makes a store of a back end whose state wraps the store `inner`; see slow.h. Its NULL rows list,
 * loads, ranges, is_far, stop, last_error and stats are those of `inner`. On success `inner`
 * belongs to the new store, which closes it after its own back end.
 */
LOD_MUST_CHECK int lod_store_wrap(const struct lod_store_backend *backend, void *state,
                                  struct lod_store *inner, struct lod_store **ret_store);

/* Returns -ENOENT if there is no such object, -EINVAL for a name with other characters, an absolute
 * name, or "..". */
LOD_MUST_CHECK int lod_object_open(struct lod_store *store, const char *name,
                                   struct lod_object **ret_object);
/* The same with known facts; `facts` may be NULL. Returns -EBADMSG if the object has another size.
 * A back end that learns the size from its first answer reports that at the first read. */
LOD_MUST_CHECK int lod_object_open_known(struct lod_store *store, const char *name,
                                         const struct lod_object_facts *facts,
                                         struct lod_object **ret_object);
struct lod_object *lod_object_close(struct lod_object *object);
uint64_t lod_object_bytes(const struct lod_object *object); /* at open */

/* Reads all of [offset, offset + bytes) into private memory. Any thread. */
LOD_MUST_CHECK int lod_object_pread(struct lod_object *object, uint64_t offset, void *into,
                                    size_t bytes);

/*
 * Fills `count` ranges, which do not overlap, in parallel if the back end can. Each range gets its
 * own error; returns the first one. `ret_time` may be NULL, and is always filled in. Any thread.
 */
LOD_MUST_CHECK int lod_object_read(struct lod_object *object, struct lod_range *ranges,
                                   unsigned count, enum lod_read_class class,
                                   struct lod_read_time *ret_time);

/* Returns the end, at most `to`, of the bytes from `from` on that the back end has in a local copy;
 * returns `from` if it has none. Reading these bytes sends no request. Any thread. */
uint64_t lod_object_copied(struct lod_object *object, uint64_t from, uint64_t to);

/*
 * Offers bytes of the object that the caller no longer needs: a back end that keeps copies can
 * store them. It stores them in slices, each from its beginning. Bytes that came from the copy must
 * not be offered: they can be wrong, and the copy may have dropped them meanwhile.
 */
#define LOD_SLICE_BYTES (5u << 20)
void lod_object_offer(struct lod_object *object, uint64_t offset, const void *from, size_t bytes);

/*
 * Reports that the bytes of a range have a wrong hash. Returns true if the back end has dropped a
 * copy or a connection that can be the cause, so that a second read can succeed. It returns true
 * only once for each range.
 */
LOD_MUST_CHECK bool lod_object_report_wrong(struct lod_object *object, uint64_t offset,
                                            size_t bytes);

/*
 * Returns in *ret_is whether a read of [offset, offset + bytes) would be served from memory. Causes
 * no I/O. Returns -ENOTSUP if this back end or this kernel does not know. Any thread.
 */
LOD_MUST_CHECK int lod_object_in_memory(struct lod_object *object, uint64_t offset, size_t bytes,
                                        bool *ret_is);

/*
 * Reads [offset, offset + bytes), as much of it as the object has, in as few and as large requests
 * as possible. `offset`, `bytes` and the memory are multiples of LOD_LOAD_ALIGN. Memory past the
 * object's end is undefined. If a single connection is slower than the store, up to `parts`
 * requests (at least 1) may be sent in parallel. Any thread.
 */
LOD_MUST_CHECK int lod_object_load(struct lod_object *object, uint64_t offset, void *into,
                                   size_t bytes, enum lod_read_class class, unsigned parts,
                                   struct lod_read_time *ret_time);

/*
 * Calls each(ctx, name, folder) for every name in `folder` of the store, in no order, without
 * subfolders. Returns the first result of `each` that is not 0, -ENOENT, or -ENOTSUP if the back
 * end cannot list.
 */
LOD_MUST_CHECK int lod_store_list(struct lod_store *store, const char *folder, lod_store_each each,
                                  void *ctx);

extern const struct lod_store_backend lod_store_dir, lod_store_http, lod_store_s3, lod_store_url;

#endif

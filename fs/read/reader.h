/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns (item, plan, offset, size) into spans of checked bytes. It knows pieces and the cache, but
 * neither FUSE nor any codec. A read returns exactly the requested bytes, clipped to the plan's
 * end, or an error.
 */
#ifndef LOD_READER_H
#define LOD_READER_H

#include <stdint.h>
#include <sys/uio.h>

#include "memory/memory_semaphore.h"
#include "memory/cache.h"
#include "compiler.h"
#include "dataset/dataset.h"
#include "durations.h"
#include "framecache/fetch.h"
#include "backend/outcome.h"
#include "plan.h"

#define LOD_CACHE_SIZE_DEFAULT (256ull << 20)

struct lod_reader;

/* Loads in flight at most, so that some of the usual connections are left for single frames. */
#define LOD_READER_LOADS 12u

struct lod_reader_options {
    uint64_t cache_bytes; /* limit of frames and made units; lod_reader_set_cache changes it */
    /* of all running makers, of units too large for the cache, and of loads after the first one */
    uint64_t work_bytes;
    /* of the page cache, for the prefixes of a shared store; 0: half of the available memory, read
     * again every few seconds */
    uint64_t budget_bytes;
    bool threads;       /* it may start threads that read ahead and make units in advance */
    unsigned loads_max; /* loads in flight at most, if memory allows; 0: LOD_READER_LOADS */
};

/* Changes cache_bytes of a running reader. Memory above the new limit is freed immediately, except
 * for reads in progress. Any thread. */
void lod_reader_set_cache(struct lod_reader *reader, uint64_t bytes);

/* Takes a job's list of the records that it will read: see lod_prefetch_announce. Any thread. */
struct lod_ahead_request;
struct lod_ahead_answer;
LOD_MUST_CHECK int lod_reader_announce(struct lod_reader *reader,
                                       const struct lod_ahead_request *request,
                                       struct lod_ahead_answer *ret_answer);

/* Borrows the dataset. */
LOD_MUST_CHECK int lod_reader_create(struct lod_dataset *dataset,
                                     const struct lod_reader_options *options,
                                     struct lod_reader **ret_reader);
struct lod_reader *lod_reader_destroy(struct lod_reader *reader);

/* Sets the devices that may make units; they must outlive the reader. Call it before the first
 * read. Without it the host makes all. */
struct lod_devices;
void lod_reader_use_devices(struct lod_reader *reader, struct lod_devices *devices);
struct lod_devices *lod_reader_devices(struct lod_reader *reader); /* NULL: not set */

/* Returns the memory of made units that others may use for answers. */
struct lod_buffer_pool;
struct lod_buffer_pool *lod_reader_pool(struct lod_reader *reader);

/* A change that would reduce the bytes that this mount reads from its store. */
enum lod_advice {
    LOD_ADVICE_NONE,
    /* a cache of advice_bytes would hold the records that are read in turn */
    LOD_ADVICE_CACHE_SIZE,
    LOD_ADVICE_ORDER, /* no cache of this machine would: read in the order of the records */
};

/* Counters since the mount began, except where noted. */
struct lod_reader_stats {
    uint64_t reads, reads_failed, reads_bytes; /* lod_reader_read: answered, failed, bytes */

    uint64_t store_reads, store_bytes;         /* all requests for stored bytes */
    uint64_t scattered_reads, scattered_bytes; /* of them: for frames, adjacent ones joined */
    uint64_t prefix_reads, prefix_bytes;       /* of them: parts of loaded prefixes */
    uint64_t store_outcomes[LOD_OUTCOMES];     /* how all of them ended */
    uint64_t record_opens; /* reads of headers and metadata; not in store_reads */

    uint64_t cache_hits, cache_misses, cache_evictions;
    uint64_t cache_bytes, cache_bytes_max; /* now, and its limit */
    uint64_t made, made_bytes;             /* units made by codecs */
    uint64_t frames_bad;                   /* frames with a wrong hash */

    uint64_t store_latency_ns;       /* moving average of small requests; 0: not measured yet */
    uint64_t store_bytes_per_second; /* moving average of large requests; 0: not measured yet */

    uint64_t ahead_lists, ahead_records;   /* lists that jobs have sent; records in these lists */
    uint64_t ahead_ready;                  /* how many of these records are in memory */
    uint64_t ahead_pinned_bytes;           /* bytes of the cache that are pinned for them */
    uint64_t ahead_outside;                /* reads of records that are in no list */
    uint64_t load_bytes[LOD_READ_CLASSES]; /* of prefix_bytes, by their purpose */
    uint64_t loads, loads_window_bytes;    /* in flight now; and their limit for large ones */
    struct lod_duration_sum load_waits;    /* of readers, for loads */

    enum lod_advice advice; /* now */
    uint64_t advice_bytes;
};
void lod_reader_stats(struct lod_reader *reader, struct lod_reader_stats *ret_stats);

/* Returns "none", "cache_size" or "order". */
const char *lod_advice_name(enum lod_advice advice);

/* The largest read answered in one call; the mount never lets the kernel ask for more. */
#define LOD_READ_BYTES_MAX LOD_FETCH_BYTES_MAX
#define LOD_READ_SPANS_MAX LOD_FETCH_MAX

/* The spans of one read and the blobs they point into; lives on the caller's stack. */
struct lod_read {
    uint64_t bytes;
    unsigned count, blobs_count;
    struct iovec iov[LOD_READ_SPANS_MAX];
    struct lod_blob *blobs[LOD_READ_SPANS_MAX];
};

/*
 * Returns exactly the bytes of `plan` in [offset, offset + bytes), clipped to its end. `bytes` <=
 * LOD_READ_BYTES_MAX. Returns -EIO (already logged) or an error of lod_error_is_temporary. On
 * success the caller calls lod_read_finish, and keeps `plan` until then: its text is not copied.
 * Any thread.
 */
LOD_MUST_CHECK int lod_reader_read(struct lod_reader *reader, const struct lod_item *item,
                                   const struct lod_plan *plan, uint64_t offset, uint64_t bytes,
                                   struct lod_read *ret_read);
void lod_read_finish(struct lod_read *read);

/*
 * Copies exactly [offset, offset + bytes) of the plan's file, which has them, to `into`. `bytes`
 * has no limit. A unit is made once, even if the cache has no room for it. Returns -ENOMEM, or an
 * error of lod_reader_read. Any thread.
 */
LOD_MUST_CHECK int lod_reader_read_into(struct lod_reader *reader, const struct lod_item *item,
                                        const struct lod_plan *plan, uint64_t offset, uint8_t *into,
                                        size_t bytes);

/* The same for bytes that are read only once: whole units are made directly in `into` and not kept.
 * So the cache has more room for the frames from which units are made. */
LOD_MUST_CHECK int lod_reader_read_once(struct lod_reader *reader, const struct lod_item *item,
                                        const struct lod_plan *plan, uint64_t offset, uint8_t *into,
                                        size_t bytes);

/*
 * Makes the forms series->first .. last of a series in turn at `into`, and keeps nothing; each has
 * `bytes` bytes. Each step runs with memory of makers reserved, so it reads nothing. Returns an
 * error of a step that lod_error_is_temporary, -ENOMEM, or an error of lod_reader_read. Any thread.
 */
LOD_MUST_CHECK int lod_reader_make_series(struct lod_reader *reader, const struct lod_item *item,
                                          const struct lod_series *series, unsigned last,
                                          uint8_t *into, uint64_t bytes);

/*
 * Prepares reads of groups first .. last of `count` neighbouring items of a record, of which this
 * is the first. Items may lack some of the groups. Reads them with few requests if that saves time.
 * Returns the number of items, at least one, for which another call is useless. Failures are left
 * to the readers.
 */
uint32_t lod_reader_run(struct lod_reader *reader, const struct lod_item *item, uint32_t count,
                        unsigned first, unsigned last);

#endif

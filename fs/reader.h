/* SPDX-License-Identifier: Apache-2.0 */
/*
 * (item, plan, offset, size) -> spans of checked bytes. Knows pieces and the cache, not FUSE
 * and no codec. A read gives exactly the bytes asked, clipped to the plan's end, or an error.
 */
#ifndef LOD_READER_H
#define LOD_READER_H

#include <stdint.h>
#include <sys/uio.h>

#include "cache.h"
#include "compiler.h"
#include "dataset.h"
#include "fetch.h"
#include "store/outcome.h"
#include "plan.h"

#define LOD_CACHE_SIZE_DEFAULT (256ull << 20)
#define LOD_WORK_SIZE_DEFAULT  (256ull << 20)

struct lod_reader;

/*
 * Borrows the dataset. `cache_bytes`: budget of kept frames and made bytes; `work_bytes`: of memory
 * that makers use at one time.
 */
LOD_MUST_CHECK int lod_reader_create(struct lod_dataset *dataset, uint64_t cache_bytes,
                                     uint64_t work_bytes, struct lod_reader **ret_reader);
struct lod_reader *lod_reader_destroy(struct lod_reader *reader);

/* Devices that may make what is made, until the reader is gone; before the first read. Without, the
 * host makes all. */
struct lod_devices;
void lod_reader_use_devices(struct lod_reader *reader, struct lod_devices *devices);
struct lod_devices *lod_reader_devices(struct lod_reader *reader); /* NULL: none were given */

/* What would make this mount need fewer bytes of its store; LOD_ADVICE_NONE: nothing seen yet. */
enum lod_advice {
    LOD_ADVICE_NONE,
    LOD_ADVICE_CACHE_SIZE, /* a cache of advice_bytes keeps what is read in turn */
    LOD_ADVICE_ORDER,      /* no cache of this machine does: read in the order of the records */
};

/* Counters since the mount began, but for those that say otherwise. */
struct lod_reader_stats {
    uint64_t reads, reads_failed, reads_bytes; /* lod_reader_read: answered, refused, bytes given */

    uint64_t store_reads, store_bytes;         /* all requests to the store for stored bytes */
    uint64_t scattered_reads, scattered_bytes; /* of them: frames asked for one by one, joined */
    uint64_t prefix_reads, prefix_bytes;       /* of them: slices of a record's groups */
    uint64_t store_outcomes[LOD_OUTCOMES];     /* how all of them ended */
    uint64_t record_opens;                     /* headers and metadata; not in store_reads */

    uint64_t cache_hits, cache_misses, cache_evictions;
    uint64_t cache_bytes, cache_bytes_max; /* now; the budget */
    uint64_t made, made_bytes;             /* units that codecs made */
    uint64_t frames_bad;                   /* whose hash differs */

    uint64_t store_latency_ns;       /* EWMA of a small request; 0: not measured yet */
    uint64_t store_bytes_per_second; /* EWMA of a large one; 0: not measured yet */

    enum lod_advice advice; /* now */
    uint64_t advice_bytes;
};
void lod_reader_stats(struct lod_reader *reader, struct lod_reader_stats *ret_stats);

/* "none", "cache_size", "order". */
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
 * Exactly the bytes of `plan` in [offset, offset + bytes), clipped to its end. `bytes` <=
 * LOD_READ_BYTES_MAX. -EIO (already logged), -ENOMEM, -EINTR. On success the caller calls
 * lod_read_finish, and keeps `plan` until then: its text is not copied. Any thread.
 */
LOD_MUST_CHECK int lod_reader_read(struct lod_reader *reader, const struct lod_item *item,
                                   const struct lod_plan *plan, uint64_t offset, uint64_t bytes,
                                   struct lod_read *ret_read);
void lod_read_finish(struct lod_read *read);

#endif

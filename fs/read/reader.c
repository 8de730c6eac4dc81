/* SPDX-License-Identifier: Apache-2.0 */
/* Creation and counters of a reader; read.c answers reads. */
#include "read/reader_state.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "read/unit_readahead.h"

/* Returns one thread for each processor; with a single processor nothing is made ahead. */
static unsigned ahead_threads(bool threads)
{
    const long processors = threads ? sysconf(_SC_NPROCESSORS_ONLN) : 1;

    return processors < 2                           ? 0
           : processors > LOD_READAHEAD_THREADS_MAX ? LOD_READAHEAD_THREADS_MAX
                                                    : (unsigned)processors;
}

/* Returns the limit of memory for prefixes and lists. The rest of the cache is for their entries,
 * made units and frames read alone: see frame_evict.c. */
static uint64_t budget_of_cache(uint64_t cache_bytes)
{
    return cache_bytes / 4 * 3;
}

static uint64_t budget_of(const struct lod_dataset *dataset,
                          const struct lod_reader_options *options)
{
    return lod_dataset_is_shared(dataset) ? options->budget_bytes
                                          : budget_of_cache(options->cache_bytes);
}

/*
 * Returns how many loads may be in flight for a store that allows several. Each load after the
 * first one needs a buffer, and so does the extra slot of readers. These buffers may take half of
 * the memory for makers.
 */
static unsigned loads_max_of(unsigned loads, const struct lod_reader_options *options)
{
    const uint64_t memory = options->work_bytes / 2 / LOD_IO_BUFFER_BYTES_MAX;
    const uint64_t most = options->loads_max ? options->loads_max : LOD_READER_LOADS;

    return loads <= 1 || memory < 2 ? 1 : (unsigned)(most < memory ? most : memory);
}

/* A lod_memory_semaphore's relief. */
static void shrink_large(void *ctx, uint64_t bytes)
{
    struct lod_reader *reader = ctx;

    lod_large_units_shrink(reader->large, bytes);
}

/* A lod_cache_relief. */
static void shrink_units(void *ctx, size_t bytes)
{
    struct lod_reader *reader = ctx;

    lod_cache_shrink(reader->cache, bytes);
}

static int create_cache(struct lod_reader *reader)
{
    int error =
        lod_cache_create_in(&reader->limit, lod_frames_shrink, reader->frames, &reader->cache);

    if (!error) {
        lod_frames_lend(reader->frames, shrink_units, reader);
    }
    return error;
}

static int create_large(struct lod_reader *reader)
{
    int error = lod_large_units_create(&reader->work.kept, &reader->large);

    if (!error) {
        lod_memory_semaphore_lend(&reader->work, shrink_large, reader);
    }
    return error;
}

int lod_reader_create(struct lod_dataset *dataset, const struct lod_reader_options *options,
                      struct lod_reader **ret_reader)
{
    struct lod_reader *reader = calloc(1, sizeof(*reader));

    if (!reader) {
        return -ENOMEM;
    }
    reader->dataset = dataset;
    reader->limit.bytes_max = (size_t)options->cache_bytes;
    const unsigned loads = lod_dataset_loads(dataset), loads_max = loads_max_of(loads, options);
    const uint64_t buffers = loads_max > 1 ? loads_max * (uint64_t)LOD_IO_BUFFER_BYTES_MAX : 0;
    lod_memory_semaphore_init(&reader->work, options->work_bytes - buffers);
    lod_buffer_pool_init(&reader->pool);
    const struct lod_frames_options frames = {.limit = &reader->limit,
                                              .budget_bytes = budget_of(dataset, options),
                                              .threads = options->threads,
                                              .loads = loads < loads_max ? loads : loads_max,
                                              .loads_max = loads_max};
    int error = lod_frames_create(dataset, &frames, &reader->frames);
    error = error ? error : create_cache(reader);
    error = error ? error : create_large(reader);
    reader->made = (struct lod_unit_cache_in){.dataset = dataset,
                                              .frames = reader->frames,
                                              .cache = reader->cache,
                                              .large = reader->large,
                                              .work = &reader->work,
                                              .pool = &reader->pool};
    error = error ? error
                  : lod_readahead_create(ahead_threads(options->threads), &lod_unit_readahead,
                                         &reader->made, &reader->ahead);
    if (error) {
        lod_reader_destroy(reader);
        return error;
    }
    *ret_reader = reader;
    return 0;
}

void lod_reader_set_cache(struct lod_reader *reader, uint64_t bytes)
{
    atomic_store(&reader->limit.bytes_max, (size_t)bytes);
    lod_frames_set_budget(reader->frames, budget_of_cache(bytes));
    size_t held = atomic_load(&reader->limit.bytes);
    if (held > bytes) {
        lod_frames_shrink(reader->frames, held - (size_t)bytes);
    }
    held = atomic_load(&reader->limit.bytes);
    if (held > bytes) {
        lod_cache_shrink(reader->cache, held - (size_t)bytes);
    }
}

int lod_reader_announce(struct lod_reader *reader, const struct lod_ahead_request *request,
                        struct lod_ahead_answer *ret_answer)
{
    return lod_frames_announce(reader->frames, request, ret_answer);
}

void lod_reader_use_devices(struct lod_reader *reader, struct lod_devices *devices)
{
    reader->made.devices = devices;
}

struct lod_devices *lod_reader_devices(struct lod_reader *reader)
{
    return reader->made.devices;
}

struct lod_buffer_pool *lod_reader_pool(struct lod_reader *reader)
{
    return &reader->pool;
}

struct lod_reader *lod_reader_destroy(struct lod_reader *reader)
{
    if (reader) {
        lod_readahead_destroy(reader->ahead);
        lod_frames_destroy(reader->frames); /* its threads may claim memory of the cache */
        lod_cache_destroy(reader->cache);
        lod_large_units_destroy(reader->large);
        lod_memory_semaphore_finish(&reader->work);
        lod_buffer_pool_finish(&reader->pool);
    }
    free(reader);
    return NULL;
}

void lod_reader_stats(struct lod_reader *reader, struct lod_reader_stats *ret_stats)
{
    struct lod_cache_stats cache = lod_cache_stats(reader->cache);
    const struct lod_cache_stats large = lod_large_units_stats(reader->large);
    struct lod_frames_stats frames;
    lod_frames_stats(reader->frames, &frames);

    *ret_stats = (struct lod_reader_stats){
        .reads = atomic_load_explicit(&reader->reads, memory_order_relaxed),
        .reads_failed = atomic_load_explicit(&reader->failed, memory_order_relaxed),
        .reads_bytes = atomic_load_explicit(&reader->bytes, memory_order_relaxed),
        .store_reads = frames.scattered_reads + frames.prefix_reads,
        .store_bytes = frames.scattered_bytes + frames.prefix_bytes,
        .scattered_reads = frames.scattered_reads,
        .scattered_bytes = frames.scattered_bytes,
        .prefix_reads = frames.prefix_reads,
        .prefix_bytes = frames.prefix_bytes,
        .cache_hits = frames.hits + cache.hits + large.hits,
        .cache_misses = frames.misses + cache.misses + large.misses,
        .cache_evictions = frames.evictions + cache.evictions + large.evictions,
        .cache_bytes = atomic_load(&reader->limit.bytes),
        .cache_bytes_max = reader->limit.bytes_max,
        /* a maker runs for each miss of these caches */
        .made =
            cache.misses + large.misses + atomic_load_explicit(&reader->once, memory_order_relaxed),
        .made_bytes = cache.filled_bytes + large.filled_bytes +
                      atomic_load_explicit(&reader->once_bytes, memory_order_relaxed),
        .record_opens = lod_dataset_record_opens(reader->dataset),
        .frames_bad = frames.frames_bad,
        .store_latency_ns = frames.latency_ns,
        .store_bytes_per_second = frames.bandwidth,
        .ahead_lists = frames.ahead.jobs,
        .ahead_records = frames.ahead.records,
        .ahead_ready = frames.ahead.ready,
        .ahead_pinned_bytes = frames.ahead.pinned_bytes,
        .ahead_outside = frames.ahead.outside,
        .loads = frames.ahead.loads,
        .loads_window_bytes = frames.ahead.window_bytes,
        .load_waits = frames.ahead.waits,
        .advice = frames.advised_bytes == 0            ? LOD_ADVICE_NONE
                  : frames.advised_bytes == UINT64_MAX ? LOD_ADVICE_ORDER
                                                       : LOD_ADVICE_CACHE_SIZE,
        .advice_bytes = frames.advised_bytes,
    };
    memcpy(ret_stats->store_outcomes, frames.outcomes, sizeof(frames.outcomes));
    memcpy(ret_stats->load_bytes, frames.load_bytes, sizeof(frames.load_bytes));
}

const char *lod_advice_name(enum lod_advice advice)
{
    static const char *const names[] = {"none", "cache_size", "order"};

    return names[advice];
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Threads take record after record, and slice after slice of each; see warmup.h. */
#include "warmup/warmup.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "backend/format.h"
#include "backend/io_buffer.h"
#include "order/shown_groups.h"
#include "pool.h"
#include "bytes.h"
#include "clock.h"
#include "record/record.h"
#include "warmup/warm_turns.h"

#define TRIES 100u /* how often bytes are offered while another mount has the tier's lock */

static const struct timespec pause_20ms = {.tv_nsec = 20000000};

struct work {
    const struct lod_warmup *warmup;
    struct lod_store *store;
    struct lod_io_buffer buffers[LOD_WARMUP_THREADS_MAX];
    atomic_flag taken[LOD_WARMUP_THREADS_MAX]; /* buffers */
    atomic_bool stuck;                         /* the tier takes nothing more */
    struct lod_warm_turns turns;
    pthread_mutex_t lock; /* guards the rest */
    struct lod_warmup_counts counts;
};

/* A record's file, and the bytes of it that are wanted. */
struct part {
    struct lod_object *object;
    uint64_t key;
    uint64_t head;     /* end of header and metadata, which begin at 0 */
    uint64_t from, to; /* range of the groups */
};

/* ------------------------------------------------------------------------------ one record */

static struct part part_of(const struct lod_record_desc *recd, enum lod_fidelity fidelity)
{
    unsigned first, last;

    lod_shown_groups(recd, fidelity, &first, &last);
    return (struct part){.key = recd->header_hash,
                         .head = lod_record_desc_end(recd, 0),
                         .from = lod_record_desc_end(recd, first - 1),
                         .to = lod_record_desc_end(recd, last)};
}

/* Offers loaded bytes to the tier, more than once if another mount holds the tier's lock. */
static uint64_t keep(const struct part *part, const struct lod_io_buffer *buffer, struct work *work)
{
    uint64_t room = LOD_LOAD_ALIGN, end = buffer->from;

    for (unsigned tries = 0; tries < TRIES && room >= LOD_LOAD_ALIGN; tries++) {
        lod_object_offer(part->object, buffer->from, buffer->memory,
                         (size_t)(buffer->to - buffer->from));
        end = lod_object_copied(part->object, buffer->from, buffer->to);
        if (end == buffer->to || lod_cancel_poll(work->warmup->cancel)) {
            break;
        }
        nanosleep(&pause_20ms, NULL);
        (void)lod_store_copies(work->store, part->key, &room);
    }
    if (end == buffer->from) {
        atomic_store(&work->stuck, true);
    }
    return end - buffer->from;
}

static void count(struct work *work, uint64_t there, uint64_t loaded, uint64_t left_out)
{
    pthread_mutex_lock(&work->lock);
    work->counts.there += there;
    work->counts.loaded += loaded;
    work->counts.left_out += left_out;
    pthread_mutex_unlock(&work->lock);
    lod_progress_add(work->warmup->progress, 0, there + loaded + left_out, 0);
}

static bool has_room(struct work *work, uint64_t key, uint64_t *ret_room)
{
    return lod_store_copies(work->store, key, ret_room) && *ret_room >= LOD_LOAD_ALIGN &&
           !atomic_load(&work->stuck);
}

/* Loads [from, to), or as much of it as its turn allows. */
static int load(struct work *work, const struct part *part, struct lod_io_buffer *buffer,
                uint64_t from, uint64_t to)
{
    uint64_t most = 0;
    int error = lod_warm_turns_take(&work->turns, work->warmup->cancel, &most);

    if (error) {
        return error;
    }
    const uint64_t slowed = buffer->slowed, bytes = buffer->bytes;
    struct lod_load_ended ended = {.begun_ns = lod_clock_ns()};
    error = lod_io_buffer_load(buffer, part->object, from, lod_least(to, from + most));
    ended.ended_ns = lod_clock_ns();
    ended.bytes = buffer->bytes - bytes;
    ended.slowed = buffer->slowed != slowed;
    lod_warm_turns_end(&work->turns, &ended);
    return error;
}

/* Loads [from, to) of one slice into the tier. Loads the bytes before `from` too if they are
 * missing, since a tier can only append to a slice. */
static int warm_slice(struct work *work, const struct part *part, struct lod_io_buffer *buffer,
                      uint64_t from, uint64_t to)
{
    const uint64_t start = from / LOD_SLICE_BYTES * LOD_SLICE_BYTES,
                   there = lod_object_copied(part->object, start, to),
                   before = there > from ? there - from : 0;
    uint64_t at = there, room = 0, kept = 1;
    int error = 0;

    while (!error && kept && at < to && has_room(work, part->key, &room)) {
        error = load(work, part, buffer, at, lod_least(to, at + room));
        kept = error ? 0 : keep(part, buffer, work);
        at += kept;
    }
    const uint64_t end = lod_least(at, to), after = end > from ? end - from : 0;
    count(work, before, after - before, error ? 0 : to - from - after);
    return error;
}

static int warm_range(struct work *work, const struct part *part, struct lod_io_buffer *buffer,
                      uint64_t from, uint64_t to)
{
    int error = 0;

    for (uint64_t at = from, end; !error && at < to; at = end) {
        end = lod_least(to, (at / LOD_SLICE_BYTES + 1) * LOD_SLICE_BYTES);
        error = lod_cancel_poll(work->warmup->cancel);
        error = error ? error : warm_slice(work, part, buffer, at, end);
    }
    return error;
}

static int warm_part(struct work *work, struct part *part, const struct lod_record_desc *recd,
                     struct lod_io_buffer *buffer)
{
    const uint64_t head = part->from == part->head ? 0 : part->head;
    int error = lod_record_file_open(work->store, recd, &part->object);

    if (error) {
        return error;
    }
    lod_io_buffer_clear(buffer);
    buffer->class = LOD_READ_AHEAD;
    error = warm_range(work, part, buffer, 0, head);
    error = error ? error : warm_range(work, part, buffer, head ? part->from : 0, part->to);
    lod_object_close(part->object);
    return error;
}

/* ------------------------------------------------------------------------------ all records */

static unsigned take_buffer(struct work *work)
{
    unsigned i = 0;

    while (atomic_flag_test_and_set(&work->taken[i])) {
        i++; /* the wait ends, since there are as many buffers as threads */
    }
    return i;
}

static void note_failed(struct work *work, uint32_t record, int error)
{
    struct lod_warmup_counts *counts = &work->counts;

    pthread_mutex_lock(&work->lock);
    if (!counts->failed || record < counts->first_failed) {
        counts->first_failed = record;
        counts->first_error = error;
    }
    counts->failed++;
    pthread_mutex_unlock(&work->lock);
}

static int warm(void *ctx, uint64_t index)
{
    struct work *work = ctx;
    const uint32_t record = work->warmup->records->at[index];
    struct lod_record_desc recd;

    int error = lod_cancel_poll(work->warmup->cancel);
    if (error) {
        return error;
    }
    error = lod_dataset_record_desc(work->warmup->dataset, record, &recd);
    if (!error) {
        struct part part = part_of(&recd, work->warmup->fidelity);
        const unsigned buffer = take_buffer(work);
        error = warm_part(work, &part, &recd, &work->buffers[buffer]);
        atomic_flag_clear(&work->taken[buffer]);
    }
    lod_progress_add(work->warmup->progress, 1, 0, 0);
    if (error && error != -EINTR && error != -ENOMEM) {
        note_failed(work, record, error);
        error = 0;
    }
    return error;
}

/* Adds up the wanted bytes, and lists the records in `records`, which has room for all. */
static int add_up(struct work *work, struct lod_listed *records)
{
    const struct lod_warmup *warmup = work->warmup;
    struct lod_record_desc recd;
    int error = 0;

    work->counts.records = warmup->records->count;
    for (size_t i = 0; !error && i < warmup->records->count; i++) {
        error = lod_dataset_record_desc(warmup->dataset, warmup->records->at[i], &recd);
        const struct part part = part_of(&recd, warmup->fidelity);
        work->counts.bytes += error ? 0 : part.to - part.from + part.head;
        records[i] = (struct lod_listed){.key = recd.header_hash, .bytes = part.to};
    }
    return error;
}

/* Blocks until the tier knows how many bytes it has. Before that it accepts none. */
static int await_tier(struct work *work)
{
    struct lod_store_stats stats;
    int error = 0;

    for (;;) {
        lod_store_stats(work->store, &stats);
        error = lod_cancel_poll(work->warmup->cancel);
        if (error || stats.tier.state != LOD_TIER_COUNTING) {
            return error ? error : stats.tier.state == LOD_TIER_PAST ? -EIO : 0;
        }
        nanosleep(&pause_20ms, NULL);
    }
}

/* Lists the records, and waits until the tier knows which slices it can evict for them. */
static void make_room(struct work *work, const struct lod_listed *records)
{
    uint64_t room = 0;

    lod_store_listed(work->store, records, work->warmup->records->count);
    for (unsigned tries = 0; tries < TRIES && room < work->counts.bytes; tries++) {
        nanosleep(&pause_20ms, NULL);
        (void)lod_store_copies(work->store, records[0].key, &room);
    }
}

static int run_all(struct work *work)
{
    const struct lod_warmup *warmup = work->warmup;
    struct lod_pool *pool = NULL;
    int error = lod_pool_create(warmup->threads, &pool);

    lod_progress_stage(warmup->progress, "warming up", work->counts.records, work->counts.bytes);
    error = error ? error : lod_pool_each(pool, warmup->records->count, warm, work);
    lod_pool_destroy(pool);
    return error;
}

int lod_warmup_run(const struct lod_warmup *warmup, struct lod_warmup_counts *ret_counts)
{
    struct work *work = calloc(1, sizeof(*work));
    struct lod_listed *records = calloc(warmup->records->count + 1, sizeof(*records));
    int error = work && records ? 0 : -ENOMEM;

    if (!error) {
        work->warmup = warmup;
        work->store = lod_dataset_store(warmup->dataset);
        lod_warm_turns_init(&work->turns, warmup->threads, warmup->fixed, warmup->mount);
        pthread_mutex_init(&work->lock, NULL);
        error = add_up(work, records);
        error = error ? error : await_tier(work);
        if (!error && warmup->evict) {
            make_room(work, records);
        }
        error = error ? error : run_all(work);
        *ret_counts = work->counts;
        for (unsigned i = 0; i < LOD_WARMUP_THREADS_MAX; i++) {
            lod_io_buffer_finish(&work->buffers[i]);
        }
        lod_warm_turns_finish(&work->turns);
        pthread_mutex_destroy(&work->lock);
    }
    free(records);
    free(work);
    return error;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One fetch, step by step:
 *
 * 1. Find the places of the missing frames and sort them.
 * 2. Join neighbours into one request if the gap costs less than a request.
 * 3. Take one place in a chunk for all entries and bytes.
 * 4. Claim the frames in the table, read and check them (fetch_read.c), publish.
 */
#include "framecache/fetch.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "framecache/fetch_job.h"

#define SIDE_GAP_MAX (64u << 10)
#define KEY_GROUP_AT 56 /* a frame's number has at most 47 bits: 2^63 bytes in frames of 2^16 */

struct lod_key lod_fetch_key(const struct lod_record_desc *recd, uint32_t slot, unsigned group,
                             uint64_t number)
{
    return (struct lod_key){
        .high = (uint64_t)recd->number << 32 | slot,
        .low = (uint64_t)group << KEY_GROUP_AT | number,
    };
}

struct lod_flight_shard *lod_fetch_shard(struct lod_fetch *fetch, struct lod_key key)
{
    return &fetch->table.shards[lod_flight_shard_of(key)];
}

/* All frames of an item are in one shard. Entries of an item are adjacent, so its lock is taken
 * once for them. */
uint64_t lod_fetch_forget(void *ctx, struct lod_chunk *chunk)
{
    struct lod_flight_table *table = ctx;
    struct lod_frame_entry *entry = atomic_load(&chunk->entries), *next;
    struct lod_flight_shard *locked = NULL;
    uint64_t count = 0;

    for (; entry; entry = next, count++) {
        struct lod_flight_shard *shard = &table->shards[lod_flight_shard_of(entry->flight.key)];
        next = entry->next;
        if (shard != locked) {
            if (locked) {
                pthread_mutex_unlock(&locked->lock);
            }
            pthread_mutex_lock(&shard->lock);
            locked = shard;
        }
        if (entry->flight.linked) {
            assert(entry->flight.state != LOD_FLIGHT_LOADING);
            lod_flight_unlink(shard, &entry->flight);
        }
    }
    if (locked) {
        pthread_mutex_unlock(&locked->lock);
    }
    return count;
}

void lod_fetch_own(struct lod_chunk *chunk, struct lod_frame_entry *first,
                   struct lod_frame_entry *last)
{
    void *before = atomic_load(&chunk->entries);

    do {
        last->next = before;
    } while (!atomic_compare_exchange_weak(&chunk->entries, &before, first));
}

/* ------------------------------------------------------------------------------- the places */

/* Sorts by offset. The frames are nearly sorted already, since groups are stored in order. */
static void sort(struct lod_fetch_job *job)
{
    for (unsigned i = 1; i < job->count; i++) {
        struct lod_fetch_miss miss = job->misses[i];
        unsigned at = i;
        for (; at > 0 && job->misses[at - 1].place.offset > miss.place.offset; at--) {
            job->misses[at] = job->misses[at - 1];
        }
        job->misses[at] = miss;
    }
}

/* Finds the place of each frame. A frame gets an error if it does not exist or its record cannot be
 * opened. */
static void find_places(struct lod_fetch_job *job)
{
    for (unsigned i = 0; i < job->count; i++) {
        struct lod_fetch_miss *miss = &job->misses[i];
        miss->error = job->error;
        if (!miss->error) {
            miss->error =
                lod_record_place(job->record, miss->slot, miss->group, miss->frame, &miss->place);
        }
    }
    sort(job);
}

/* Gives each miss its place after `data` (NULL: only counts). Returns the bytes of all. */
static size_t lay_out(struct lod_fetch_job *job, uint8_t *data, uint64_t gap_max)
{
    size_t used = 0;

    for (unsigned i = 0; i < job->count; i++) {
        struct lod_fetch_miss *miss = &job->misses[i];
        miss->at = data ? data + used : NULL;
        used += miss->place.bytes;
        if (lod_fetch_joined(job, i, gap_max)) {
            used += miss[1].place.offset - (miss->place.offset + miss->place.bytes);
        }
    }
    return used;
}

/* -------------------------------------------------------------------------- claiming */

static void make_entries(struct lod_fetch_job *job, struct lod_frame_entry *entries)
{
    for (unsigned i = 0; i < job->count; i++) {
        struct lod_fetch_miss *miss = &job->misses[i];
        entries[i] = (struct lod_frame_entry){
            .flight.key = lod_fetch_key(&job->item->recd, miss->slot, miss->group, miss->frame),
            .next = i + 1 < job->count ? &entries[i + 1] : NULL,
            .chunk = job->chunk,
            .data = miss->at,
            .bytes = miss->place.bytes,
        };
        miss->entry = &entries[i];
    }
    lod_fetch_own(job->chunk, &entries[0], &entries[job->count - 1]);
}

/*
 * Takes memory for entries and bytes. If the limit is reached, takes memory for the bytes alone,
 * outside of it. Frames that were slow to read are kept while there is free memory, but no prefix
 * is evicted for them.
 */
static int take_memory(struct lod_fetch_job *job, uint64_t gap_max)
{
    struct lod_frame_arena *arena = job->fetch->arena;
    size_t heads = job->count * sizeof(struct lod_frame_entry), data = lay_out(job, NULL, gap_max);
    bool near = job->fetch->shared || lod_io_estimate_is_memory(&job->fetch->estimate);
    uint8_t *at =
        near ? NULL
             : lod_frame_arena_take_free(arena, heads + data, LOD_CHUNK_RETAINED, &job->chunk);

    at = at ? at : lod_frame_arena_take(arena, heads + data, LOD_CHUNK_RECENT, &job->chunk);
    job->retained = at;
    if (!at && job->misses[0].wanted) {
        at = lod_frame_arena_take_own(arena, heads + data, &job->chunk);
    }
    if (!at) {
        return -ENOMEM;
    }
    lay_out(job, at + heads, gap_max);
    make_entries(job, (struct lod_frame_entry *)(void *)at);
    return 0;
}

/* Holds the lock of the shard of `key` instead of that of `held`; either may be NULL. Frames of one
 * item are in one shard. */
static struct lod_flight_shard *hold(struct lod_fetch *fetch, struct lod_flight_shard *held,
                                     const struct lod_key *key)
{
    struct lod_flight_shard *shard = key ? lod_fetch_shard(fetch, *key) : NULL;

    if (held && held != shard) {
        pthread_mutex_unlock(&held->lock);
    }
    if (shard && held != shard) {
        pthread_mutex_lock(&shard->lock);
    }
    return shard;
}

/* Claims the misses, except those that another thread has claimed meanwhile. */
static void claim(struct lod_fetch_job *job)
{
    struct lod_flight_shard *shard = NULL;

    for (unsigned i = 0; i < job->count; i++) {
        struct lod_fetch_miss *miss = &job->misses[i];
        shard = hold(job->fetch, shard, &miss->entry->flight.key);
        if (lod_flight_find(shard, miss->entry->flight.key)) {
            miss->entry = NULL;
        } else {
            lod_flight_link(shard, &miss->entry->flight);
        }
    }
    hold(job->fetch, shard, NULL);
}

/* ------------------------------------------------------------------------ publishing */

/* Fills in the reader's entry; publish() takes the references for all at once. */
static void hand_over(struct lod_fetch_job *job, struct lod_fetch_miss *miss)
{
    miss->wanted->chunk = job->chunk;
    miss->wanted->data = miss->at;
    miss->wanted->bytes = miss->place.bytes;
}

/* Publishes the claimed frames. A frame that no reader waits for is checked by its first reader. */
static void complete_claimed(struct lod_fetch_job *job)
{
    struct lod_flight_shard *shard = NULL;

    for (unsigned i = 0; i < job->count; i++) {
        struct lod_fetch_miss *miss = &job->misses[i];
        if (miss->entry) {
            shard = hold(job->fetch, shard, &miss->entry->flight.key);
            atomic_store_explicit(&miss->entry->checked, miss->wanted, memory_order_relaxed);
            lod_flight_complete(shard, &miss->entry->flight, miss->error);
        }
    }
    hold(job->fetch, shard, NULL);
}

/* Returns the first error of a frame that a reader waits for. */
static int publish(struct lod_fetch_job *job)
{
    unsigned handed = 0;
    int failed = 0;

    for (unsigned i = 0; i < job->count; i++) {
        struct lod_fetch_miss *miss = &job->misses[i];
        if (!miss->wanted) {
            miss->error = miss->error ? -EINTR : 0; /* not remembered */
        }
        if (!miss->entry || !miss->wanted) {
            continue;
        }
        miss->error = lod_fetch_check(job, miss);
        if (!miss->error) {
            hand_over(job, miss);
            handed++;
        }
        failed = failed ? failed : miss->error;
    }
    lod_blob_ref_many(&job->chunk->blob, handed);
    if (job->retained) {
        complete_claimed(job);
    }
    return failed;
}

int lod_fetch_in_memory(struct lod_fetch *fetch, const struct lod_item *item,
                        const struct lod_wanted *wanted, bool *ret_is)
{
    struct lod_record *record = NULL;
    struct lod_place place = {0};
    int error = lod_dataset_record(fetch->dataset, item, &record);

    if (error) {
        return error;
    }
    error = lod_record_place(record, item->number - item->recd.first_item, wanted->group,
                             wanted->frame, &place);
    error = error ? error : lod_record_in_memory(record, &place, ret_is);
    lod_record_close(record);
    return error;
}

bool lod_fetch_is_copied(struct lod_fetch *fetch, const struct lod_item *item,
                         const struct lod_wanted *wanted)
{
    struct lod_record *record = NULL;
    struct lod_place place = {0};

    if (lod_dataset_record(fetch->dataset, item, &record)) {
        return false;
    }
    const bool is = !lod_record_place(record, item->number - item->recd.first_item, wanted->group,
                                      wanted->frame, &place) &&
                    lod_record_copied(record, place.offset, place.offset + place.bytes) ==
                        place.offset + place.bytes;
    lod_record_close(record);
    return is;
}

/* Returns the largest gap between two frames that is read too, because that costs less than another
 * request. Memory has no latency, whatever the disk behind it has. Parallel requests cost only the
 * time of their bytes, but handling one more answer still costs more than a small gap. */
static uint64_t gap_of(const struct lod_fetch_job *job)
{
    const struct lod_io_estimate *estimate = &job->fetch->estimate;
    const bool memory = job->near || lod_io_estimate_is_memory(estimate);
    const uint64_t gap = memory ? 0 : lod_io_estimate_gap(estimate);

    return estimate->ranges > 1 && gap > SIDE_GAP_MAX ? SIDE_GAP_MAX : gap;
}

int lod_fetch_misses(struct lod_fetch_job *job)
{
    const uint64_t gap_max = gap_of(job);
    int error = take_memory(job, gap_max);
    if (!error) {
        if (job->retained) {
            claim(job);
        }
        lod_fetch_read(job, gap_max);
        error = publish(job);
        lod_blob_unref(&job->chunk->blob);
    }
    return error;
}

int lod_fetch(struct lod_fetch *fetch, const struct lod_item *item, struct lod_wanted *wanted,
              unsigned count, bool *near)
{
    struct lod_fetch_miss misses[LOD_FETCH_MAX];
    struct lod_fetch_job job = {.fetch = fetch, .item = item, .near = *near, .misses = misses};

    for (unsigned i = 0; i < count; i++) {
        if (!wanted[i].chunk) {
            assert(job.count < LOD_FETCH_MAX);
            job.misses[job.count++] =
                (struct lod_fetch_miss){.slot = item->number - item->recd.first_item,
                                        .group = wanted[i].group,
                                        .frame = wanted[i].frame,
                                        .wanted = &wanted[i]};
        }
    }
    if (job.count == 0) {
        return 0;
    }
    job.error = lod_dataset_record(fetch->dataset, item, &job.record);
    find_places(&job);
    int error = lod_fetch_misses(&job);
    lod_record_close(job.record);
    *near = *near && !job.waited;
    return error;
}

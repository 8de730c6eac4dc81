/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One fetch: places of the missing frames, sorted; neighbours joined into requests where the gap
 * costs less than a request; one piece of a chunk for entries and bytes; claim, read, check,
 * publish. A request that fails is repeated frame by frame, so that one bad sector costs one frame.
 */
#include "fetch.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

#define KEY_GROUP_AT 56 /* a frame's number has at most 47 bits: 2^63 bytes in frames of 2^16 */

/* A frame to be read. */
struct miss {
    struct lod_wanted *wanted;
    struct lod_place place;
    struct lod_frame_entry *entry; /* NULL: not claimed, somebody else reads it */
    uint8_t *at;
    int error;
};

/* One call of lod_fetch. */
struct job {
    struct lod_fetch *fetch;
    const struct lod_item *item;
    uint32_t slot;
    struct lod_pinned *pinned; /* NULL: the record cannot be opened, and `error` is why */
    int error;
    struct lod_chunk *chunk;
    bool kept; /* the chunk is in the budget, so its entries may be in the table */
    unsigned count;
    struct miss *misses; /* LOD_FETCH_MAX, of which `count` mean something */
};

struct lod_key lod_fetch_key(const struct lod_recd *recd, uint32_t slot, unsigned group,
                             uint64_t number)
{
    return (struct lod_key){
        .high = (uint64_t)recd->number << 32 | slot,
        .low = (uint64_t)group << KEY_GROUP_AT | number,
    };
}

int lod_fetch_read(struct lod_fetch *fetch, struct lod_pinned *pinned, uint64_t offset, void *into,
                   size_t bytes)
{
    uint64_t from = lod_clock_ns();
    int error = lod_pinned_read(pinned, offset, into, bytes);

    atomic_fetch_add_explicit(&fetch->outcomes[lod_outcome_of(error)], 1, memory_order_relaxed);
    if (!error) {
        lod_pace_add(&fetch->pace, bytes, lod_clock_ns() - from);
    }
    return error;
}

void lod_fetch_publish(struct lod_frame_shard *shard, struct lod_frame_entry *entry, int error)
{
    entry->error = error;
    entry->state = error ? LOD_FRAME_BAD : LOD_FRAME_READY;
    if (error == -ENOMEM || error == -EINTR) {
        lod_frame_unlink(shard, entry);
    } else if (error) {
        entry->bad_until_ns = lod_clock_ns() + LOD_CACHE_BAD_NS;
    }
    if (shard->waiters) {
        pthread_cond_broadcast(&shard->made);
    }
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

/* By offset; they nearly are already, since groups lie in the record in their order. */
static void sort(struct job *job)
{
    for (unsigned i = 1; i < job->count; i++) {
        struct miss miss = job->misses[i];
        unsigned at = i;
        for (; at > 0 && job->misses[at - 1].place.offset > miss.place.offset; at--) {
            job->misses[at] = job->misses[at - 1];
        }
        job->misses[at] = miss;
    }
}

/* A frame that cannot be, or whose record cannot be opened, has no bytes and an error. */
static void find_places(struct job *job)
{
    for (unsigned i = 0; i < job->count; i++) {
        struct miss *miss = &job->misses[i];
        miss->error = job->error;
        if (!miss->error) {
            miss->error = lod_pinned_place(job->pinned, job->slot, miss->wanted->group,
                                           miss->wanted->frame, &miss->place);
        }
    }
    sort(job);
}

/* Does miss i + 1 go into the same request as miss i? */
static bool joined(const struct job *job, unsigned i, uint64_t gap_max)
{
    const struct miss *miss = &job->misses[i], *next = miss + 1;

    return i + 1 < job->count && !miss->error && !next->error &&
           next->place.offset - (miss->place.offset + miss->place.bytes) <= gap_max;
}

/* Gives each miss its place behind `data` (NULL: counts only). Returns the bytes in all. */
static size_t lay_out(struct job *job, uint8_t *data, uint64_t gap_max)
{
    size_t used = 0;

    for (unsigned i = 0; i < job->count; i++) {
        struct miss *miss = &job->misses[i];
        miss->at = data ? data + used : NULL;
        used += miss->place.bytes;
        if (joined(job, i, gap_max)) {
            used += miss[1].place.offset - (miss->place.offset + miss->place.bytes);
        }
    }
    return used;
}

/* -------------------------------------------------------------------------- claiming, reading */

static void make_entries(struct job *job, struct lod_frame_entry *entries)
{
    for (unsigned i = 0; i < job->count; i++) {
        struct miss *miss = &job->misses[i];
        entries[i] = (struct lod_frame_entry){
            .key = lod_fetch_key(&job->item->recd, job->slot, miss->wanted->group,
                                 miss->wanted->frame),
            .next = i + 1 < job->count ? &entries[i + 1] : NULL,
            .chunk = job->chunk,
            .data = miss->at,
            .bytes = miss->place.bytes,
        };
        miss->entry = &entries[i];
    }
    lod_fetch_own(job->chunk, &entries[0], &entries[job->count - 1]);
}

/* Memory for entries and bytes; where the budget has none, for the bytes alone. */
static int take_memory(struct job *job, uint64_t gap_max)
{
    struct lod_chunks *chunks = job->fetch->chunks;
    size_t heads = job->count * sizeof(struct lod_frame_entry), data = lay_out(job, NULL, gap_max);
    bool memory = lod_pace_is_memory(&job->fetch->pace);

    uint8_t *at = lod_chunks_take(chunks, heads + data, memory ? LOD_CHUNK_CHEAP : LOD_CHUNK_KEPT,
                                  &job->chunk);
    job->kept = at;
    if (!at) {
        at = lod_chunks_take_own(chunks, heads + data, &job->chunk);
    }
    if (!at) {
        return -ENOMEM;
    }
    lay_out(job, at + heads, gap_max);
    make_entries(job, (struct lod_frame_entry *)(void *)at);
    return 0;
}

/* What somebody else has claimed since is left to them. */
static void claim(struct job *job, struct lod_frame_shard *shard)
{
    pthread_mutex_lock(&shard->lock);
    for (unsigned i = 0; i < job->count; i++) {
        struct miss *miss = &job->misses[i];
        if (lod_frame_find(shard, miss->entry->key)) {
            miss->entry->state = LOD_FRAME_BAD;
            miss->entry = NULL;
        } else {
            lod_frame_link(shard, miss->entry);
        }
    }
    pthread_mutex_unlock(&shard->lock);
}

static int read_span(struct job *job, unsigned first, unsigned last)
{
    const struct miss *from = &job->misses[first], *to = &job->misses[last];
    size_t bytes = (size_t)(to->place.offset + to->place.bytes - from->place.offset);

    atomic_fetch_add_explicit(&job->fetch->scattered_reads, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&job->fetch->scattered_bytes, bytes, memory_order_relaxed);
    return lod_fetch_read(job->fetch, job->pinned, from->place.offset, from->at, bytes);
}

/* Misses first .. last in one request, or one by one if that fails. */
static void read_run(struct job *job, unsigned first, unsigned last)
{
    while (first < last && !job->misses[first].entry) {
        first++;
    }
    while (last > first && !job->misses[last].entry) {
        last--;
    }
    if (!job->misses[first].entry || job->misses[first].error) {
        return;
    }
    int error = read_span(job, first, last);
    for (unsigned i = first; i <= last; i++) {
        struct miss *miss = &job->misses[i];
        if (miss->entry) {
            miss->error = error && first < last ? read_span(job, i, i) : error;
        }
    }
}

static void read_all(struct job *job, uint64_t gap_max)
{
    for (unsigned first = 0, last; first < job->count; first = last + 1) {
        for (last = first; joined(job, last, gap_max);) {
            last++;
        }
        read_run(job, first, last);
    }
}

/* ------------------------------------------------------------------------ checking, publishing */

static int check(struct job *job, struct miss *miss)
{
    const struct lod_wanted *wanted = miss->wanted;
    int error = miss->error;

    if (!error &&
        !lod_pinned_sound(job->pinned, job->slot, wanted->group, wanted->frame, miss->at)) {
        atomic_fetch_add_explicit(&job->fetch->frames_bad, 1, memory_order_relaxed);
        error = -EBADMSG;
    }
    if (error && error != job->error) {
        error = lod_dataset_frame_failed(job->fetch->dataset, job->item, wanted->group,
                                         wanted->frame, miss->place.offset, error);
    }
    return error;
}

/* Without the reference, which publish takes for all at once. */
static void hand_over(struct job *job, struct miss *miss)
{
    miss->wanted->chunk = job->chunk;
    miss->wanted->data = miss->at;
    miss->wanted->bytes = miss->place.bytes;
}

/* Returns the first error of a frame of this job. */
static int publish(struct job *job, struct lod_frame_shard *shard)
{
    unsigned handed = 0;
    int failed = 0;

    for (unsigned i = 0; i < job->count; i++) {
        struct miss *miss = &job->misses[i];
        if (!miss->entry) {
            continue;
        }
        miss->error = check(job, miss);
        if (!miss->error) {
            hand_over(job, miss);
            handed++;
        }
        failed = failed ? failed : miss->error;
    }
    lod_blob_ref_many(&job->chunk->blob, handed);
    if (!job->kept) {
        return failed;
    }
    pthread_mutex_lock(&shard->lock);
    for (unsigned i = 0; i < job->count; i++) {
        struct miss *miss = &job->misses[i];
        if (miss->entry) {
            atomic_store_explicit(&miss->entry->checked, true, memory_order_relaxed);
            lod_fetch_publish(shard, miss->entry, miss->error);
        }
    }
    pthread_mutex_unlock(&shard->lock);
    return failed;
}

int lod_fetch(struct lod_fetch *fetch, const struct lod_item *item, struct lod_wanted *wanted,
              unsigned count)
{
    struct miss misses[LOD_FETCH_MAX];
    struct job job = {.fetch = fetch,
                      .item = item,
                      .slot = item->number - item->recd.first_item,
                      .misses = misses};
    uint64_t gap_max = lod_pace_gap(&fetch->pace);

    for (unsigned i = 0; i < count; i++) {
        if (!wanted[i].chunk) {
            assert(job.count < LOD_FETCH_MAX);
            job.misses[job.count++] = (struct miss){.wanted = &wanted[i]};
        }
    }
    if (job.count == 0) {
        return 0;
    }
    struct lod_frame_shard *shard =
        lod_frame_shard(&fetch->table, lod_fetch_key(&item->recd, job.slot, 0, 0));
    job.error = lod_dataset_pin(fetch->dataset, item, &job.pinned);
    find_places(&job);
    int error = take_memory(&job, gap_max);
    if (!error) {
        if (job.kept) {
            claim(&job, shard);
        }
        read_all(&job, gap_max);
        error = publish(&job, shard);
        lod_blob_unref(&job.chunk->blob);
    }
    lod_blob_unref(job.pinned ? &job.pinned->blob : NULL);
    return error;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run: the same groups of neighbouring slots. In each group they are one stretch of the record's
 * file, so a run is one request a group, where its frames alone would be one request each. The
 * frames enter the table without a check; see lod_fetch_run.
 */
#include "framecache/fetch.h"

#include "framecache/fetch_job.h"
#include "record/record_tables.h"

/* A run being cut. */
struct run {
    struct lod_fetch *fetch;
    struct lod_record *record;
    const struct lod_record_desc *recd;
    uint32_t slot, end; /* slots slot .. end - 1 */
    unsigned first, last;
};

/* Returns the bytes that a slot has in a group. */
static uint64_t bytes_of(const struct run *run, uint32_t slot, unsigned group)
{
    return lod_record_segment_bytes(run->record, slot, group);
}

static uint64_t frames_of(const struct run *run, uint64_t bytes)
{
    return lod_frames_of(bytes, run->recd->frame_shift);
}

/* Returns whether the first frame that the slot has in these groups is neither in memory nor being
 * read. */
static bool is_absent(const struct run *run, uint32_t slot)
{
    unsigned group = run->first;

    while (group <= run->last && !bytes_of(run, slot, group)) {
        group++;
    }
    const struct lod_key key = lod_fetch_key(run->recd, slot, group, 0);
    struct lod_flight_shard *shard = lod_fetch_shard(run->fetch, key);
    pthread_mutex_lock(&shard->lock);
    const bool found = lod_flight_find(shard, key);
    pthread_mutex_unlock(&shard->lock);
    return !found && group <= run->last;
}

/* Adds the frames of a slot to the sums. Returns whether these are within the limits. */
static bool add_slot(const struct run *run, uint32_t slot, uint64_t *frames, uint64_t *bytes)
{
    const size_t usual = lod_frame_arena_usual(run->fetch->arena);
    const uint64_t bytes_max = usual / 2 < LOD_RUN_BYTES ? usual / 2 : LOD_RUN_BYTES;

    for (unsigned group = run->first; group <= run->last; group++) {
        const uint64_t more = bytes_of(run, slot, group);
        *frames += frames_of(run, more);
        *bytes += more;
    }
    return *frames <= LOD_RUN_FRAMES && *bytes <= bytes_max;
}

/* Ends the run before the first slot that is in memory or exceeds the limits. */
static void cut(struct run *run, uint32_t end)
{
    uint64_t bytes = 0, frames = 0;

    for (run->end = run->slot; run->end < end; run->end++) {
        if (!is_absent(run, run->end) || !add_slot(run, run->end, &frames, &bytes)) {
            break;
        }
    }
}

/* Lists the frames of a slot in a group. */
static void list_slot(const struct run *run, uint32_t slot, unsigned group,
                      struct lod_fetch_job *job)
{
    const uint64_t frames = frames_of(run, bytes_of(run, slot, group));

    for (uint64_t i = 0; i < frames; i++) {
        struct lod_fetch_miss *miss = &job->misses[job->count++];
        *miss = (struct lod_fetch_miss){.slot = slot, .group = group, .frame = i};
        miss->error = lod_record_place(run->record, slot, group, i, &miss->place);
    }
}

/* Lists the frames of the run in the order of the file. */
static void list(const struct run *run, struct lod_fetch_job *job)
{
    for (unsigned group = run->first; group <= run->last; group++) {
        for (uint32_t slot = run->slot; slot < run->end; slot++) {
            list_slot(run, slot, group, job);
        }
    }
}

/* Fetches a run. A single slot is left to its reader,
 * which checks its frames when it fetches them. */
static void fetch_slots(const struct run *run, const struct lod_item *item, bool *near)
{
    struct lod_fetch_miss misses[LOD_RUN_FRAMES];
    struct lod_fetch_job job = {
        .fetch = run->fetch, .item = item, .record = run->record, .near = *near, .misses = misses};

    if (run->end - run->slot > 1) {
        list(run, &job);
        const int error = lod_fetch_misses(&job);
        *near = *near && (error || !job.waited);
    }
}

uint32_t lod_fetch_run(struct lod_fetch *fetch, const struct lod_item *item, uint32_t count,
                       unsigned first, unsigned last, bool *near)
{
    struct run run = {.fetch = fetch,
                      .recd = &item->recd,
                      .slot = item->number - item->recd.first_item,
                      .first = first,
                      .last = last};
    const uint32_t left = item->recd.items - run.slot, from = run.slot;
    const uint32_t end = from + (count < left ? count : left);

    if (lod_dataset_record(fetch->dataset, item, &run.record)) {
        return count; /* the reader of the item meets the error again */
    }
    while (run.slot < end && !is_absent(&run, run.slot)) {
        run.slot++;
    }
    run.end = run.slot;
    if (run.slot == from) {
        cut(&run, end);
        fetch_slots(&run, item, near);
    }
    lod_record_close(run.record);
    return run.end > from ? run.end - from : 1;
}

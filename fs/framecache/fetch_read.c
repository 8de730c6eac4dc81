/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The requests of one fetch. Neighbours are joined where the gap between them costs less than a
 * request. Requests are sent in parallel as far as the store allows. A request that fails is
 * repeated frame by frame, so that one bad sector costs one frame.
 */
#include "framecache/fetch_job.h"

#include <errno.h>

#define BATCH_MAX 16u

/* Requests that are sent in parallel: ranges[i] brings misses first[i] .. last[i]. */
struct batch {
    unsigned count;
    struct lod_range ranges[BATCH_MAX];
    unsigned first[BATCH_MAX], last[BATCH_MAX];
};

bool lod_fetch_joined(const struct lod_fetch_job *job, unsigned i, uint64_t gap_max)
{
    const struct lod_fetch_miss *miss = &job->misses[i], *next = miss + 1;

    return i + 1 < job->count && !miss->error && !next->error &&
           next->place.offset - (miss->place.offset + miss->place.bytes) <= gap_max;
}

/* Counts the requests. If the store answered all of them,
 * adds them to the estimate of its speed. */
static void account(struct lod_fetch_job *job, const struct batch *batch,
                    const struct lod_read_time *time, int error)
{
    struct lod_fetch *fetch = job->fetch;
    uint64_t bytes = 0;

    for (unsigned i = 0; i < batch->count; i++) {
        bytes += batch->ranges[i].bytes;
    }
    job->waited = job->waited || !lod_io_estimate_is_fast(bytes, time->ns);
    if (!error && time->copied_bytes == bytes) {
        return;
    }
    for (unsigned i = 0; i < batch->count; i++) {
        const enum lod_outcome outcome = lod_outcome_of(batch->ranges[i].error);
        atomic_fetch_add_explicit(&fetch->outcomes[outcome], 1, memory_order_relaxed);
    }
    atomic_fetch_add_explicit(&fetch->scattered_reads, batch->count, memory_order_relaxed);
    atomic_fetch_add_explicit(&fetch->scattered_bytes, bytes - time->copied_bytes,
                              memory_order_relaxed);
    if (!error && !job->near && !time->copied_bytes) {
        lod_io_estimate_add_timed(&fetch->estimate, bytes, time->first_byte_ns, time->ns);
    }
}

static struct lod_range range_of(const struct lod_fetch_job *job, unsigned first, unsigned last)
{
    const struct lod_fetch_miss *from = &job->misses[first], *to = &job->misses[last];

    return (struct lod_range){
        .offset = from->place.offset,
        .into = from->at,
        .bytes = (size_t)(to->place.offset + to->place.bytes - from->place.offset),
    };
}

static int read_alone(struct lod_fetch_job *job, unsigned i)
{
    struct batch one = {.count = 1, .ranges[0] = range_of(job, i, i)};
    struct lod_read_time time = {0};
    int error = lod_record_read(job->record, one.ranges, 1, &time);

    account(job, &one, &time, error);
    return error;
}

/* Reads the batch and empties it. After -EIO each frame is read separately, since one bad frame may
 * be the cause; other errors concern the whole store. */
static void read_batch(struct lod_fetch_job *job, struct batch *batch)
{
    struct lod_read_time time = {0};

    if (!batch->count) {
        return;
    }
    account(job, batch, &time, lod_record_read(job->record, batch->ranges, batch->count, &time));
    for (unsigned b = 0; b < batch->count; b++) {
        const int error = batch->ranges[b].error;
        const bool repeated = error == -EIO && batch->first[b] < batch->last[b];
        for (unsigned i = batch->first[b]; i <= batch->last[b]; i++) {
            struct lod_fetch_miss *miss = &job->misses[i];
            if (miss->entry) {
                miss->error = repeated ? read_alone(job, i) : error;
            }
        }
    }
    batch->count = 0;
}

/* Adds misses first .. last as one request, without those at its ends that other threads read. */
static void add_run(struct lod_fetch_job *job, struct batch *batch, unsigned first, unsigned last)
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
    batch->ranges[batch->count] = range_of(job, first, last);
    batch->first[batch->count] = first;
    batch->last[batch->count] = last;
    batch->count++;
}

void lod_fetch_read(struct lod_fetch_job *job, uint64_t gap_max)
{
    const unsigned ranges = job->fetch->estimate.ranges;
    const unsigned most = !ranges ? 1 : ranges < BATCH_MAX ? ranges : BATCH_MAX;
    struct batch batch = {.count = 0};

    for (unsigned first = 0, last; first < job->count; first = last + 1) {
        for (last = first; lod_fetch_joined(job, last, gap_max);) {
            last++;
        }
        add_run(job, &batch, first, last);
        if (batch.count == most) {
            read_batch(job, &batch);
        }
    }
    read_batch(job, &batch);
}

static bool is_sound(const struct lod_fetch_job *job, const struct lod_fetch_miss *miss)
{
    return lod_record_frame_sound(job->record, miss->slot, miss->group, miss->frame, miss->at);
}

/* A wrong hash can come from a bad connection or copy: then the frame is read once more. */
static int check_hash(struct lod_fetch_job *job, const struct lod_fetch_miss *miss)
{
    if (is_sound(job, miss)) {
        return 0;
    }
    atomic_fetch_add_explicit(&job->fetch->frames_bad, 1, memory_order_relaxed);
    if (!lod_record_report_wrong(job->record, &miss->place)) {
        return -EBADMSG;
    }
    int error = lod_record_pread(job->record, miss->place.offset, miss->at, miss->place.bytes);
    return error ? error : is_sound(job, miss) ? 0 : -EBADMSG;
}

int lod_fetch_check(struct lod_fetch_job *job, struct lod_fetch_miss *miss)
{
    int error = miss->error ? miss->error : check_hash(job, miss);

    if (error && error != job->error) {
        error = lod_dataset_frame_failed(job->fetch->dataset, job->item, miss->group, miss->frame,
                                         miss->place.offset, error);
    }
    return error;
}

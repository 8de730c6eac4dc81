/* SPDX-License-Identifier: Apache-2.0 */
/* See shard_run.h. The lead and each member of neighbouring samples are runs of their own. */
#include "shard/shard_run.h"

#include "frames/prefetch_policy.h"
#include "order/shown_groups.h"
#include "shard/shard_directory.h"

#define RECENT_REQUESTS 64u /* a file counts as being read until this many requests later */

/* ------------------------------------------------------------------------------- streams */

static uint64_t hash_of(const struct lod_shard *shard)
{
    const uint64_t file = ((uint64_t)shard->first_row << 32 | shard->end_row) << 12 ^
                          (uint64_t)shard->framing->format << 8 ^ (uint64_t)shard->fidelity << 4 ^
                          (uint64_t)shard->kind ^ shard->start;

    return ((file + 1) * 0x9e3779b97f4a7c15ull) | 1;
}

static unsigned count_recent_files(const struct lod_shard_streams *streams, uint64_t request)
{
    unsigned files = 0;

    for (unsigned i = 0; i < LOD_STREAMS; i++) {
        const struct lod_shard_stream *at = &streams->at[i];
        files +=
            atomic_load_explicit(&at->file, memory_order_relaxed) &&
            request - atomic_load_explicit(&at->asked, memory_order_relaxed) <= RECENT_REQUESTS;
    }
    return files;
}

uint64_t lod_shard_streams_note(struct lod_shard_streams *streams, const struct lod_shard *shard,
                                uint64_t offset, uint64_t bytes)
{
    const uint64_t file = hash_of(shard);
    struct lod_shard_stream *at = &streams->at[(file >> 32) % LOD_STREAMS];
    const uint64_t request =
        atomic_fetch_add_explicit(&streams->requests, 1, memory_order_relaxed) + 1;
    uint64_t end = 0;

    if (atomic_load_explicit(&at->file, memory_order_relaxed) == file) {
        end = atomic_load_explicit(&at->end, memory_order_relaxed);
    }
    atomic_store_explicit(&at->file, file, memory_order_relaxed);
    atomic_store_explicit(&at->end, offset + bytes, memory_order_relaxed);
    atomic_store_explicit(&at->asked, request, memory_order_relaxed);
    return lod_prefetch_decide_run(offset, bytes, end, count_recent_files(streams, request));
}

/* ---------------------------------------------------------------------------------- runs */

/* Fetches items from that of `file` to that of `last`. Returns how many need no other call; 0: they
 * are no neighbours. A failure is left to the read of the file. */
static uint32_t run_items(const struct lod_shard_run *run, const struct lod_framed_file *file,
                          uint32_t last)
{
    struct lod_item item;
    unsigned first_group, last_group;

    if (last <= file->item || lod_dataset_item(run->dataset, file->item, &item) ||
        last - item.recd.first_item >= item.recd.items) {
        return 0;
    }
    lod_shown_groups(&item.recd, run->fidelity, &first_group, &last_group);
    return lod_reader_run(run->reader, &item, last - file->item + 1, first_group, last_group);
}

/*
 * Returns the number of the sample whose lead is `items` items after the lead of `sample`. Leads
 * need not be neighbouring items. If that sample is not among those of the run, returns the number
 * of the next sample.
 */
static uint64_t sample_after(const struct lod_shard_run *run, uint64_t number,
                             const struct lod_framed_sample *sample, uint32_t items)
{
    struct lod_framed_sample after;

    if (items == 0 || number + items > run->last) {
        return number + 1;
    }
    lod_shard_directory_sample(run->directory, number + items, &after);
    return after.file[after.lead].item == sample->file[sample->lead].item + items ? number + items
                                                                                  : number + 1;
}

struct lod_shard_run lod_shard_run_begin(struct lod_dataset *dataset, struct lod_reader *reader,
                                         enum lod_fidelity fidelity,
                                         const struct lod_blob *directory, uint64_t to)
{
    const uint64_t end = lod_shard_directory_bytes(directory);

    return (struct lod_shard_run){
        .dataset = dataset,
        .reader = reader,
        .fidelity = fidelity,
        .directory = directory,
        .last = lod_shard_directory_find(directory, (to < end ? to : end) - 1),
    };
}

void lod_shard_run(struct lod_shard_run *run, uint64_t number,
                   const struct lod_framed_sample *sample)
{
    struct lod_framed_sample last;

    if (number < run->end || number >= run->last) {
        return;
    }
    lod_shard_directory_sample(run->directory, run->last, &last);
    for (unsigned i = 0; i < sample->count && i < last.count; i++) {
        const uint32_t to = last.file[i].item;
        const uint32_t done = run_items(run, &sample->file[i], to);
        if (i == sample->lead) {
            run->end = done > to - sample->file[i].item ? run->last + 1
                                                        : sample_after(run, number, sample, done);
        }
    }
}

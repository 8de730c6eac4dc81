/* SPDX-License-Identifier: Apache-2.0 */
/* The last stages of a pack, once everything is decided: records, index, manifest;
 * see pack_run.h. */
#include "pack/pack_run.h"

#include <errno.h>
#include <malloc.h>

#include "pack/pack_describe.h"
#include "pack/record/commit.h"
#include "pack/record/write.h"
#include "pcr/measure/photo_features.h"

/* Estimates the MSSIM of the whole store from the rows of all items. */
static int estimate_likeness(struct lod_pack_run *p, const struct lod_write *write)
{
    struct lod_likeness_sums sums = {0};
    double features[LOD_PHOTO_FEATURES];

    for (size_t r = 1; r <= p->order.records_count; r++) {
        const struct lod_written *written = &write->written[r];
        const bool jpegs = p->order.records[r - 1].codec->id == LOD_CODEC_PCR;
        for (uint32_t i = 0; jpegs && i < written->count; i++) {
            if (lod_photo_features(written->rows + (size_t)i * LOD_ROW_BYTES, features)) {
                sums.photos++;
                for (unsigned f = 0; f < LOD_PHOTO_FEATURES; f++) {
                    sums.features[f] += features[f];
                }
            }
        }
    }
    return lod_scans_add_store(&p->scans, &sums);
}

static int commit(struct lod_pack_run *p, struct lod_write *write)
{
    lod_progress_stage(p->options->progress, "writing the index", 0, 0);
    cJSON *options = lod_pack_describe(p->options, p->order.record_bytes);
    int error =
        options ? lod_commit(write, &p->target, options, p->scans.table, &p->result->store_bytes)
                : -ENOMEM;

    cJSON_Delete(options);
    return error;
}

static int tally_written(struct lod_pack_run *p, const struct lod_write *write)
{
    int error = 0;

    for (size_t r = 1; !error && r <= p->order.records_count; r++) {
        const struct lod_written *written = &write->written[r];
        p->result->records += written->count != 0;
        p->result->kept += written->kept && !p->planned;
        for (uint32_t i = 0; !error && i < written->count; i++) {
            error = lod_store_totals_add(&p->result->totals, p->order.records[r - 1].codec,
                                         written->rows + (size_t)i * LOD_ROW_BYTES,
                                         p->result->list.at[written->files[i]].names);
        }
    }
    return error;
}

struct lod_encode_options lod_pack_encode_options(const struct lod_pack_run *p)
{
    return (struct lod_encode_options){.scans = &p->scans.choice,
                                       .top = p->options->top,
                                       .original = true,
                                       .keep = p->options->keep,
                                       .raw_plain = p->options->raw_plain,
                                       .l3_mode = p->options->l3_mode};
}

/*
 * Encoding an item takes a dozen buffers of a megabyte. malloc is set to keep them for the next
 * item: returning them to the kernel and getting new pages took half of the time of packing dense
 * tables. Call it after the lists of the source are complete: while they grow, malloc should return
 * their old memory. Keeping that took 54 bytes a file.
 */
static void keep_buffers(void)
{
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
}

struct lod_write lod_pack_jobs(struct lod_pack_run *p, const struct lod_encode_options *encode,
                               struct lod_memory_semaphore *budget)
{
    if (!p->planned) {
        keep_buffers();
    }
    return (struct lod_write){.root_fd = p->source_fd,
                              .follow = p->options->follow,
                              .list = &p->result->list,
                              .order = &p->order,
                              .count = (uint32_t)p->order.records_count,
                              .labels = p->labels.at,
                              .encode = encode,
                              .target = &p->target,
                              .pool = p->pool,
                              .stop = p->options->stop,
                              .first_error = p->first_error,
                              .progress = p->options->progress,
                              .budget = budget};
}

/* Writes the records, or, for a commit, finds those that parts have written. */
static int make_records(struct lod_pack_run *p, struct lod_write *write)
{
    write->written_before = p->planned;
    p->begun = !p->planned;
    const struct lod_order_sum sum = lod_order_sum(&p->order, 0, p->order.records_count);
    lod_progress_stage(p->options->progress, p->planned ? "looking for records" : "packing",
                       sum.files, sum.bytes);
    int error = lod_write_records(write);
    error = error ? error : lod_pack_refuse_missing(p, write);
    /* records that parts have written stay as well */
    p->resume.ours = p->resume.ours || !error || error == -EINTR;
    return error;
}

int lod_pack_write_store(struct lod_pack_run *p)
{
    const struct lod_encode_options encode = lod_pack_encode_options(p);
    struct lod_memory_semaphore budget;
    struct lod_write write = lod_pack_jobs(p, &encode, &budget);
    int error = 0;

    if (!p->planned) {
        error = lod_resume_begin(&p->resume, &p->target, &p->result->list, &p->order,
                                 p->scans.table, p->first_error);
    }
    if (!error && (p->planned || p->resume.found)) {
        error = lod_store_open(p->options->store, &write.before);
    }
    if (error) {
        return error;
    }
    lod_memory_semaphore_init(&budget, LOD_WRITE_WORK_BYTES);
    error = make_records(p, &write);
    error = error ? error : estimate_likeness(p, &write);
    error = error ? error : commit(p, &write);
    p->result->records = 1;
    error = error ? error : tally_written(p, &write);
    lod_write_finish(&write);
    lod_store_close(write.before);
    lod_memory_semaphore_finish(&budget);
    return error;
}

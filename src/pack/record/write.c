/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the jobs on several threads; see write.h. */
#include "pack/record/write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pack/record/copy.h"
#include "pack/record/encode.h"
#include "pack/record/reuse_record.h"

static int job_init(struct lod_record_job *job, struct lod_write *write, uint64_t index)
{
    const struct lod_order_record *record = &write->order->records[index];

    *job = (struct lod_record_job){.write = write, .record = record, .number = (uint32_t)index + 1};
    lod_stale_files_name(write->order, job->number, job->name);
    job->slots = calloc(record->count, sizeof(job->slots[0]));
    job->files = calloc(record->count, sizeof(job->files[0]));
    return job->slots && job->files ? 0 : -ENOMEM;
}

static void job_finish(struct lod_record_job *job)
{
    for (unsigned i = 0; i < LOD_GROUPS_MAX; i++) {
        lod_buf_finish(&job->groups[i]);
    }
    lod_buf_finish(&job->buffer);
    lod_buf_finish(&job->magics);
    lod_header_dedup_finish(&job->shared);
    free(job->slots);
    free(job->files);
}

/* Moves the data that the index needs from the job to the shared state. */
static int keep(struct lod_record_job *job, const struct lod_record_desc *recd, bool kept)
{
    struct lod_written *written = &job->write->written[job->number];

    written->rows = malloc((size_t)job->count * LOD_ROW_BYTES);
    if (!written->rows) {
        return -ENOMEM;
    }
    if (job->write->labels) {
        written->labels = malloc(job->count * sizeof(written->labels[0]));
        if (!written->labels) {
            return -ENOMEM;
        }
    }
    for (uint32_t i = 0; i < job->count; i++) {
        memcpy(written->rows + (size_t)i * LOD_ROW_BYTES, job->slots[i].row, LOD_ROW_BYTES);
        if (written->labels) {
            written->labels[i] = job->slots[i].label;
        }
    }
    written->recd = *recd;
    written->count = job->count;
    written->kept = kept;
    written->files = job->files;
    job->files = NULL;
    written->magics = job->magics;
    job->magics = (struct lod_buf){0};
    return 0;
}

/* Renames a record that a part has written into its place, so that a record with its final name is
 * always complete. */
static int move(struct lod_record_job *job)
{
    const struct lod_target *target = job->write->target;

    if (target->made_fd == target->records_fd || job->count == 0) {
        return 0;
    }
    return renameat(target->made_fd, job->name, target->records_fd, job->name) == 0
               ? 0
               : lod_record_job_unwritten(job, -errno);
}

/* Writes the record. Removes an incomplete one, as the disk may be full. */
static int write_anew(struct lod_record_job *job, struct lod_record_desc *ret_recd)
{
    const struct lod_write *write = job->write;
    const struct lod_source *first = &write->list->at[write->order->files[job->record->first]];

    if (write->before) {
        unlinkat(write->target->made_fd, job->name, 0);
    }
    const bool encoded = first->encoder->encode || first->encoder->encode_part;
    int error = encoded ? lod_encode_record(job, ret_recd) : lod_copy_record(job, ret_recd);
    error = error ? error : move(job);
    if (error) {
        unlinkat(write->target->made_fd, job->name, 0);
    }
    return error;
}

static int write_record(void *ctx, uint64_t index)
{
    const struct lod_write *write = ctx;
    struct lod_record_job job;
    struct lod_record_desc recd;
    int error = job_init(&job, ctx, write->first + index);

    if (!error && write->before) {
        error = lod_reuse_record(&job, &recd);
    }
    const bool kept = job.count != 0;
    if (!error && !kept && write->written_before) {
        write->written[job.number].missing = true;
    } else if (!error && !kept) {
        error = write_anew(&job, &recd);
    }
    if (!error && job.count) {
        error = keep(&job, &recd, kept);
    }
    job_finish(&job);
    return error;
}

int lod_write_records(struct lod_write *write)
{
    const struct lod_order *order = write->order;

    write->pictures = lod_order_has_pictures(order);
    write->written = calloc(order->records_count + 1, sizeof(write->written[0]));
    return write->written ? lod_pool_each(write->pool, write->count, write_record, write) : -ENOMEM;
}

void lod_write_finish(struct lod_write *write)
{
    for (size_t i = 0; write->written && i <= write->order->records_count; i++) {
        free(write->written[i].rows);
        free(write->written[i].files);
        free(write->written[i].labels);
        lod_buf_finish(&write->written[i].magics);
    }
    free(write->written);
    write->written = NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a record of raw files. It is laid out first: raw_hold.c reads the files that may be
 * compressed, and rows of the others follow from their sizes. Then held bytes are written, and the
 * other sources are copied through a buffer of whole frames.
 */
#include "pack/record/copy.h"

#include <unistd.h>

#include "pack/plan/subitems.h"
#include "pack/record/magic.h"
#include "pack/record/raw_hold.h"
#include "backend/format.h"

#define COPY_BYTES ((size_t)1 << LOD_FRAME_SHIFT_MAX) /* whole frames, whatever their size */

/* Copies the bytes of a source. On an error, *ret_written says whether writing failed,
 * not reading. */
static int copy_bytes(struct lod_record_job *job, struct lod_record_writer *writer, uint32_t slot,
                      int fd, bool *ret_written)
{
    const struct lod_source *source = &job->write->list->at[job->files[slot]];
    int error = 0;

    for (uint64_t offset = 0; !error && offset < source->bytes; offset += COPY_BYTES) {
        uint64_t left = source->bytes - offset;
        size_t bytes = left < COPY_BYTES ? (size_t)left : COPY_BYTES;
        error = lod_cancel_poll(job->write->stop);
        error = error ? error : lod_source_pread(fd, source, job->buffer.data, bytes, offset);
        if (!error) {
            error = lod_record_writer_put(writer, slot, 1, offset, job->buffer.data, bytes);
            *ret_written = error == 0;
            lod_progress_add(job->write->progress, 0, bytes, bytes);
        }
    }
    return error ? error : lod_source_check_sum(fd, source);
}

static int copy_source(struct lod_record_job *job, struct lod_record_writer *writer, uint32_t slot)
{
    const struct lod_write *write = job->write;
    uint32_t file = job->files[slot];
    bool written = true;
    int fd = -1;

    int error = lod_source_open(write->root_fd, &write->list->at[file], write->follow, &fd);
    if (!error) {
        error = copy_bytes(job, writer, slot, fd, &written);
        close(fd);
    }
    if (error && !written) {
        return lod_record_job_unwritten(job, error);
    }
    if (error) {
        return lod_record_job_unreadable(job, file, error);
    }
    lod_progress_add(write->progress, 1, 0, 0);
    return 0;
}

/* Copies bytes that pack made in memory, such as a schema. */
static int copy_memory(struct lod_record_job *job, struct lod_record_writer *writer, uint32_t slot)
{
    const struct lod_source *source = &job->write->list->at[job->files[slot]];
    const struct lod_span memory = source->parts->at[source->part].memory;
    int error = lod_record_writer_put(writer, slot, 1, 0, memory.at, memory.bytes);

    lod_progress_add(job->write->progress, 1, memory.bytes, memory.bytes);
    return error ? lod_record_job_unwritten(job, error) : 0;
}

/* Writes the next held bytes. */
static int put_held(struct lod_record_job *job, struct lod_record_writer *writer, uint32_t slot,
                    size_t *at, size_t bytes)
{
    const struct lod_source *source = &job->write->list->at[job->files[slot]];
    int error =
        bytes ? lod_record_writer_put(writer, slot, 1, 0, job->groups[0].data + *at, bytes) : 0;

    *at += bytes;
    lod_progress_add(job->write->progress, 1, source->bytes, bytes);
    return error ? lod_record_job_unwritten(job, error) : 0;
}

/* Makes the slot of a file, unless it cannot be read and is left out. */
static int lay_out_file(struct lod_record_job *job, uint32_t file)
{
    const uint32_t slot = job->count;

    lod_record_job_slot(job, file);
    int error = lod_raw_hold(job);
    if (!error && job->count > slot) {
        lod_record_job_label(job, slot);
        error = lod_magic_of_copied(job);
    }
    return error;
}

/* Makes the slots of all files that are not left out. */
static int lay_out(struct lod_record_job *job)
{
    const struct lod_write *write = job->write;
    int error = 0;

    job->count = 0;
    lod_magic_begin(job);
    lod_raw_hold_begin(job);
    for (uint32_t i = 0; !error && i < job->record->count; i++) {
        const uint32_t file = write->order->files[job->record->first + i];
        if (write->list->at[file].role == LOD_SOURCE_FILE) {
            error = lay_out_file(job, file);
        }
    }
    lod_magic_set_lists(job);
    return error;
}

static int put(struct lod_record_job *job, struct lod_record_writer *writer, uint32_t slot,
               size_t *held_at)
{
    size_t bytes;

    if (lod_raw_is_held(job, slot, &bytes)) {
        return put_held(job, writer, slot, held_at, bytes);
    }
    return job->write->list->at[job->files[slot]].added ? copy_memory(job, writer, slot)
                                                        : copy_source(job, writer, slot);
}

/* *ret_again: a source was left out during the write, so the record must be laid out again. */
static int copy_all(struct lod_record_job *job, struct lod_record_desc *ret_recd, bool *ret_again)
{
    const struct lod_write *write = job->write;
    struct lod_record_writer *writer = NULL;
    size_t held_at = 0;
    int error = lod_record_writer_create(write->target->made_fd, job->name, job->record->codec,
                                         job->record->cut, job->slots, job->count, &writer);

    *ret_again = false;
    if (error) {
        return lod_record_job_unwritten(job, error);
    }
    for (uint32_t slot = 0; !error && !*ret_again && slot < job->count; slot++) {
        error = put(job, writer, slot, &held_at);
        *ret_again = write->list->at[job->files[slot]].role == LOD_SOURCE_LEFT_OUT;
    }
    if (!error && !*ret_again) {
        error = lod_record_writer_finish(writer, ret_recd);
        error = error ? lod_record_job_unwritten(job, error) : 0;
    }
    lod_record_writer_destroy(writer);
    return error;
}

int lod_copy_record(struct lod_record_job *job, struct lod_record_desc *ret_recd)
{
    bool again = true;
    int error = lod_buf_reserve(&job->buffer, COPY_BYTES);

    while (!error && again) {
        error = lay_out(job);
        if (!error && job->count == 0) {
            unlinkat(job->write->target->made_fd, job->name, 0);
            break;
        }
        error = error ? error : copy_all(job, ret_recd, &again);
    }
    lod_raw_hold_finish(job);
    return error;
}

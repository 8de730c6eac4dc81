/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See raw_hold.h. A file of one unit is read once, and held in either form. A larger file is judged
 * by its first unit, so a film or an archive costs one unit more.
 */
#include "pack/record/raw_hold.h"

#include <unistd.h>

#include "raw_row.h"
#include "raw_units_write.h"

#define READ_BYTES ((size_t)4 << 20) /* whole units */

void lod_raw_hold_begin(struct lod_record_job *job)
{
    job->groups[0].bytes = 0;
    lod_raw_hold_finish(job);
}

void lod_raw_hold_finish(struct lod_record_job *job)
{
    lod_memory_semaphore_release(job->write->budget, job->reserved);
    job->reserved = 0;
}

/* Reserves memory for all files that the record may hold, in one step, so that no thread waits
 * while it holds a part of its memory. */
static void reserve(struct lod_record_job *job)
{
    if (!job->reserved) {
        job->reserved =
            lod_memory_semaphore_take(job->write->budget, job->record->source_bytes + 1);
    }
}

static int add_units(struct lod_record_job *job, const struct lod_source *source, int fd,
                     struct lod_raw_units *units)
{
    size_t step = LOD_RAW_UNIT_BYTES;
    int error = 0;

    for (uint64_t at = 0; !error && units->pays && at < source->bytes; step = READ_BYTES) {
        const uint64_t left = source->bytes - at;
        const size_t bytes = left < step ? (size_t)left : step;
        error = lod_cancel_poll(job->write->stop);
        error = error ? error : lod_buf_reserve(&job->buffer, bytes);
        error = error ? error : lod_source_pread(fd, source, job->buffer.data, bytes, at);
        error = error ? error
                      : lod_raw_units_add(
                            units, (struct lod_span){.at = job->buffer.data, .bytes = bytes});
        at += bytes;
        if (!error && units->pays && at < source->bytes) {
            reserve(job);
        }
    }
    return error;
}

/* Compresses an open source, unless that does not pay. *ret_held: its bytes are in group 1. */
static int compress(struct lod_record_job *job, const struct lod_source *source, int fd,
                    uint8_t row[LOD_ROW_BYTES], bool *ret_held)
{
    struct lod_buf *into = &job->groups[0];
    const size_t before = into->bytes;
    struct lod_raw_units units;
    int error = lod_raw_units_begin(&units, source->bytes, into);

    error = error ? error : add_units(job, source, fd, &units);
    *ret_held = !error && units.pays;
    if (*ret_held) {
        lod_raw_units_row(&units, row);
    } else {
        into->bytes = before;
    }
    lod_raw_units_finish(&units);
    return error;
}

static int hold(struct lod_record_job *job, const struct lod_source *source, int fd,
                uint8_t row[LOD_ROW_BYTES])
{
    const size_t bytes = (size_t)source->bytes;
    bool held = false;
    int error = bytes ? compress(job, source, fd, row, &held) : 0;

    if (!error && !held && bytes && bytes <= LOD_RAW_UNIT_BYTES) {
        error = lod_buf_append(&job->groups[0], job->buffer.data, bytes);
        held = true;
    }
    return !error && held ? lod_source_check_sum(fd, source) : error;
}

static bool is_tried(const struct lod_record_job *job, const struct lod_source *source)
{
    return !job->write->encode->raw_plain && !source->added && source->bytes &&
           source->bytes <= LOD_RAW_FILE_MAX;
}

int lod_raw_hold(struct lod_record_job *job)
{
    const uint32_t slot = job->count - 1, file = job->files[slot];
    const struct lod_source *source = &job->write->list->at[file];
    const size_t before = job->groups[0].bytes;
    uint8_t *row = job->slots[slot].row;
    int fd = -1;

    source->encoder->row(source->bytes, row);
    if (!is_tried(job, source)) {
        return 0;
    }
    int error = lod_source_open(job->write->root_fd, source, job->write->follow, &fd);
    if (!error) {
        error = hold(job, source, fd, row);
        close(fd);
    }
    if (error) {
        error = lod_record_job_unreadable(job, file, error);
        job->groups[0].bytes = before;
        job->count--;
    }
    return error;
}

bool lod_raw_is_held(const struct lod_record_job *job, uint32_t slot, size_t *ret_bytes)
{
    const struct lod_source *source = &job->write->list->at[job->files[slot]];
    struct lod_raw_row r;

    if (!is_tried(job, source) || lod_raw_row_read(job->slots[slot].row, &r)) {
        return false;
    }
    *ret_bytes = (size_t)r.stored;
    return r.units || source->bytes <= LOD_RAW_UNIT_BYTES;
}

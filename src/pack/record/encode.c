/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a record of encoded items. All items are encoded before the record is laid out, since the
 * lengths of their groups decide the place of each byte. The groups are kept joined, slot by slot.
 */
#include "pack/record/encode.h"

#include <errno.h>

#include "pack/plan/subitems.h"
#include "pack/record/magic.h"

/*
 * Memory for encoding a source, as a multiple of its bytes, before it is read. A photograph with
 * subsampled chroma has 1.5 coefficients a pixel of 2 bytes each, held twice: 6 bytes. At 3 bits a
 * pixel its file has 3/8 byte, a sixteenth of that. Once the file is read, the encoder knows the
 * exact amount, and the thread waits if it needs more.
 */
#define WORK_FACTOR 16u

#define BUFFER_KEEP_BYTES ((size_t)8 << 20)

static int append_groups(struct lod_record_job *job, const struct lod_encoded *item,
                         uint64_t *ret_bytes)
{
    int error = 0;

    *ret_bytes = 0;
    for (unsigned i = 0; !error && i < LOD_GROUPS_MAX; i++) {
        error = lod_buf_append(&job->groups[i], item->group[i].data, item->group[i].bytes);
        *ret_bytes += item->group[i].bytes;
    }
    return error;
}

/* Appends a header, unless an earlier slot has the same one. */
static int join_header(struct lod_record_job *job, const struct lod_encoder *encoder,
                       struct lod_encoded *item)
{
    uint32_t slot;

    if (item->header.bytes == 0) {
        return 0;
    }
    int error = lod_header_dedup_find(&job->shared, lod_buf_span(&item->header), job->count, &slot);
    return error ? error : encoder->join(item, slot == job->count ? LOD_SLOT_OWN : slot);
}

/* Releases its reservation before it waits for a larger one, so there is no deadlock. */
static void grow_reservation(const struct lod_write *write, const struct lod_encoder *encoder,
                             struct lod_span source, uint64_t *reserved_bytes)
{
    uint64_t bytes = encoder->memory_bytes ? encoder->memory_bytes(source) : 0;

    if (bytes > *reserved_bytes && *reserved_bytes < write->budget->bytes_max) {
        lod_memory_semaphore_release(write->budget, *reserved_bytes);
        *reserved_bytes = lod_memory_semaphore_take(write->budget, bytes);
    }
}

static int read_item(struct lod_record_job *job, const struct lod_source *source)
{
    const struct lod_write *write = job->write;
    const struct lod_source *file = source->added ? &write->list->at[source->owner] : source;

    return source->parts ? lod_subitems_read(write->root_fd, file, &source->parts->at[source->part],
                                             write->follow, &job->buffer)
                         : lod_source_read(write->root_fd, source, write->follow, &job->buffer);
}

/* Encodes an item. A part was planned when the file was examined; if it no longer fits the plan,
 * the file has changed. */
static int encode_item(struct lod_record_job *job, const struct lod_source *source,
                       struct lod_encoded *ret_item)
{
    const struct lod_span bytes = lod_buf_span(&job->buffer);

    if (!source->parts) {
        return source->encoder->encode(bytes, job->write->encode, ret_item);
    }
    int error = source->encoder->encode_part(source->parts->table, source->part, bytes, ret_item);
    return error == -EILSEQ ? -ESTALE : error;
}

static int encode_source(struct lod_record_job *job, uint32_t file, uint64_t *reserved_bytes)
{
    const struct lod_write *write = job->write;
    struct lod_source *source = &write->list->at[file];
    struct lod_encoded item = {0};
    uint64_t bytes = 0;

    int error = read_item(job, source);
    if (error) {
        return lod_record_job_unreadable(job, file, error);
    }
    grow_reservation(write, source->encoder, lod_buf_span(&job->buffer), reserved_bytes);
    error = encode_item(job, source, &item);
    if (error == -ESTALE) {
        lod_encoded_finish(&item);
        return lod_record_job_unreadable(job, file, error);
    }
    error = error ? error : join_header(job, source->encoder, &item);
    error = error ? error : append_groups(job, &item, &bytes);
    if (!error) {
        memcpy(lod_record_job_slot(job, file)->row, item.row, LOD_ROW_BYTES);
        lod_record_job_label(job, job->count - 1);
        error = lod_magic_of_encoded(job, &item);
        source->why = item.whole;
        source->no_levels = item.exact;
        lod_progress_add(write->progress, 1, lod_subitems_weight(source), bytes);
    }
    lod_encoded_finish(&item);
    return error;
}

/* An encoder that has no quick answer encodes the source again. */
static void ask_why(struct lod_record_job *job, struct lod_source *source)
{
    const struct lod_encoder *encoder = source->encoder;
    struct lod_encoded item = {0};
    const char *why = NULL;

    if (encoder->why_whole) {
        why = encoder->why_whole(lod_buf_span(&job->buffer));
    } else if (encode_item(job, source, &item) == 0) {
        why = item.whole;
        source->no_levels = item.exact;
    }
    lod_encoded_finish(&item);
    source->why = why ? why : source->why;
}

void lod_encode_explain(struct lod_record_job *job, uint32_t file)
{
    const struct lod_write *write = job->write;
    struct lod_source *source = &write->list->at[file];

    if ((!source->encoder->why_whole && !source->encoder->apart) || source->parts) {
        return;
    }
    uint64_t reserved_bytes = lod_memory_semaphore_take(write->budget, WORK_FACTOR * source->bytes);
    if (read_item(job, source) == 0) {
        grow_reservation(write, source->encoder, lod_buf_span(&job->buffer), &reserved_bytes);
        ask_why(job, source);
    }
    lod_buf_finish(&job->buffer);
    lod_memory_semaphore_release(write->budget, reserved_bytes);
}

static int encode_all(struct lod_record_job *job)
{
    const struct lod_write *write = job->write;
    int error = 0;

    lod_magic_begin(job);
    for (uint32_t i = 0; !error && i < job->record->count; i++) {
        uint32_t file = write->order->files[job->record->first + i];
        error = lod_cancel_poll(write->stop);
        if (!error) {
            uint64_t reserved_bytes = lod_memory_semaphore_take(
                write->budget, WORK_FACTOR * lod_subitems_weight(&write->list->at[file]));
            error = encode_source(job, file, &reserved_bytes);
            if (job->buffer.room > BUFFER_KEEP_BYTES) {
                lod_buf_finish(
                    &job->buffer); /* frees a large source together with its reservation */
            }
            lod_memory_semaphore_release(write->budget, reserved_bytes);
        }
    }
    return error;
}

static int put_all(struct lod_record_job *job, struct lod_record_writer *writer)
{
    size_t at[LOD_GROUPS_MAX] = {0};
    uint64_t bytes[LOD_GROUPS_MAX];
    int error = 0;

    for (uint32_t slot = 0; !error && slot < job->count; slot++) {
        error = lod_codec_segments(job->record->codec, job->slots[slot].row, bytes);
        for (unsigned i = 0; !error && i < LOD_GROUPS_MAX; i++) {
            if (bytes[i]) {
                error = lod_record_writer_put(writer, slot, i + 1, 0, job->groups[i].data + at[i],
                                              (size_t)bytes[i]);
                at[i] += (size_t)bytes[i];
            }
        }
    }
    return error;
}

int lod_encode_record(struct lod_record_job *job, struct lod_record_desc *ret_recd)
{
    struct lod_record_writer *writer = NULL;
    int error = encode_all(job);

    if (error || job->count == 0) {
        return error;
    }
    lod_magic_set_lists(job);
    error = lod_record_writer_create(job->write->target->made_fd, job->name, job->record->codec,
                                     job->record->cut, job->slots, job->count, &writer);
    if (!error) {
        lod_record_writer_set_apart(writer, lod_record_job_apart(job));
        error = put_all(job, writer);
    }
    error = error ? error : lod_record_writer_finish(writer, ret_recd);
    lod_record_writer_destroy(writer);
    return error ? lod_record_job_unwritten(job, error) : 0;
}

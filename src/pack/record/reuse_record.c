/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps a record that an earlier run of the same pack wrote, instead of writing it again. It must
 * be the record that this run would write: slots, sizes of sources and the cut are compared, and
 * the journal guarantees the rest. Every frame must be sound, as the header may have reached the
 * disk before the data. Reading the record costs a small part of encoding it.
 */
#include "pack/record/reuse_record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pack/record/encode.h"
#include "pack/plan/subitems.h"
#include "pack/record/magic.h"
#include "backend/file_io.h"
#include "record/metadata.h"
#include "record/record.h"
#include "record/record_header.h"
#include "sample/item_label.h"

/* The reason if encoding the source again does not give a better one. */
static const char why_whole[] = "it cannot be rewritten without loss";
static const char why_no_levels[] = "not known: its record was written by an earlier run";

/* Makes the slots of all files that are not left out, as the record should have them. */
static void lay_out(struct lod_record_job *job)
{
    const struct lod_write *write = job->write;

    for (uint32_t i = 0; i < job->record->count; i++) {
        uint32_t file = write->order->files[job->record->first + i];
        if (write->list->at[file].role == LOD_SOURCE_FILE) {
            lod_record_job_slot(job, file);
            lod_record_job_label(job, job->count - 1);
        }
    }
}

static bool is_planned(const struct lod_record_job *job, uint32_t slot,
                       const struct lod_metadata *metadata)
{
    const struct lod_source *source = &job->write->list->at[job->files[slot]];
    const uint8_t *row = metadata->bytes + (size_t)slot * LOD_ROW_BYTES;
    struct lod_path_entry entry;

    return lod_metadata_path(metadata, slot, &entry) == 0 &&
           entry.path_bytes == strlen(source->path) &&
           memcmp(entry.path, source->path, entry.path_bytes) == 0 &&
           entry.mtime == source->mtime && entry.mode == source->mode &&
           entry.node_flags == job->slots[slot].node_flags &&
           lod_row_has_label(row) == lod_row_has_label(job->slots[slot].row) &&
           (!lod_row_has_label(row) || entry.label == job->slots[slot].label) &&
           job->record->codec->source_bytes(row) == source->bytes;
}

/* Copies the rows. Returns -EBADMSG if this is not the record that this run would write. */
static int compare(struct lod_record_job *job, const struct lod_record_desc *recd,
                   const struct lod_metadata *metadata)
{
    struct lod_id id;
    int error = lod_metadata_identify(metadata, job->name, &id);

    if (error) {
        return error;
    }
    bool same = id.low == recd->id.low && id.high == recd->id.high &&
                recd->codec == job->record->codec->id && recd->cut == job->record->cut &&
                recd->apart == lod_record_job_apart(job) && recd->items == job->count;
    for (uint32_t slot = 0; same && slot < job->count; slot++) {
        same = is_planned(job, slot, metadata);
        memcpy(job->slots[slot].row, metadata->bytes + (size_t)slot * LOD_ROW_BYTES, LOD_ROW_BYTES);
        error = error ? error : lod_magic_of_kept(job, slot, metadata);
    }
    return error ? error : same ? 0 : -EBADMSG;
}

static int check_segment(struct lod_record *record, uint32_t slot, unsigned group, uint8_t *frame)
{
    const uint64_t bytes = lod_record_segment_bytes(record, slot, group);
    const unsigned shift = lod_record_desc_of(record)->frame_shift;
    int error = 0;

    for (uint64_t i = 0; !error && (i << shift) < bytes; i++) {
        error = lod_record_read_frame(record, slot, group, i, frame);
    }
    return error;
}

static int check_frames(struct lod_record_job *job, struct lod_record *record)
{
    const struct lod_record_desc *recd = lod_record_desc_of(record);
    uint8_t *frame = malloc((size_t)1 << recd->frame_shift);
    int error = frame ? 0 : -ENOMEM;

    for (uint32_t slot = 0; !error && slot < recd->items; slot++) {
        error = lod_cancel_poll(job->write->stop);
        for (unsigned group = 1; !error && group <= recd->groups; group++) {
            error = check_segment(record, slot, group, frame);
        }
    }
    free(frame);
    return error;
}

static int check(struct lod_record_job *job, struct lod_record_desc *recd)
{
    struct lod_store *store = job->write->before;
    struct lod_record *record = NULL;
    struct lod_metadata metadata = {0};
    int error = lod_record_header_read(store, job->name, recd);

    error = error ? error : lod_record_open(store, recd, &record);
    error = error ? error : lod_metadata_read(store, recd, &metadata);
    error = error ? error : compare(job, recd, &metadata);
    error = error || job->write->written_before ? error : check_frames(job, record);
    error = error ? error : lod_file_sync_at(job->write->target->records_fd, job->name);
    lod_metadata_finish(&metadata);
    lod_record_close(record);
    return error;
}

/* Returns whether --levels names the image, and it has none. */
static bool lacks_levels(const struct lod_record_job *job, uint32_t slot)
{
    const struct lod_source *source = &job->write->list->at[job->files[slot]];
    uint64_t bytes[LOD_GROUPS_MAX];

    return source->encoder->apart &&
           lod_codec_segments(job->record->codec, job->slots[slot].row, bytes) == 0 && !bytes[0];
}

static void take_over(struct lod_record_job *job, const struct lod_record_desc *recd)
{
    const struct lod_write *write = job->write;
    uint64_t bytes = 0;

    for (uint32_t slot = 0; slot < job->count; slot++) {
        struct lod_source *source = &write->list->at[job->files[slot]];
        bytes += lod_subitems_weight(source);
        const bool whole = lod_row_flags(job->slots[slot].row) & LOD_ITEM_WHOLE;
        const bool exact = lacks_levels(job, slot);
        if (whole || exact) {
            source->why = whole ? why_whole : NULL;
            source->no_levels = exact ? why_no_levels : NULL;
            if (!write->written_before) {
                lod_encode_explain(job, job->files[slot]);
            }
        }
    }
    lod_progress_add(write->progress, job->count, bytes, recd->file_bytes);
}

int lod_reuse_record(struct lod_record_job *job, struct lod_record_desc *ret_recd)
{
    struct lod_record_desc recd = {0};

    lay_out(job);
    int error = job->count ? check(job, &recd) : -ENOENT;
    if (error) {
        job->count = 0;
        return error == -ENOMEM || error == -EINTR ? error : 0;
    }
    take_over(job, &recd);
    *ret_recd = recd;
    return 0;
}

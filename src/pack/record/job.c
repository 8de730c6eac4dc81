/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that all ways of writing a record share: slots and error messages; see job.h. */
#include "pack/record/job.h"

#include <errno.h>
#include <string.h>

/* The rank of an error while writing: by record, then by file. */
#define RANK_SHIFT 32

struct lod_record_slot *lod_record_job_slot(struct lod_record_job *job, uint32_t file)
{
    const struct lod_source *source = &job->write->list->at[file];
    struct lod_record_slot *slot = &job->slots[job->count];

    *slot = (struct lod_record_slot){.path = source->path,
                                     .mtime = source->mtime,
                                     .mode = source->mode,
                                     .node_flags = source->added ? LOD_NODE_VIRTUAL : 0};
    job->files[job->count++] = file;
    return slot;
}

bool lod_record_job_has_pictures(const struct lod_record_job *job)
{
    return lod_order_record_has_pictures(job->record, job->write->pictures);
}

bool lod_record_job_apart(const struct lod_record_job *job)
{
    const uint32_t first = job->write->order->files[job->record->first];

    return job->write->list->at[first].encoder->apart;
}

void lod_record_job_label(struct lod_record_job *job, uint32_t slot)
{
    const uint32_t file = job->files[slot];

    if (job->write->labels && lod_record_job_has_pictures(job) &&
        !job->write->list->at[file].added) {
        job->slots[slot].row[0] |= LOD_ITEM_HAS_LABEL;
        job->slots[slot].label = job->write->labels[file];
    }
}

int lod_record_job_unreadable(struct lod_record_job *job, uint32_t file, int error)
{
    struct lod_source *source = &job->write->list->at[file];
    uint64_t rank = (uint64_t)job->number << RANK_SHIFT | file;

    if (source->added) {
        source = &job->write->list->at[source->owner];
    }
    return source->parts ? lod_first_error_parts(job->write->first_error, rank, source, error)
                         : lod_first_error_source(job->write->first_error, rank, source, error);
}

int lod_record_job_unwritten(struct lod_record_job *job, int error)
{
    if (error == -EINTR || error == -ENOMEM) {
        return error;
    }
    return lod_first_error_set(job->write->first_error, (uint64_t)job->number << RANK_SHIFT, error,
                               "cannot write record %s of the store: %s; no store was made",
                               job->name,
                               error == -E2BIG ? "a limit of the format is exceeded; try a smaller "
                                                 "--record-size"
                                               : strerrordesc_np(-error));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What every way of writing a record needs: slots, and the sentences of trouble; see job.h. */
#include "pack/job.h"

#include <errno.h>
#include <string.h>

/* Ranks of trouble while writing: by record, then by file. */
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

int lod_record_job_unreadable(struct lod_record_job *job, uint32_t file, int error)
{
    struct lod_source *source = &job->write->list->at[file];
    uint64_t rank = (uint64_t)job->number << RANK_SHIFT | file;

    if (source->added) {
        source = &job->write->list->at[source->owner];
    }
    return source->parts ? lod_trouble_parts(job->write->trouble, rank, source, error)
                         : lod_trouble_source(job->write->trouble, rank, source, error);
}

int lod_record_job_unwritten(struct lod_record_job *job, int error)
{
    if (error == -EINTR || error == -ENOMEM) {
        return error;
    }
    return lod_trouble_set(job->write->trouble, (uint64_t)job->number << RANK_SHIFT, error,
                           "cannot write record %s of the store: %s; no store was made", job->name,
                           error == -E2BIG ? "a limit of the format is passed; try a smaller "
                                             "--record-size"
                                           : strerrordesc_np(-error));
}

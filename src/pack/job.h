/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One record being written, and what all of them share. write.c runs the jobs; encode.c, copy.c and
 * keep.c are the ways to do one. None of them knows another.
 */
#ifndef LOD_JOB_H
#define LOD_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "budget.h"
#include "buf.h"
#include "compiler.h"
#include "encoder.h"
#include "pack/leftovers.h"
#include "pack/order.h"
#include "pack/shared.h"
#include "pack/source.h"
#include "pack/target.h"
#include "pack/trouble.h"
#include "pool.h"
#include "progress.h"
#include "stop.h"
#include "store/index_write.h"
#include "store/record_write.h"
#include "store/store.h"

/* One record as it was written. count 0: all its files were left out and it does not exist. */
struct lod_written {
    struct lod_recd recd;
    uint8_t *rows;   /* count x LOD_ROW_BYTES */
    uint32_t *files; /* count indexes in the source list */
    uint32_t count;
    bool kept; /* an earlier run wrote it */
};

/* What all records of a pack have in common. */
struct lod_write {
    int root_fd;
    bool follow;
    struct lod_source_list *list;
    const struct lod_order *order;
    const struct lod_encode_options *encode;
    const struct lod_target *target;
    struct lod_store *before; /* the target, if records of an earlier run may be kept; else NULL */
    struct lod_pool *pool;
    struct lod_stop *stop;
    struct lod_trouble *trouble;
    struct lod_progress *progress;
    struct lod_budget *budget;
    struct lod_written *written; /* order->records_count + 1: the tree record comes first */
};

/* One record on its way. */
struct lod_record_job {
    struct lod_write *write;
    const struct lod_order_record *record;
    uint32_t number;
    char name[LOD_RECORD_NAME_ROOM];
    struct lod_record_slot *slots;
    uint32_t *files;
    uint32_t count; /* slots used */
    struct lod_buf groups[LOD_GROUPS_MAX];
    struct lod_shared shared; /* headers that slots have alike */
    struct lod_buf buffer;    /* of one source, or for copying */
};

/* The next free slot gets the file's path, mode and time. Its row is the caller's. */
struct lod_record_slot *lod_record_job_slot(struct lod_record_job *job, uint32_t file);

/* `file` could not be read, see lod_trouble_source. */
LOD_MUST_CHECK int lod_record_job_unreadable(struct lod_record_job *job, uint32_t file, int error);

/* The record could not be written. Returns `error`. */
LOD_MUST_CHECK int lod_record_job_unwritten(struct lod_record_job *job, int error);

#endif

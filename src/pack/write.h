/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread pipeline: each job writes one whole record, from opening its sources to fsync. What a
 * record holds was decided by order.c, so its bytes do not depend on who writes it or when.
 *
 * Memory beside the source list: a thread holds the encoded groups of one record (about
 * 2 x record_bytes, or one large file) and a copy buffer of 4 MiB; what encoding needs on top is
 * taken from a budget shared by all threads. So: threads x (2 x record_bytes + 4 MiB) + the budget.
 */
#ifndef LOD_WRITE_H
#define LOD_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "encoder.h"
#include "budget.h"
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
#include "store/store.h"
#include "store/record_write.h"

#define LOD_WRITE_WORK_BYTES ((uint64_t)1 << 30) /* of the budget */

/* One record as it was written. count 0: all its files were left out and it does not exist. */
struct lod_written {
    struct lod_recd recd;
    uint8_t *rows;   /* count x LOD_ROW_BYTES */
    uint32_t *files; /* count indexes in the source list */
    uint32_t count;
    bool kept; /* an earlier run wrote it */
};

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

/* Writes all records of the order as number 1 and up. */
LOD_MUST_CHECK int lod_write_records(struct lod_write *write);
void lod_write_finish(struct lod_write *write);

/* One record being written; encode.c: images; copy.c: bytes as they are; keep.c: it is there. */
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

/* They fill slots and files, write the record and set *ret_recd unless count stays 0. */
LOD_MUST_CHECK int lod_encode_record(struct lod_record_job *job, struct lod_recd *ret_recd);
LOD_MUST_CHECK int lod_copy_record(struct lod_record_job *job, struct lod_recd *ret_recd);

/*
 * Takes the record over if the earlier run finished it: slots, rows, files as if it had been
 * written. Not sound, or not what this run would write: count is 0. -ENOMEM, -EINTR.
 */
LOD_MUST_CHECK int lod_keep_record(struct lod_record_job *job, struct lod_recd *ret_recd);

/* The next free slot gets the file's path, mode and time. Its row is the caller's. */
struct lod_record_slot *lod_record_job_slot(struct lod_record_job *job, uint32_t file);

/* `file` could not be read, see lod_trouble_source. */
LOD_MUST_CHECK int lod_record_job_unreadable(struct lod_record_job *job, uint32_t file, int error);

/* The record could not be written. Returns `error`. */
LOD_MUST_CHECK int lod_record_job_unwritten(struct lod_record_job *job, int error);

#endif

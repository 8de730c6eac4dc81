/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job writes one record. This is its state, and the state that all jobs share. write.c runs the
 * jobs; encode.c, copy.c and reuse_record.c are the three ways to do one, independent of each
 * other.
 */
#ifndef LOD_JOB_H
#define LOD_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/memory_semaphore.h"
#include "buf.h"
#include "compiler.h"
#include "encoder.h"
#include "pack/target/stale_files.h"
#include "pack/plan/order.h"
#include "pack/record/header_dedup.h"
#include "pack/source/source.h"
#include "pack/target/target.h"
#include "pack/source/first_error.h"
#include "pool.h"
#include "terminal/progress.h"
#include "terminal/cancel.h"
#include "index/index_write.h"
#include "record/record_write.h"
#include "backend/store.h"

/* A written record. If count is 0, all its files were left out, and it does not exist. */
struct lod_written {
    struct lod_record_desc recd;
    uint8_t *rows;   /* count x LOD_ROW_BYTES */
    uint32_t *files; /* count indexes in the source list */
    uint32_t count;
    int32_t *labels;       /* of its items, if their rows have them; else NULL */
    struct lod_buf magics; /* lists of magic words of its items */
    bool kept;             /* an earlier run wrote the record */
    bool missing;          /* the record should exist but does not */
};

/* The state that all jobs share. */
struct lod_write {
    int root_fd;
    bool follow;
    struct lod_source_list *list;
    const struct lod_order *order;
    const int32_t *labels; /* by index of the list; NULL: folders are labels */
    const struct lod_encode_options *encode;
    const struct lod_target *target;
    struct lod_store *before; /* the target, if records of an earlier run may be kept; else NULL */
    struct lod_pool *pool;
    struct lod_cancel *stop;
    struct lod_first_error *first_error;
    struct lod_progress *progress;
    struct lod_memory_semaphore *budget;
    uint32_t first, count; /* the records of the order that are written */
    bool written_before;   /* parts have written the records: each exists or is missing, none is
                              written here, and only headers and metadata are read */
    bool pictures;         /* the store has items of picture codecs */
    struct lod_written *written; /* order->records_count + 1: the tree record comes first */
};

/* A job: the record that is being written. */
struct lod_record_job {
    struct lod_write *write;
    const struct lod_order_record *record;
    uint32_t number;
    char name[LOD_RECORD_NAME_ROOM];
    struct lod_record_slot *slots;
    uint32_t *files;
    uint32_t count; /* slots used */
    struct lod_buf groups[LOD_GROUPS_MAX];
    struct lod_header_dedup shared; /* headers that several slots share */
    struct lod_buf buffer;          /* of one source, or for copying */
    uint64_t reserved;              /* of the budget, for files that are held; see raw_hold.h */
    struct lod_buf magics;          /* the slots' lists of magic words; see magic.h */
    uint32_t magic_words;
};

/* Returns the next free slot, with the file's path, mode and time. The caller sets its row. */
struct lod_record_slot *lod_record_job_slot(struct lod_record_job *job, uint32_t file);

/* Returns whether its items can lead samples. */
bool lod_record_job_has_pictures(const struct lod_record_job *job);

/* Returns whether its images may have levels: they stand apart from others of their codec. */
bool lod_record_job_apart(const struct lod_record_job *job);

/* Gives the slot of a picture its label, once it has a row. */
void lod_record_job_label(struct lod_record_job *job, uint32_t slot);

/* Reports that `file` could not be read; see lod_first_error_source. */
LOD_MUST_CHECK int lod_record_job_unreadable(struct lod_record_job *job, uint32_t file, int error);

/* Reports that the record could not be written. Returns `error`. */
LOD_MUST_CHECK int lod_record_job_unwritten(struct lod_record_job *job, int error);

#endif

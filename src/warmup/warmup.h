/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Brings the records of a store into the tier in front of it, up to a fidelity. Bytes that are
 * there are not loaded again, so a run that was interrupted continues where it stopped. It checks
 * no frame hashes: readers do that.
 */
#ifndef LOD_WARMUP_H
#define LOD_WARMUP_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "dataset/dataset.h"
#include "terminal/cancel.h"
#include "terminal/progress.h"
#include "warmup/warm_records.h"

#define LOD_WARMUP_THREADS_MAX 64u

struct lod_warmup {
    struct lod_dataset *dataset; /* opened with a tier */
    enum lod_fidelity fidelity;
    bool evict;        /* slices that no job lists are evicted for these records */
    unsigned threads;  /* at most this many loads at a time, */
    bool fixed;        /* or exactly as many */
    const char *mount; /* absolute; its readers go first, unless `fixed`; borrowed; NULL: none */
    const struct lod_warm_records *records;
    struct lod_progress *progress;
    struct lod_cancel *cancel;
};

struct lod_warmup_counts {
    uint64_t records, bytes; /* of all that is wanted */
    uint64_t there;          /* bytes that were in the tier before the run, */
    uint64_t loaded;         /* that are now, */
    uint64_t left_out;       /* and bytes for which the tier has no room */
    uint64_t failed;         /* records that cannot be read */
    uint32_t first_failed;
    int first_error;
};

/* Returns -EINTR, or -EIO if the tier's disk fails. Records that cannot be read are counted in the
 * result, and are no error. */
LOD_MUST_CHECK int lod_warmup_run(const struct lod_warmup *warmup,
                                  struct lod_warmup_counts *ret_counts);

#endif

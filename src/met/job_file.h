/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of a mini-epoch job, `lodfs met`: its mount, its folder and its state. It is the
 * checkpoint, so it is replaced by rename. It is read as untrusted input.
 */
#ifndef LOD_JOB_FILE_H
#define LOD_JOB_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "order/met_state.h"
#include "report/atomic_file.h"

#define LOD_JOB_FILE_BYTES (16u << 10)

struct lod_met_job {
    char mount[PATH_MAX];  /* its root */
    char folder[PATH_MAX]; /* below it, such as q4/train or auto */
    uint64_t number;       /* identifies the job's list to the mount */
    uint64_t room_max;     /* memory that the user allows, in bytes */
    bool begun;            /* the current repeat of `state` was printed for the job */
    struct lod_met_state state;
};

/*
 * Opens the file at `path` and locks it, as long as *ret_fd is open. Returns LOD_EXIT_OK, or an
 * exit code after a message on stderr: LOD_EXIT_LOCKED, LOD_EXIT_USAGE, LOD_EXIT_FAILED.
 */
LOD_MUST_CHECK int lod_job_file_open(const char *path, struct lod_met_job *ret_job, int *ret_fd);

/* Writes the job to a temporary file; lod_job_file_commit renames it. With `replaces` it replaces
 * the old file, else it must be a new one. Exit codes as above. */
LOD_MUST_CHECK int lod_job_file_write(const char *path, const struct lod_met_job *job,
                                      bool replaces, struct lod_atomic_file *ret_file);

/* Renames the file to its name. Exit codes as above. */
LOD_MUST_CHECK int lod_job_file_commit(struct lod_atomic_file *file);

#endif

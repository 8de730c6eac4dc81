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
#include "report/whole_file.h"

#define LOD_JOB_FILE_BYTES (16u << 10)

struct lod_met_job {
    char mount[PATH_MAX];  /* its root */
    char folder[PATH_MAX]; /* below it, such as q4/train or auto */
    uint64_t number;       /* of the list that the mount is told */
    uint64_t room_max;     /* that the user allows */
    bool begun;            /* the repeat of the state was given out */
    struct lod_met_state state;
};

/*
 * Opens the file at `path` and locks it, as long as *ret_fd is open. Returns LOD_EXIT_OK, or an
 * exit code after a message on stderr: LOD_EXIT_LOCKED, LOD_EXIT_USAGE, LOD_EXIT_FAILED.
 */
LOD_MUST_CHECK int lod_job_file_open(const char *path, struct lod_met_job *ret_job, int *ret_fd);

/* Writes a file that gets its name, in place of the old one or as a new one, by
 * lod_whole_file_commit. Exit codes as above. */
LOD_MUST_CHECK int lod_job_file_write(const char *path, const struct lod_met_job *job,
                                      bool replaces, struct lod_whole_file *ret_file);

/* Gives it its name. Exit codes as above. */
LOD_MUST_CHECK int lod_job_file_commit(struct lod_whole_file *file);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the daemon of a mount for its process id and store. It may not answer. */
#ifndef LOD_MOUNT_QUERY_H
#define LOD_MOUNT_QUERY_H

#include <limits.h>
#include <sys/types.h>

#include "compiler.h"

struct lod_mount_answer {
    pid_t pid;            /* of the daemon */
    char store[PATH_MAX]; /* location of the store; only root and the mounter get it, others "" */
};

/*
 * Returns -ETIMEDOUT without an answer within two seconds, -ENODEV if no lodfs daemon is there, or
 * this user may not ask it.
 */
LOD_MUST_CHECK int lod_mount_query(const char *mountpoint, struct lod_mount_answer *ret_answer);

#endif

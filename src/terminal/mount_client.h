/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to the daemon of a mount, by the files in MOUNT/.lodfs. */
#ifndef LOD_MOUNT_CLIENT_H
#define LOD_MOUNT_CLIENT_H

#include "compiler.h"
#include "mount/control.h"

/* Opens a file of .lodfs of the mount at `mount`. Returns a negative errno after a message on
 * stderr. */
LOD_MUST_CHECK int lod_mount_client_open(const char *mount, const char *file, int *ret_fd);

/* Switches auto. Returns when every later open sees the new fidelity. Errors as above. */
LOD_MUST_CHECK int lod_mount_client_set(int fd, const char *mount, enum lod_fidelity fidelity);

/*
 * Announces the records that a job will read; `fd` is MOUNT/.lodfs/control. A long list takes
 * several requests. Returns a negative errno without a message: -EPERM for other users, -ENOTTY
 * from an older daemon, and those of lod_prefetch_announce.
 */
LOD_MUST_CHECK int lod_mount_client_ahead(int fd, const struct lod_ahead_request *request,
                                          struct lod_ahead_answer *ret_answer);

/* Reads a file of .lodfs, NUL-terminated; the caller frees it. Errors as above. */
LOD_MUST_CHECK int lod_mount_client_text(const char *mount, const char *file, char **ret_text);

/* The same without a message. */
LOD_MUST_CHECK int lod_mount_client_look(const char *mount, const char *file, char **ret_text);

#endif

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

/* Reads MOUNT/.lodfs/stats, NUL-terminated; the caller frees it. Errors as above. */
LOD_MUST_CHECK int lod_mount_client_stats(const char *mount, char **ret_text);

#endif

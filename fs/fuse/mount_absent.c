/* SPDX-License-Identifier: Apache-2.0 */
/* In place of mount.c in a build without libfuse, as `pip install .` makes where it is missing. */
#include <errno.h>

#include "fuse/mount.h"
#include "log.h"

int lod_mount_run(const struct lod_mount_options *options)
{
    lod_log(LOD_LOG_ERROR,
            "%pE: this lodfs was built without libfuse, so it cannot mount; install libfuse3-dev "
            "and build it again",
            options->mountpoint);
    return -ENOTSUP;
}

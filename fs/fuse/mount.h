/* SPDX-License-Identifier: Apache-2.0 */
/* A mount from its options to its end: session, background, loop. Only this module uses libfuse. */
#ifndef LOD_MOUNT_H
#define LOD_MOUNT_H

#include <stdbool.h>

#include "compiler.h"
#include "option.h"

struct lod_mount_options {
    const char *store;
    const char *mountpoint;
    struct lod_option_list o; /* the texts of -o */
    bool foreground;          /* -f */
    bool debug;               /* -d, implies -f */
    bool single;              /* -s */
    bool verbose;             /* -v */
    const char *log_file;     /* --log-file; NULL: none */
    bool mount8; /* called by mount(8): its words in `o` (rw, nofail, user, ..) are ignored */
    bool sloppy; /* unknown words in `o` are ignored with a warning */
};

/*
 * Mounts and serves until the mount is unmounted, or a signal SIGTERM, SIGINT or SIGHUP. In the
 * background the calling process returns when the mount is usable, or after an error, whose reason
 * is printed on stderr. Returns 0, -ENOENT for a missing store only, -EINVAL for bad options, or
 * another negative errno.
 */
LOD_MUST_CHECK int lod_mount_run(const struct lod_mount_options *options);

/* Unmounts MOUNTPOINT (lazily: even while in use). Prints the reason of a failure. */
LOD_MUST_CHECK int lod_mount_end(const char *mountpoint, bool lazy);

#endif

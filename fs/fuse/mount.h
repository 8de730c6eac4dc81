/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mounted dataset from option string to clean end: session, background, loop. With ops.c the only
 * source that sees libfuse.
 */
#ifndef LOD_MOUNT_H
#define LOD_MOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"

struct lod_mount_options {
    const char *store;
    const char *mountpoint;
    const char *o;   /* all -o texts joined by ','; NULL: none */
    bool foreground; /* -f */
    bool debug;      /* -d, implies -f */
    bool single;     /* -s */
    bool mount8;     /* mount(8) calls: its own words in `o` (rw, nofail, user, ..) are dropped */
    bool sloppy;     /* unknown words in `o` are dropped with a warning */
};

/*
 * Mounts and serves until unmounted or SIGTERM, SIGINT, SIGHUP. In the background the calling
 * process returns when the mount is usable, or with the reason why not; the reason is already
 * printed on stderr. 0, or a negative errno: -ENOENT no store (and nothing else), -EINVAL bad
 * options, others as they came.
 */
LOD_MUST_CHECK int lod_mount_run(const struct lod_mount_options *options);

/* Unmounts MOUNTPOINT (lazily: even while in use). The reason of a failure is printed. */
LOD_MUST_CHECK int lod_mount_end(const char *mountpoint, bool lazy);

#endif

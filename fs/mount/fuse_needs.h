/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the machine for the things that a mount needs. */
#ifndef LOD_FUSE_NEEDS_H
#define LOD_FUSE_NEEDS_H

#include "compiler.h"

/*
 * Checks that there is a device of FUSE and, for a process without the right to mount, the program
 * fusermount3. Prints what is missing. Returns -ENODEV or -ENOSYS. If the device cannot be opened
 * for any other reason, libfuse reports it later.
 */
LOD_MUST_CHECK int lod_fuse_needs_check(const char *mountpoint);

#endif

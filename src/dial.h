/* SPDX-License-Identifier: Apache-2.0 */
/* Speaking to the daemon of a mount: MOUNT/.lodfs/control. */
#ifndef LOD_DIAL_H
#define LOD_DIAL_H

#include "compiler.h"
#include "control.h"

/* Opens the control file of the mount at `mount`. A negative errno after a printed line. */
LOD_MUST_CHECK int lod_dial_open(const char *mount, int *ret_fd);

/* Returns when every open from then on sees the new fidelity. As lod_dial_open. */
LOD_MUST_CHECK int lod_dial_set(int fd, const char *mount, enum lod_fidelity fidelity);
LOD_MUST_CHECK int lod_dial_stats(int fd, const char *mount, struct lod_ioc_stats *ret_stats);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the folder of a tier, and checks that it can be one. */
#ifndef LOD_TIER_FOLDER_H
#define LOD_TIER_FOLDER_H

#include <stddef.h>

#include "backend/why.h"
#include "compiler.h"

/*
 * Opens `folder` if it is the user's own, closed to others, and on a local file system. Otherwise
 * `why` gets one sentence with the reason and what to do. -ENOENT, -ENOTDIR, -EPERM, -ENOTSUP, or
 * another error of open(2).
 */
LOD_MUST_CHECK int lod_tier_folder_open(const char *folder, int *ret_fd, struct lod_why *why);

#endif

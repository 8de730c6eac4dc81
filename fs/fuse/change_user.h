/* SPDX-License-Identifier: Apache-2.0 */
/* -o setuid=: the process changes its user permanently. */
#ifndef LOD_CHANGE_USER_H
#define LOD_CHANGE_USER_H

#include "compiler.h"

/*
 * Changes the process to the user with this name or number: user id, group ids and HOME. Call it
 * before threads start. Returns -EINVAL if there is no such user, or -EPERM, after a logged line.
 */
LOD_MUST_CHECK int lod_change_user(const char *user);

#endif

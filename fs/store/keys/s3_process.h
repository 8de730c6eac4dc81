/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the credential_process of a profile. It has a session of its own and no terminal, and it is
 * killed together with all processes that it started in that session.
 */
#ifndef LOD_S3_PROCESS_H
#define LOD_S3_PROCESS_H

#include <stddef.h>

#include "backend/why.h"
#include "compiler.h"
#include "keys/s3_wait.h"

/*
 * Runs the command by /bin/sh and takes up to `room` bytes of its output. `why` gets the end of a
 * sentence, which holds nothing of the command and its output: -ETIMEDOUT it ran too long; -E2BIG
 * it prints too much; -EACCES it failed; -EINTR the wait was ended.
 */
LOD_MUST_CHECK int lod_s3_process_run(const char *command, const struct lod_s3_wait *wait,
                                      char *text, size_t room, size_t *ret_bytes,
                                      struct lod_why *why);

#endif

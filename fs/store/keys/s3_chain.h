/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys that a user has for S3. They are taken from the first of these sources that has any: the
 * environment, unless a profile is named; the profile's keys; its credential_process; the role of
 * the container; the role of the instance.
 */
#ifndef LOD_S3_CHAIN_H
#define LOD_S3_CHAIN_H

#include "backend/why.h"
#include "compiler.h"
#include "keys/s3_keys.h"
#include "keys/s3_wait.h"

/* As lod_s3_keys_read. If the settings contain no keys, asks the profile's program or the machine's
 * role services for them. -EACCES: none of them gave any. */
LOD_MUST_CHECK int lod_s3_chain_read(const char *profile, const struct lod_s3_wait *wait,
                                     struct lod_s3_keys *ret_keys, struct lod_why *why);

/*
 * Returns for how many seconds keys that expire at `expires_s` are used before new ones are read;
 * 0: for ever. That is until 5 minutes before. Keys that live for less than 10 minutes are used for
 * half of that time. Those that seem to be expired are used for a minute: the clock may be wrong.
 */
uint64_t lod_s3_chain_seconds(int64_t expires_s, int64_t now_s);

#endif

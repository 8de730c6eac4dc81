/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a store from the written records: writes the tree record, the index,
 * and last the manifest. */
#ifndef LOD_COMMIT_H
#define LOD_COMMIT_H

#include <cjson/cJSON.h>
#include <stdint.h>

#include "compiler.h"
#include "pack/record/write.h"

/*
 * `options` and `scans` are stored in the tree record and the manifest. Both are borrowed, and
 * `scans` may be NULL. On success the target keeps everything. Errors except -ENOMEM have a
 * message.
 */
LOD_MUST_CHECK int lod_commit(struct lod_write *write, struct lod_target *target, cJSON *options,
                              cJSON *scans, uint64_t *ret_store_bytes);

#endif

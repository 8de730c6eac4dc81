/* SPDX-License-Identifier: Apache-2.0 */
/* From written records to a store: the tree record, the index, and the manifest last. */
#ifndef LOD_COMMIT_H
#define LOD_COMMIT_H

#include <cjson/cJSON.h>
#include <stdint.h>

#include "compiler.h"
#include "pack/write.h"

/*
 * `options` and `scans` go into the tree record and the manifest; borrowed, `scans` may be NULL.
 * On success the target keeps everything. Errors but -ENOMEM have their sentence in `trouble`.
 */
LOD_MUST_CHECK int lod_commit(struct lod_write *write, struct lod_target *target, cJSON *options,
                              cJSON *scans, uint64_t *ret_store_bytes);

#endif

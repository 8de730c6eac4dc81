/* SPDX-License-Identifier: Apache-2.0 */
/* The size and the plan of a file as a mount shows it, framed files too. */
#ifndef LOD_SHOWN_FILE_H
#define LOD_SHOWN_FILE_H

#include <stdint.h>

#include "compiler.h"
#include "plan.h"
#include "shard/shard_read.h"
#include "views/namespace.h"

struct lod_contents {
    uint64_t bytes;       /* of a file, or of a link's target; 0 for a folder */
    struct lod_item item; /* of a file that is not framed, like the next */
    struct lod_plan plan;
};

/*
 * Returns -ENOENT if the file is not shown. Other errors: its rows cannot be read, or an error of
 * lod_shard_bytes. Not for fixed numbers and links `auto`, which a mount changes.
 */
LOD_MUST_CHECK int lod_shown_contents(struct lod_dataset *dataset, struct lod_shard_reader *shards,
                                      const struct lod_found *found,
                                      struct lod_contents *ret_contents);

#endif

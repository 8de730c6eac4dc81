/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SPLIT.classes.txt: the names of the folders that make the classes of a split, one a line; line i
 * has the name of label i. SUMS has the size of this list.
 */
#ifndef LOD_CLASS_LIST_H
#define LOD_CLASS_LIST_H

#include <stdint.h>

#include "compiler.h"
#include "views/shards.h"

/* Writes bytes [from, to) of the list, which are inside of it. -EIO: already logged. */
LOD_MUST_CHECK int lod_class_list_read(struct lod_dataset *dataset, const struct lod_shard *shard,
                                       uint64_t from, uint64_t to, uint8_t *into);

#endif

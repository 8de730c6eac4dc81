/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files are hard links of one another: the index has them as further names like equal files;
 * the list of the tree record tells them apart. 8 bytes a hard link.
 */
#ifndef LOD_TWINS_H
#define LOD_TWINS_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "dataset.h"
#include "list.h"

struct lod_twin {
    uint32_t node, owner;
};

struct lod_twins {
    LOD_LIST(struct lod_twin); /* by node */
};

/* -EBADMSG and the like: a tree list cannot be read to its end; what was read is there. -ENOMEM. */
LOD_MUST_CHECK int lod_twins_read(struct lod_dataset *dataset, struct lod_twins *ret_twins);
void lod_twins_finish(struct lod_twins *twins);

/* Is the node a hard link of another? NULL: no. */
const struct lod_twin *lod_twins_find(const struct lod_twins *twins, uint32_t node);

#endif

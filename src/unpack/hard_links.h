/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds hard links. In the index they look like equal files; only the tree list distinguishes them.
 * Takes 8 bytes for each hard link.
 */
#ifndef LOD_HARD_LINKS_H
#define LOD_HARD_LINKS_H

#include <stdint.h>

#include "compiler.h"
#include "dataset/dataset.h"
#include "list.h"

struct lod_hard_link {
    uint32_t node, owner;
};

struct lod_hard_links {
    LOD_LIST(struct lod_hard_link); /* sorted by node */
};

/* Returns -EBADMSG and the like if the tree list cannot be read to its end; the links found before
 * that are kept. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_hard_links_read(struct lod_dataset *dataset,
                                       struct lod_hard_links *ret_links);
void lod_hard_links_finish(struct lod_hard_links *links);

/* Returns the entry of a node that is a hard link of another one, or NULL. */
const struct lod_hard_link *lod_hard_links_find(const struct lod_hard_links *links, uint32_t node);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The store being served, opened as a mount opens it. */
#ifndef LOD_SERVED_H
#define LOD_SERVED_H

#include "read/reader.h"

#define READ_BYTES 100000u    /* of one read: several pieces and frames */
#define WORK_BYTES (2u << 20) /* of makers: room for a unit of the tables here */

/* Numbers of the forms of a file in a mount: each fidelity of the tree,
 * then three computed forms. */
enum { SHOWN_TREE_END = LOD_ORIGINAL + 1, SHOWN_END = SHOWN_TREE_END + 3 };

struct served {
    struct lod_dataset *dataset;
    struct lod_index *index;
    struct lod_reader *reader;
};

/* Opens the store. Returns 1 if it is refused without a reason. */
LOD_MUST_CHECK int served_open(struct served *ret_served);
void served_close(struct served *served);

/* Plans form `shown`, from LOD_Q1, of a file, as a mount does. Returns 0, -ENOENT, -EIO or
 * -EILSEQ. */
LOD_MUST_CHECK int served_plan(struct served *served, const struct lod_node *node, unsigned shown,
                               struct lod_item *ret_item, struct lod_plan *ret_plan);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The store being served, opened as a mount opens it. */
#ifndef LOD_SERVED_H
#define LOD_SERVED_H

#include "reader.h"

#define READ_BYTES 100000u    /* of one read: pieces and frames end inside */
#define WORK_BYTES (2u << 20) /* of makers: room for a unit of the tables here */

/* What a mount shows of a file: each fidelity of the tree, and other forms that are made. */
enum { SHOWN_TREE_END = LOD_ORIGINAL + 1, SHOWN_END = SHOWN_TREE_END + 3 };

struct served {
    struct lod_dataset *dataset;
    struct lod_index *index;
    struct lod_reader *reader;
};

/* 1: it is refused, and no reason is given. */
LOD_MUST_CHECK int served_open(struct served *ret_served);
void served_close(struct served *served);

/* What a mount would show of a file, `shown` from LOD_Q1: -ENOENT, -EIO, -EILSEQ. */
LOD_MUST_CHECK int served_plan(struct served *served, const struct lod_node *node, unsigned shown,
                               struct lod_item *ret_item, struct lod_plan *ret_plan);

#endif

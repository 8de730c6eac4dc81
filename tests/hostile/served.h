/* SPDX-License-Identifier: Apache-2.0 */
/* The store being served, opened as a mount opens it. */
#ifndef LOD_SERVED_H
#define LOD_SERVED_H

#include "reader.h"

#define READ_BYTES 100000u /* of one read: pieces and frames end inside */

struct served {
    struct lod_dataset *dataset;
    struct lod_index *index;
    struct lod_reader *reader;
};

/* 1: it is refused, and no reason is given. */
LOD_MUST_CHECK int served_open(struct served *ret_served);
void served_close(struct served *served);

/* What a mount would show of an item: -ENOENT, -EIO, -EILSEQ. */
LOD_MUST_CHECK int served_plan(struct served *served, uint32_t item, enum lod_fidelity fidelity,
                               struct lod_item *ret_item, struct lod_plan *ret_plan);

#endif

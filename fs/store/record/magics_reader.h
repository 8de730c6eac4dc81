/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads labels and lists of magic words from the metadata of records, for the tree of samples of an
 * index. It keeps the metadata that it read last, because items are requested in order.
 */
#ifndef LOD_MAGICS_READER_H
#define LOD_MAGICS_READER_H

#include "compiler.h"
#include "index/index.h"
#include "record/metadata.h"

/* The caller sets the first three, and finishes `metadata`. One thread. */
struct lod_magics_reader {
    struct lod_index *index;
    void *ctx;
    int (*read)(void *ctx, const struct lod_record_desc *recd, struct lod_metadata *ret_metadata);

    struct lod_metadata metadata; /* of record `record` */
    uint32_t record;
};

/* For struct lod_sample_tree; `ctx` is the reader. Errors are those of `read` and of the index. */
LOD_MUST_CHECK int lod_magics_reader_get(void *ctx, uint32_t item, struct lod_magics *ret_magics);
LOD_MUST_CHECK int lod_magics_reader_label(void *ctx, uint32_t item, int32_t *ret_label);

#endif

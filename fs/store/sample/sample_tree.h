/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nodes, items and records of a store, from which samples are derived. An index writer has them
 * in memory, a reader in blocks; both derive the same samples.
 */
#ifndef LOD_SAMPLE_TREE_H
#define LOD_SAMPLE_TREE_H

#include <stdint.h>

#include "backend/format.h"
#include "codec.h"
#include "sample/magic_list.h"

struct lod_sample_node {
    uint32_t number, parent;
    uint32_t first, count; /* for a folder: its children */
    uint32_t item;         /* for a file */
    int64_t mtime;
    uint16_t mode; /* S_IFMT and 0777 */
    uint8_t flags; /* LOD_NODE_* */
};

struct lod_sample_record {
    uint32_t first_item, items, cut;
    uint8_t codec;
    uint8_t kind; /* below LOD_RECORD_KINDS */
};

/* Numbers are below the totals. Functions return 0, or the error of an unreadable row. */
struct lod_sample_tree {
    uint32_t nodes, items, records;
    uint64_t seed; /* of the keys of names */
    void *ctx;
    int (*node)(void *ctx, uint32_t number, struct lod_sample_node *ret);
    int (*name)(void *ctx, uint32_t number, char name[LOD_NAME_MAX + 1]);
    int (*path)(void *ctx, uint32_t number, char path[LOD_PATH_MAX + 1]);
    int (*item)(void *ctx, uint32_t number, uint8_t row[LOD_ROW_BYTES]); /* with its own node */
    int (*record)(void *ctx, uint32_t number, struct lod_sample_record *ret);
    int (*record_of)(void *ctx, uint32_t item, struct lod_sample_record *ret);

    /* Facts of metadata: the label of an item whose row has LOD_ITEM_HAS_LABEL; the list of magic
     * words of an item that has one, valid until the next call. NULL: they are not wanted. */
    void *metadata_ctx;
    int (*label)(void *ctx, uint32_t item, int32_t *ret);
    int (*magics)(void *ctx, uint32_t item, struct lod_magics *ret);
};

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts between inode numbers and (part, format, fidelity, node) by arithmetic (layout in
 * ARCHITECTURE.md). There is no table, so forget does nothing, and numbers are equal at every
 * mount.
 */
#ifndef LOD_INODE_H
#define LOD_INODE_H

#include <stdint.h>

#include "codec.h"
#include "compiler.h"
#include "sample/part.h"

/* Fixed numbers: format and fidelity 0. */
enum lod_fixed {
    LOD_INODE_ROOT = 1,
    LOD_INODE_DOT_LODFS = 2,
    LOD_INODE_CONTROL = 3,
    LOD_INODE_STATS = 4,
    LOD_INODE_METRICS = 5,
    LOD_INODE_CONFIG = 6,
    LOD_INODE_OPENMETRICS = 7,
    LOD_INODE_FIXED_LAST = LOD_INODE_OPENMETRICS, /* the last file of .lodfs */
    LOD_INODE_PARTS = 8,
};

struct lod_inode {
    uint32_t node; /* of the index, of the view's own, or a fixed number */
    /* 0: a format's folder, or with format 0 a fixed number; LOD_AUTO: the link. */
    enum lod_fidelity fidelity;
    enum lod_format format;
    unsigned kind; /* of a framed file: enum lod_framed_kind; else 0 */
    /* The part that a folder or framed file belongs to; count 0: the whole store. With number ==
     * count, and node LOD_INODE_ROOT, it is the folder parts/<count>. */
    struct lod_store_part part;
};

uint64_t lod_inode_pack(struct lod_inode inode);

/* Returns -ENOENT for an undefined value in any field, such as a stale or invented number. */
LOD_MUST_CHECK int lod_inode_unpack(uint64_t number, struct lod_inode *ret_inode);

#endif

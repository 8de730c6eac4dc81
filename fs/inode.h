/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inode number <-> (filter, format, fidelity, node), by arithmetic (layout in ARCHITECTURE.md). No
 * table, so forget does nothing and numbers are the same at every mount.
 */
#ifndef LOD_INODE_H
#define LOD_INODE_H

#include <stdbool.h>
#include <stdint.h>

#include "codec.h"
#include "compiler.h"

/* Fixed numbers: format and fidelity 0. */
enum lod_fixed {
    LOD_INODE_ROOT = 1,
    LOD_INODE_DOT_LODFS = 2,
    LOD_INODE_CONTROL = 3,
    LOD_INODE_STATS = 4,
    LOD_INODE_METRICS = 5,
    LOD_INODE_CONFIG = 6,
    LOD_INODE_OPENMETRICS = 7,
    LOD_INODE_FIXED_LAST = LOD_INODE_OPENMETRICS,
};

struct lod_inode {
    uint32_t node;              /* of the index, or the view's own; or a fixed number */
    enum lod_fidelity fidelity; /* 0: a format's folder, or (format 0) a fixed number; LOD_AUTO */
    enum lod_format format;
};

uint64_t lod_inode_pack(struct lod_inode inode);

/* -ENOENT: an undefined value in any field (a stale or made-up number). */
LOD_MUST_CHECK int lod_inode_unpack(uint64_t number, struct lod_inode *ret_inode);

#endif

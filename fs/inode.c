/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields of an inode number: bits 0..31 node, 32..35 fidelity, 36..39 format, 40..62 kept for
 * filters and record views (0 today), 63 never set. Bits 32..63 all 0: fixed numbers. Fidelity 0
 * with a format: the folder of that format, node 0. Fidelity 15: the link `auto` there, node 0.
 */
#include "inode.h"

#include <errno.h>

#define FIDELITY_AT 32
#define FORMAT_AT   36
#define FILTER_AT   40
#define FIELD_MASK  0xfu

uint64_t lod_inode_pack(struct lod_inode inode)
{
    return (uint64_t)inode.node | (uint64_t)inode.fidelity << FIDELITY_AT |
           (uint64_t)inode.format << FORMAT_AT;
}

static bool is_defined(const struct lod_inode *inode)
{
    if (inode->format >= LOD_FORMATS) {
        return false;
    }
    if (inode->fidelity == LOD_AUTO) {
        return inode->node == 0;
    }
    if (inode->fidelity != 0) {
        return lod_fidelity_name(inode->fidelity) != NULL;
    }
    return inode->format != LOD_FORMAT_TREE
               ? inode->node == 0
               : inode->node >= LOD_INODE_ROOT && inode->node <= LOD_INODE_FIXED_LAST;
}

int lod_inode_unpack(uint64_t number, struct lod_inode *ret_inode)
{
    struct lod_inode inode = {
        .node = (uint32_t)number,
        .fidelity = (enum lod_fidelity)((number >> FIDELITY_AT) & FIELD_MASK),
        .format = (enum lod_format)((number >> FORMAT_AT) & FIELD_MASK),
    };

    if (number >> FILTER_AT || !is_defined(&inode)) {
        return -ENOENT;
    }
    *ret_inode = inode;
    return 0;
}

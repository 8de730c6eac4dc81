/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bits of an inode number:
 *
 * - 0..31: node
 * - 32..35: fidelity; 0 for the folder of a format, 15 for the link `auto` in it, both with node 0
 * - 36..39: format
 * - 40..59, 62: reserved for filters, 0
 * - 60..61: kind of a framed file: the samples, or a file beside them
 * - 63: never set
 *
 * If bits 32..63 are all 0, it is a fixed number.
 */
#include "views/inode.h"

#include <errno.h>

#define FIDELITY_AT 32
#define FORMAT_AT   36
#define FILTER_AT   40
#define KIND_AT     60
#define KIND_MASK   0x3u
#define FIELD_MASK  0xfu

uint64_t lod_inode_pack(struct lod_inode inode)
{
    return (uint64_t)inode.node | (uint64_t)inode.fidelity << FIDELITY_AT |
           (uint64_t)inode.format << FORMAT_AT | (uint64_t)inode.kind << KIND_AT;
}

static bool is_defined(const struct lod_inode *inode)
{
    if (inode->format >= LOD_FORMATS || (inode->kind && inode->node == 0)) {
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
        .kind = (unsigned)(number >> KIND_AT) & KIND_MASK,
    };

    if ((number & ~((uint64_t)KIND_MASK << KIND_AT)) >> FILTER_AT || !is_defined(&inode)) {
        return -ENOENT;
    }
    *ret_inode = inode;
    return 0;
}

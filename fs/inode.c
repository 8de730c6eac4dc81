/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields of an inode number: bits 0..31 node, 32..35 fidelity, 36..39 format, 40..62 kept for
 * filters and record views (0 today), 63 never set. Bits 32..63 all 0: fixed numbers; 1 is the
 * root.
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

int lod_inode_unpack(uint64_t number, struct lod_inode *ret_inode)
{
    unsigned fidelity = (unsigned)(number >> FIDELITY_AT) & FIELD_MASK;
    unsigned format = (unsigned)(number >> FORMAT_AT) & FIELD_MASK;
    bool fixed = fidelity == 0 && number == LOD_INODE_ROOT;

    if (number >> FILTER_AT || format != LOD_FORMAT_TREE ||
        (!fixed && !lod_fidelity_name((enum lod_fidelity)fidelity))) {
        return -ENOENT;
    }
    *ret_inode = (struct lod_inode){
        .node = (uint32_t)number,
        .fidelity = (enum lod_fidelity)fidelity,
        .format = (enum lod_format)format,
    };
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bits of an inode number:
 *
 * - 0..31: node
 * - 32..35: fidelity; 0 for the folder of a format, 15 for the link `auto` in it, both with node 0
 * - 36..39: format
 * - 40..59: part k of n as n (n + 1) / 2 + k, where k = n is the folder parts/<n>; 0: the whole
 *   store
 * - 62: reserved, 0
 * - 60..61: kind of a framed file: the samples, or a file beside them
 * - 63: never set
 *
 * If bits 32..63 are all 0, it is a fixed number.
 */
#include "views/inode.h"

#include <errno.h>

#include "list.h"

#define FIDELITY_AT 32
#define FORMAT_AT   36
#define PART_AT     40
#define PART_MASK   0xfffffu
#define KIND_AT     60
#define KIND_MASK   0x3u
#define RESERVED_AT 62
#define FIELD_MASK  0xfu

/* Returns the number of part 0 of n parts. Each n has n + 1 numbers. */
static uint32_t first_part(uint32_t n)
{
    return n * (n + 1) / 2;
}

static uint32_t pack_part(struct lod_store_part part)
{
    return part.count ? first_part(part.count) + part.number : 0;
}

/* Returns false for a number above those of LOD_PARTS_MAX parts. Most numbers are in no part, so
 * nothing is searched for them. */
static bool unpack_part(uint32_t number, struct lod_store_part *ret_part)
{
    uint32_t next = 1;

    LOD_SEARCH(next, number ? LOD_PARTS_MAX + 1 : 1, first_part(middle) <= number);
    const uint32_t part = next - 1;
    *ret_part = (struct lod_store_part){(uint16_t)part, (uint16_t)(number - first_part(part))};
    return number < first_part(LOD_PARTS_MAX + 1);
}

uint64_t lod_inode_pack(struct lod_inode inode)
{
    return (uint64_t)inode.node | (uint64_t)inode.fidelity << FIDELITY_AT |
           (uint64_t)inode.format << FORMAT_AT | (uint64_t)inode.kind << KIND_AT |
           (uint64_t)pack_part(inode.part) << PART_AT;
}

/* A part has a root, folders and framed files of its own;
 * its links `auto` are those of the mount. */
static bool is_defined_in_part(const struct lod_inode *inode)
{
    const bool fixed = inode->fidelity == 0 && inode->format == LOD_FORMAT_TREE;

    return inode->part.number == inode->part.count ? fixed && inode->node == LOD_INODE_ROOT
           : fixed                                 ? inode->node == LOD_INODE_ROOT
                                                   : inode->fidelity != LOD_AUTO;
}

static bool is_defined(const struct lod_inode *inode)
{
    if (inode->format >= LOD_FORMATS || (inode->kind && inode->node == 0) ||
        (inode->part.count && !is_defined_in_part(inode))) {
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
               : inode->node >= LOD_INODE_ROOT && inode->node <= LOD_INODE_PARTS;
}

int lod_inode_unpack(uint64_t number, struct lod_inode *ret_inode)
{
    struct lod_inode inode = {
        .node = (uint32_t)number,
        .fidelity = (enum lod_fidelity)((number >> FIDELITY_AT) & FIELD_MASK),
        .format = (enum lod_format)((number >> FORMAT_AT) & FIELD_MASK),
        .kind = (unsigned)(number >> KIND_AT) & KIND_MASK,
    };

    if (number >> RESERVED_AT || !unpack_part((number >> PART_AT) & PART_MASK, &inode.part) ||
        !is_defined(&inode)) {
        return -ENOENT;
    }
    *ret_inode = inode;
    return 0;
}

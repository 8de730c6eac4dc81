/* SPDX-License-Identifier: Apache-2.0 */
/* See parts.h. */
#include "views/parts.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static bool is_fixed(const struct lod_inode *inode, uint32_t node)
{
    return inode->fidelity == 0 && inode->format == LOD_FORMAT_TREE && inode->node == node;
}

/* Returns whether it is parts/<n>. */
static bool is_count(const struct lod_inode *inode)
{
    return inode->part.count && inode->part.number == inode->part.count;
}

bool lod_parts_lists_nothing(const struct lod_inode *inode)
{
    return is_fixed(inode, LOD_INODE_PARTS) || is_count(inode);
}

int lod_parts_lookup(const struct lod_inode *folder, const char *name, struct lod_inode *ret_inode)
{
    struct lod_inode child = {.node = LOD_INODE_ROOT, .part = folder->part};
    bool found = false;

    if (is_count(folder)) {
        found = lod_part_parse(name, folder->part.count, &child.part.number);
    } else if (is_fixed(folder, LOD_INODE_PARTS)) {
        found = lod_part_parse(name, LOD_PARTS_MAX + 1, &child.part.count) && child.part.count;
        child.part.number = child.part.count;
    } else if (is_fixed(folder, LOD_INODE_ROOT) && !folder->part.count) {
        found = strcmp(name, "parts") == 0;
        child.node = LOD_INODE_PARTS;
    }
    if (found) {
        *ret_inode = child;
    }
    return found ? 0 : -ENOENT;
}

struct lod_inode lod_parts_up(const struct lod_inode *inode)
{
    struct lod_inode up = {.node = LOD_INODE_ROOT, .part = inode->part};

    if (is_count(inode)) {
        up = (struct lod_inode){.node = LOD_INODE_PARTS};
    }
    up.part.number = up.part.count;
    return up;
}

/* Returns in *ret_is whether the items of the file's record are divided among parts: pictures, and
 * raw files of a class that is not small. */
static int is_divided(struct lod_dataset *dataset, const struct lod_node *node, bool *ret_is)
{
    struct lod_record_desc recd;
    int error = lod_index_record_of(lod_dataset_index(dataset), node->ref, &recd);

    if (!error) {
        const struct lod_codec *codec = lod_codec_find(recd.codec);
        *ret_is = (codec && codec->picture_rank) ||
                  (recd.codec == LOD_CODEC_RAW && recd.cut != LOD_CUT_SMALL);
    }
    return error == -ENOENT ? -EILSEQ : error;
}

int lod_parts_have(struct lod_dataset *dataset, struct lod_store_part part,
                   const struct lod_node *node)
{
    struct lod_index *index = lod_dataset_index(dataset);
    char name[LOD_NAME_MAX + 1];
    bool divided = false;

    if (!S_ISREG(node->mode) || node->flags & LOD_NODE_VIRTUAL) {
        return 0;
    }
    int error = lod_index_name(index, node, name);
    if (error) {
        return error;
    }
    const uint64_t key = lod_name_key(name, strlen(name), lod_index_keys(index).seed);
    if (lod_part_of(key, part.count) == part.number) {
        return 0;
    }
    error = is_divided(dataset, node, &divided);
    return error ? error : divided ? -ENOENT : 0;
}

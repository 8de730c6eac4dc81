/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The root, the folders of formats and .lodfs have a few children, listed by entry_of. The children
 * of all folders below a fidelity are rows of the index.
 */
#include "views/namespace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "views/parts.h"

/* A file or folder that lodfs adds, such as `auto`: it is not in the source. */
struct entry {
    const char *name;
    struct lod_inode inode;
};

static const struct {
    const char *name; /* for files in .lodfs */
    uint16_t mode;
} fixed[] = {
    [LOD_INODE_ROOT] = {"", S_IFDIR},
    [LOD_INODE_DOT_LODFS] = {"", S_IFDIR | 0555},
    [LOD_INODE_CONTROL] = {"control", S_IFREG | 0400},
    [LOD_INODE_STATS] = {"stats", S_IFREG | 0444},
    [LOD_INODE_METRICS] = {"metrics", S_IFREG | 0444},
    [LOD_INODE_CONFIG] = {"config", S_IFREG | 0400},
    [LOD_INODE_OPENMETRICS] = {"openmetrics", S_IFREG | 0444},
    [LOD_INODE_PARTS] = {"", S_IFDIR},
};

/* Returns whether this root has this view; it can be the root of a part. A part has framed files
 * only if items are stored in the order of their keys: only then are its samples adjacent. */
static bool has_view(const struct lod_found *below, const struct lod_view *view)
{
    return !below->inode.part.count || !view->framing || below->ascend;
}

static bool is_fixed(const struct lod_inode *inode)
{
    return inode->fidelity == 0 && inode->format == LOD_FORMAT_TREE;
}

/* Returns whether its children are entries, not rows. */
static bool has_entries(const struct lod_found *folder)
{
    return folder->inode.fidelity == 0;
}

/* Returns this view's index-th entry: its fidelities, then `auto`. After the last one returns false
 * and reduces *index by their number. */
static bool fidelity_at(const struct lod_view *view, struct lod_store_part part, unsigned *index,
                        struct entry *ret_entry)
{
    for (unsigned f = LOD_Q1; f <= LOD_ORIGINAL; f++) {
        enum lod_fidelity fidelity = (enum lod_fidelity)f;
        if (view->fidelities >> f & 1 && (*index)-- == 0) {
            *ret_entry =
                (struct entry){lod_fidelity_name(fidelity),
                               {.fidelity = fidelity, .format = view->format, .part = part}};
            return true;
        }
    }
    *ret_entry = (struct entry){"auto", {.fidelity = LOD_AUTO, .format = view->format}};
    return (*index)-- == 0;
}

/* The root's entries, and a part's, which has no .lodfs. */
static bool root_entry(const struct lod_found *root, unsigned index, struct entry *ret_entry)
{
    const struct lod_store_part part = root->inode.part;
    const struct lod_view *view;

    for (unsigned i = 0; (view = lod_view_at(i)); i++) {
        if (!view->folder[0]) {
            if (fidelity_at(view, part, &index, ret_entry)) {
                return true;
            }
        } else if (has_view(root, view) && index-- == 0) {
            *ret_entry = (struct entry){view->folder, {.format = view->format, .part = part}};
            return true;
        }
    }
    *ret_entry = (struct entry){".lodfs", {.node = LOD_INODE_DOT_LODFS}};
    return index == 0 && !part.count;
}

static bool control_entry(unsigned index, struct entry *ret_entry)
{
    if (index > LOD_INODE_FIXED_LAST - LOD_INODE_CONTROL) {
        return false;
    }
    uint32_t node = LOD_INODE_CONTROL + index;
    *ret_entry = (struct entry){fixed[node].name, {.node = node}};
    return true;
}

static bool entry_of(const struct lod_found *folder, unsigned index, struct entry *ret_entry)
{
    const struct lod_store_part part = folder->inode.part;

    return lod_parts_lists_nothing(&folder->inode) ? false
           : folder->view ? fidelity_at(folder->view, part, &index, ret_entry)
           : folder->inode.node == LOD_INODE_DOT_LODFS ? control_entry(index, ret_entry)
                                                       : root_entry(folder, index, ret_entry);
}

/* Node 0 is the folder; node n is a file of row n - 1 of SUMS. */
static int find_shard(struct lod_dataset *dataset, struct lod_found *found)
{
    const struct lod_inode *inode = &found->inode;

    int error = lod_index_node(lod_dataset_index(dataset), 0, &found->node);
    if (error || inode->node == 0) {
        const uint64_t positions = lod_shard_positions(dataset, found->view->framing);
        found->node.count = positions < UINT32_MAX ? (uint32_t)positions : UINT32_MAX;
        return error;
    }
    if (inode->kind >= LOD_FRAMED_KINDS) {
        return -ENOENT;
    }
    found->node = (struct lod_node){
        .number = inode->node, .mode = S_IFREG | 0444, .mtime = found->node.mtime};
    return lod_shard_find(
        dataset, found->view->framing, inode->fidelity,
        (struct lod_shard_file){inode->node - 1, (enum lod_framed_kind)inode->kind, inode->part},
        &found->shard);
}

static int find_node(struct lod_dataset *dataset, struct lod_found *found)
{
    found->view = lod_view_of(found->inode.format);
    if (!found->view || !(found->view->fidelities >> found->inode.fidelity & 1) ||
        !has_view(found, found->view)) {
        return -ENOENT;
    }
    if (found->view->framing) {
        return find_shard(dataset, found);
    }
    if (found->inode.kind) {
        return -ENOENT;
    }
    int error = lod_index_node(lod_dataset_index(dataset), found->inode.node, &found->node);
    if (!error && found->inode.part.count && !S_ISDIR(found->node.mode)) {
        return -ENOENT; /* files have no numbers of their own in parts */
    }
    return error ? error
                 : lod_view_shows(found->view, dataset, &found->node, found->inode.fidelity);
}

/* Gives a child that this view shows in the folder its number. Returns -ENOENT if the folder is in
 * a part without it. */
static int place_child(struct lod_dataset *dataset, const struct lod_found *folder,
                       struct lod_found *child)
{
    const struct lod_store_part part = folder->inode.part;

    child->inode.node = child->node.number;
    child->inode.part = S_ISDIR(child->node.mode) ? part : (struct lod_store_part){0};
    return part.count ? lod_parts_have(dataset, part, &child->node) : 0;
}

/*
 * Finds files and folders that are not in the source: fixed numbers, folders of formats, links
 * `auto`. They have mode and mtime of the source's root, except for `auto` and .lodfs.
 */
static int find_outside_source(struct lod_dataset *dataset, struct lod_found *found)
{
    int error = lod_index_node(lod_dataset_index(dataset), 0, &found->node);
    int64_t mtime = error ? 0 : found->node.mtime;

    if (error) {
        return error;
    }
    if (!is_fixed(&found->inode)) {
        found->view = lod_view_of(found->inode.format);
        if (found->view && !has_view(found, found->view)) {
            return -ENOENT;
        }
    } else if (found->inode.node != LOD_INODE_ROOT && found->inode.node != LOD_INODE_PARTS) {
        found->node = (struct lod_node){.mode = fixed[found->inode.node].mode, .mtime = mtime};
    }
    if (found->inode.fidelity == LOD_AUTO) {
        found->node = (struct lod_node){.mode = S_IFLNK | 0777, .mtime = mtime};
    }
    return is_fixed(&found->inode) || found->view ? 0 : -ENOENT;
}

int lod_namespace_find(struct lod_dataset *dataset, uint64_t number, struct lod_found *ret_found)
{
    struct lod_found found = {.ascend = lod_index_keys(lod_dataset_index(dataset)).ascend};
    int error = lod_inode_unpack(number, &found.inode);

    if (!error) {
        bool of_source = found.inode.fidelity && found.inode.fidelity != LOD_AUTO;
        error = of_source ? find_node(dataset, &found) : find_outside_source(dataset, &found);
    }
    if (!error) {
        *ret_found = found;
    }
    return error;
}

int lod_namespace_up(struct lod_dataset *dataset, const struct lod_found *found,
                     struct lod_found *ret_found)
{
    struct lod_inode up = found->inode;

    if (is_fixed(&up) && (up.part.count || up.node == LOD_INODE_PARTS)) {
        up = lod_parts_up(&up);
    } else if (is_fixed(&up) && up.node >= LOD_INODE_CONTROL) {
        up.node = LOD_INODE_DOT_LODFS;
    } else if (has_entries(found) || (found->inode.node == 0 && !found->view->folder[0])) {
        up = (struct lod_inode){.node = LOD_INODE_ROOT, .part = up.part};
    } else if (found->inode.node == 0) {
        up.fidelity = (enum lod_fidelity)0;
    } else {
        up.node = found->node.parent;
    }
    return lod_namespace_find(dataset, lod_inode_pack(up), ret_found);
}

static int lookup_shard(struct lod_dataset *dataset, const struct lod_found *folder,
                        const char *name, struct lod_found *ret_found)
{
    struct lod_found child = *folder;
    struct lod_shard_file file;

    int error = lod_found_is_shard(folder) ? -ENOENT
                                           : lod_shard_lookup(dataset, folder->view->framing,
                                                              folder->inode.part, name, &file);
    if (!error) {
        child.inode.node = file.row + 1;
        child.inode.kind = file.kind;
        error = find_shard(dataset, &child);
    }
    if (!error) {
        *ret_found = child;
    }
    return error;
}

static int lookup_entry(struct lod_dataset *dataset, const struct lod_found *folder,
                        const char *name, struct lod_found *ret_found)
{
    struct entry entry;
    int error = lod_parts_lookup(&folder->inode, name, &entry.inode);

    for (unsigned i = 0; error && entry_of(folder, i, &entry); i++) {
        error = strcmp(entry.name, name) == 0 ? 0 : -ENOENT;
    }
    return error ? error : lod_namespace_find(dataset, lod_inode_pack(entry.inode), ret_found);
}

int lod_namespace_lookup(struct lod_dataset *dataset, const struct lod_found *folder,
                         const char *name, struct lod_found *ret_found)
{
    struct lod_found child = *folder;

    if (has_entries(folder)) {
        return lookup_entry(dataset, folder, name, ret_found);
    }
    if (folder->view->framing) {
        return lookup_shard(dataset, folder, name, ret_found);
    }
    int error = lod_view_lookup(folder->view, dataset, &folder->node, folder->inode.fidelity, name,
                                &child.node);
    error = error ? error : place_child(dataset, folder, &child);
    if (!error) {
        *ret_found = child;
    }
    return error;
}

uint64_t lod_namespace_count(const struct lod_found *folder)
{
    struct entry entry;
    unsigned count = 0;

    if (!has_entries(folder)) {
        return folder->node.count;
    }
    while (entry_of(folder, count, &entry)) {
        count++;
    }
    return count;
}

static int shard_child(struct lod_dataset *dataset, const struct lod_found *folder,
                       uint64_t position, struct lod_found *ret_child, char name[LOD_NAME_MAX + 1])
{
    const struct lod_framing *framing = folder->view->framing;
    struct lod_shard_file file = lod_shard_at(framing, position);
    struct lod_found child = *folder;

    file.part = folder->inode.part;
    child.inode.node = file.row + 1;
    child.inode.kind = file.kind;
    int error = find_node(dataset, &child);
    error = error ? error : lod_shard_name(dataset, framing, file, name);
    if (!error) {
        *ret_child = child;
    }
    return error;
}

int lod_namespace_child(struct lod_dataset *dataset, const struct lod_found *folder,
                        uint64_t position, struct lod_found *ret_child, char name[LOD_NAME_MAX + 1])
{
    struct lod_found child = *folder;
    struct entry entry;

    if (has_entries(folder)) {
        if (!entry_of(folder, (unsigned)position, &entry)) {
            return -ENOENT;
        }
        snprintf(name, LOD_NAME_MAX + 1, "%s", entry.name);
        return lod_namespace_find(dataset, lod_inode_pack(entry.inode), ret_child);
    }
    if (folder->view->framing) {
        return shard_child(dataset, folder, position, ret_child, name);
    }
    child.inode.node = folder->node.ref + (uint32_t)position;
    child.inode.part = (struct lod_store_part){0};
    int error = find_node(dataset, &child);
    error = error ? error : place_child(dataset, folder, &child);
    error = error ? error : lod_view_name(child.view, dataset, &child.node, name);
    if (!error) {
        *ret_child = child;
    }
    return error;
}

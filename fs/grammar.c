/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folders of the grammar (the root, a format's, .lodfs) have the few children that entry_of lists;
 * below a fidelity the children are rows of the index.
 */
#include "grammar.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* A child of a grammar folder. */
struct entry {
    const char *name;
    struct lod_inode inode;
};

static const struct {
    const char *name; /* in .lodfs; of .lodfs and the root: unused */
    uint16_t mode;
} fixed[] = {
    [LOD_INODE_ROOT] = {"", S_IFDIR},
    [LOD_INODE_DOT_LODFS] = {"", S_IFDIR | 0555},
    [LOD_INODE_CONTROL] = {"control", S_IFREG | 0400},
    [LOD_INODE_STATS] = {"stats", S_IFREG | 0444},
    [LOD_INODE_METRICS] = {"metrics", S_IFREG | 0444},
    [LOD_INODE_CONFIG] = {"config", S_IFREG | 0444},
    [LOD_INODE_OPENMETRICS] = {"openmetrics", S_IFREG | 0444},
};

static bool is_fixed(const struct lod_inode *inode)
{
    return inode->fidelity == 0 && inode->format == LOD_FORMAT_TREE;
}

/* Its children are entries, not rows. */
static bool is_grammar(const struct lod_found *folder)
{
    return folder->inode.fidelity == 0;
}

/* This view's index-th entry: its fidelities, then `auto`. Past the last: false, and *index less
 * their number. */
static bool fidelity_at(const struct lod_view *view, unsigned *index, struct entry *ret_entry)
{
    for (unsigned f = LOD_Q1; f <= LOD_ORIGINAL; f++) {
        enum lod_fidelity fidelity = (enum lod_fidelity)f;
        if (view->fidelities >> f & 1 && (*index)-- == 0) {
            *ret_entry = (struct entry){lod_fidelity_name(fidelity),
                                        {.fidelity = fidelity, .format = view->format}};
            return true;
        }
    }
    *ret_entry = (struct entry){"auto", {.fidelity = LOD_AUTO, .format = view->format}};
    return (*index)-- == 0;
}

static bool root_entry(unsigned index, struct entry *ret_entry)
{
    const struct lod_view *view;

    for (unsigned i = 0; (view = lod_view_at(i)); i++) {
        if (!view->folder[0]) {
            if (fidelity_at(view, &index, ret_entry)) {
                return true;
            }
        } else if (index-- == 0) {
            *ret_entry = (struct entry){view->folder, {.format = view->format}};
            return true;
        }
    }
    *ret_entry = (struct entry){".lodfs", {.node = LOD_INODE_DOT_LODFS}};
    return index == 0;
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
    return folder->view ? fidelity_at(folder->view, &index, ret_entry)
           : folder->inode.node == LOD_INODE_DOT_LODFS ? control_entry(index, ret_entry)
                                                       : root_entry(index, ret_entry);
}

static int find_node(struct lod_dataset *dataset, struct lod_found *found)
{
    found->view = lod_view_of(found->inode.format);
    if (!found->view || !(found->view->fidelities >> found->inode.fidelity & 1)) {
        return -ENOENT;
    }
    int error = lod_index_node(lod_dataset_index(dataset), found->inode.node, &found->node);
    return error ? error : found->view->shows(dataset, &found->node, found->inode.fidelity);
}

/*
 * What is not of the source: fixed numbers, the folders of formats, the links `auto`. Mode and time
 * are the source's root's, but for those that are no folder of it.
 */
static int find_grammar(struct lod_dataset *dataset, struct lod_found *found)
{
    int error = lod_index_node(lod_dataset_index(dataset), 0, &found->node);
    int64_t mtime = error ? 0 : found->node.mtime;

    if (error) {
        return error;
    }
    if (!is_fixed(&found->inode)) {
        found->view = lod_view_of(found->inode.format);
    } else if (found->inode.node != LOD_INODE_ROOT) {
        found->node = (struct lod_node){.mode = fixed[found->inode.node].mode, .mtime = mtime};
    }
    if (found->inode.fidelity == LOD_AUTO) {
        found->node = (struct lod_node){.mode = S_IFLNK | 0777, .mtime = mtime};
    }
    return is_fixed(&found->inode) || found->view ? 0 : -ENOENT;
}

int lod_grammar_find(struct lod_dataset *dataset, uint64_t number, struct lod_found *ret_found)
{
    struct lod_found found = {0};
    int error = lod_inode_unpack(number, &found.inode);

    if (!error) {
        bool of_source = found.inode.fidelity && found.inode.fidelity != LOD_AUTO;
        error = of_source ? find_node(dataset, &found) : find_grammar(dataset, &found);
    }
    if (!error) {
        *ret_found = found;
    }
    return error;
}

int lod_grammar_up(struct lod_dataset *dataset, const struct lod_found *found,
                   struct lod_found *ret_found)
{
    struct lod_inode up = found->inode;

    if (is_fixed(&up) && up.node >= LOD_INODE_CONTROL) {
        up.node = LOD_INODE_DOT_LODFS;
    } else if (is_grammar(found) || (found->inode.node == 0 && !found->view->folder[0])) {
        up = (struct lod_inode){.node = LOD_INODE_ROOT};
    } else if (found->inode.node == 0) {
        up.fidelity = (enum lod_fidelity)0;
    } else {
        up.node = found->node.parent;
    }
    return lod_grammar_find(dataset, lod_inode_pack(up), ret_found);
}

int lod_grammar_lookup(struct lod_dataset *dataset, const struct lod_found *folder,
                       const char *name, struct lod_found *ret_found)
{
    struct lod_found child = *folder;
    struct entry entry;

    for (unsigned i = 0; is_grammar(folder); i++) {
        if (!entry_of(folder, i, &entry)) {
            return -ENOENT;
        }
        if (strcmp(entry.name, name) == 0) {
            return lod_grammar_find(dataset, lod_inode_pack(entry.inode), ret_found);
        }
    }
    int error = lod_view_lookup(folder->view, dataset, &folder->node, folder->inode.fidelity, name,
                                &child.node);
    if (!error) {
        child.inode.node = child.node.number;
        *ret_found = child;
    }
    return error;
}

uint64_t lod_grammar_count(const struct lod_found *folder)
{
    struct entry entry;
    unsigned count = 0;

    if (!is_grammar(folder)) {
        return folder->node.count;
    }
    while (entry_of(folder, count, &entry)) {
        count++;
    }
    return count;
}

int lod_grammar_child(struct lod_dataset *dataset, const struct lod_found *folder,
                      uint64_t position, struct lod_found *ret_child, char name[LOD_NAME_MAX + 1])
{
    struct lod_found child = *folder;
    struct entry entry;

    if (is_grammar(folder)) {
        if (!entry_of(folder, (unsigned)position, &entry)) {
            return -ENOENT;
        }
        snprintf(name, LOD_NAME_MAX + 1, "%s", entry.name);
        return lod_grammar_find(dataset, lod_inode_pack(entry.inode), ret_child);
    }
    child.inode.node = folder->node.ref + (uint32_t)position;
    int error = lod_index_node(lod_dataset_index(dataset), child.inode.node, &child.node);
    if (!error) {
        error = child.view->shows(dataset, &child.node, child.inode.fidelity);
    }
    if (!error) {
        error = lod_view_name(child.view, dataset, &child.node, name);
    }
    if (!error) {
        *ret_child = child;
    }
    return error;
}

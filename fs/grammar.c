/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folders of the grammar (the root, a format's) have the few children that entry_of lists; below a
 * fidelity the children are rows of the index.
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

static bool is_fixed(const struct lod_inode *inode)
{
    return inode->fidelity == 0 && inode->format == LOD_FORMAT_TREE;
}

/* Its children are entries, not rows. */
static bool is_grammar(const struct lod_found *folder)
{
    return folder->inode.fidelity == 0;
}

/* The fidelity of this view's index-th entry; past its last: false, and how many it has. */
static bool fidelity_at(const struct lod_view *view, unsigned *index, struct entry *ret_entry)
{
    for (unsigned f = LOD_Q1; f <= LOD_ORIGINAL; f++) {
        if (view->fidelities >> f & 1 && (*index)-- == 0) {
            ret_entry->name = lod_fidelity_name((enum lod_fidelity)f);
            ret_entry->inode =
                (struct lod_inode){.fidelity = (enum lod_fidelity)f, .format = view->format};
            return true;
        }
    }
    return false;
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
            *ret_entry = (struct entry){.name = view->folder, .inode = {.format = view->format}};
            return true;
        }
    }
    return false;
}

static bool entry_of(const struct lod_found *folder, unsigned index, struct entry *ret_entry)
{
    return folder->view ? fidelity_at(folder->view, &index, ret_entry)
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

/* The root, and the folder of a format. */
static int find_grammar(struct lod_dataset *dataset, struct lod_found *found)
{
    if (is_fixed(&found->inode)) {
        if (found->inode.node != LOD_INODE_ROOT) {
            return -ENOENT;
        }
    } else {
        found->view = lod_view_of(found->inode.format);
        if (!found->view) {
            return -ENOENT;
        }
    }
    return lod_index_node(lod_dataset_index(dataset), 0, &found->node);
}

int lod_grammar_find(struct lod_dataset *dataset, uint64_t number, struct lod_found *ret_found)
{
    struct lod_found found = {0};
    int error = lod_inode_unpack(number, &found.inode);

    if (!error) {
        error = found.inode.fidelity ? find_node(dataset, &found) : find_grammar(dataset, &found);
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

    if (is_grammar(found) || (found->inode.node == 0 && !found->view->folder[0])) {
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

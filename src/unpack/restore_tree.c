/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Restores the tree around the files: folders and symbolic links before the files, hard links and
 * the modes and times of folders after them. A node that its folder does not list is not unpacked,
 * as a mount does not show it either.
 */
#include "unpack/work.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_listed(struct lod_unpack_work *work, const struct lod_node *node)
{
    struct lod_node parent;

    return lod_index_node(work->index, node->parent, &parent) == 0 && S_ISDIR(parent.mode) &&
           node->number >= parent.ref && node->number - parent.ref < parent.count;
}

/* Reports an error of entering a folder: `index` says whether the store or the target caused it. */
static int entered(struct lod_unpack_work *work, uint32_t node, bool index, int error)
{
    return !index || error == -ENOMEM
               ? lod_unpack_fail(work, node, "open the folder of", error)
               : lod_unpack_note(work, node, "its folder cannot be read from the index", true);
}

static int make_folder(struct lod_unpack_work *work, int fd, const struct lod_node *node,
                       const char *name)
{
    if (mkdirat(fd, name, 0700) < 0 &&
        (errno != EEXIST || !work->unfinished.resumed || lod_confined_dir_open_up(fd, name))) {
        return lod_unpack_fail(work, node->number, "make the folder", -errno);
    }
    lod_unpack_count(work, &work->result->folders, 0);
    return 0;
}

static int make_link(struct lod_unpack_work *work, int fd, const struct lod_node *node,
                     const char *name)
{
    char target[LOD_TARGET_MAX + 1];

    if (lod_index_target(work->index, node, target)) {
        return lod_unpack_note(work, node->number, "its target cannot be read from the index",
                               true);
    }
    int error = lod_confined_dir_link(fd, name, target, node);
    if (error) {
        return lod_unpack_fail(work, node->number, "make the symbolic link", error);
    }
    lod_unpack_count(work, &work->result->symlinks, 0);
    return 0;
}

static int keep_file(struct lod_unpack_work *work, const struct lod_node *node)
{
    if (lod_hard_links_find(&work->links, node->number)) {
        return 0;
    }
    return LOD_LIST_ADD(&work->files, (uint64_t)node->ref << 32 | node->number);
}

static int make_node(struct lod_unpack_work *work, struct lod_confined_dir_folder *folder,
                     const struct lod_node *node)
{
    char name[LOD_NAME_MAX + 1];
    bool index;

    if (node->flags & LOD_NODE_VIRTUAL) {
        return 0; /* made by pack, not a file of the source */
    }
    if (!is_listed(work, node)) {
        return lod_unpack_note(work, node->number, "its folder does not list it", true);
    }
    if (S_ISREG(node->mode)) {
        return keep_file(work, node);
    }
    if (lod_index_name(work->index, node, name)) {
        return lod_unpack_note(work, node->number, "its name cannot be read", true);
    }
    int error = lod_confined_dir_enter(folder, work->index, node->parent, &index);
    if (error) {
        return entered(work, node->number, index, error);
    }
    return S_ISDIR(node->mode) ? make_folder(work, folder->fd, node, name)
                               : make_link(work, folder->fd, node, name);
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

int lod_unpack_tree(struct lod_unpack_work *work)
{
    struct lod_confined_dir_folder folder;
    struct lod_node node;
    int error = 0;

    lod_progress_stage(work->options->progress, "making folders", lod_index_nodes(work->index), 0);
    lod_confined_dir_folder_init(&folder, work->root_fd);
    for (uint32_t i = 1; !error && i < lod_index_nodes(work->index); i++) {
        error = lod_cancel_poll(work->options->stop);
        if (error) {
            break;
        }
        error = lod_index_node(work->index, i, &node);
        error = error == -ENOMEM ? error
                : error ? lod_unpack_note(work, i, "it cannot be read from the index", true)
                        : make_node(work, &folder, &node);
        lod_progress_add(work->options->progress, 1, 0, 0);
    }
    lod_confined_dir_folder_finish(&folder);
    if (work->files.count) {
        qsort(work->files.at, work->files.count, sizeof(work->files.at[0]), compare);
    }
    return error;
}

/* -------------------------------------------------------------------------- at the end */

static bool are_linked(int a_fd, const char *a, int b_fd, const char *b)
{
    struct stat first, second;
    int error = errno;
    bool linked = fstatat(a_fd, a, &first, AT_SYMLINK_NOFOLLOW) == 0 &&
                  fstatat(b_fd, b, &second, AT_SYMLINK_NOFOLLOW) == 0 &&
                  first.st_dev == second.st_dev && first.st_ino == second.st_ino;

    errno = error;
    return linked;
}

/* Replaces a file that an earlier run wrote instead of a hard link, if it equals the owner's. */
static bool relink(struct lod_unpack_work *work, const struct lod_confined_dir_folder *folder,
                   const char *name, const struct lod_node *node,
                   const struct lod_confined_dir_folder *owner_folder, const char *owner_name)
{
    struct stat owner;
    char temporary[LOD_NAME_MAX + 1];
    struct lod_node parent = {0};
    bool done = work->unfinished.resumed &&
                fstatat(owner_folder->fd, owner_name, &owner, AT_SYMLINK_NOFOLLOW) == 0 &&
                lod_unpack_is_there(folder->fd, name, node, (uint64_t)owner.st_size) &&
                lod_index_node(work->index, node->parent, &parent) == 0 &&
                lod_unfinished_name(work->index, &parent, node->number, temporary) == 0;

    if (done) {
        unlinkat(folder->fd, temporary, 0);
        done = linkat(owner_folder->fd, owner_name, folder->fd, temporary, 0) == 0 &&
               renameat(folder->fd, temporary, folder->fd, name) == 0;
    }
    errno = EEXIST;
    return done;
}

static int link_names(struct lod_unpack_work *work, const struct lod_node *node,
                      const struct lod_node *owner)
{
    char name[LOD_NAME_MAX + 1], owner_name[LOD_NAME_MAX + 1];
    struct lod_confined_dir_folder folder, owner_folder;
    bool index = true;

    lod_confined_dir_folder_init(&folder, work->root_fd);
    lod_confined_dir_folder_init(&owner_folder, work->root_fd);
    int error = lod_index_name(work->index, node, name);
    error = error ? error : lod_index_name(work->index, owner, owner_name);
    error = error ? error : lod_confined_dir_enter(&folder, work->index, node->parent, &index);
    error =
        error ? error : lod_confined_dir_enter(&owner_folder, work->index, owner->parent, &index);
    if (error) {
        error = entered(work, node->number, index, error);
    } else if (linkat(owner_folder.fd, owner_name, folder.fd, name, 0) == 0 ||
               (errno == EEXIST && are_linked(owner_folder.fd, owner_name, folder.fd, name))) {
        lod_unpack_count(work, &work->result->hard_links, 0);
    } else if (errno == ENOENT) {
        error = lod_unpack_note(work, node->number, "the file it is a hard link of was not written",
                                false);
    } else if (errno == EEXIST && relink(work, &folder, name, node, &owner_folder, owner_name)) {
        lod_unpack_count(work, &work->result->hard_links, 0);
    } else if (errno == EMLINK || errno == EPERM || errno == ENOTSUP || errno == EEXIST) {
        error = lod_unpack_file(
            work, &folder, node->number); /* the file system has no hard links, or allows no more */
    } else {
        error = lod_unpack_fail(work, node->number, "make the hard link", -errno);
    }
    lod_confined_dir_folder_finish(&folder);
    lod_confined_dir_folder_finish(&owner_folder);
    return error;
}

int lod_unpack_links(struct lod_unpack_work *work)
{
    struct lod_node node, owner;
    int error = 0;

    for (size_t i = 0; !error && i < work->links.count; i++) {
        const struct lod_hard_link *link = &work->links.at[i];
        error = lod_cancel_poll(work->options->stop);
        if (error) {
            break;
        }
        if (lod_index_node(work->index, link->node, &node) ||
            lod_index_node(work->index, link->owner, &owner)) {
            error = lod_unpack_note(work, link->node, "it cannot be read from the index", true);
        } else if (is_listed(work, &node)) {
            error = link_names(work, &node, &owner);
        }
    }
    return error;
}

static int seal_folder(struct lod_unpack_work *work, const struct lod_node *node)
{
    struct lod_confined_dir_folder folder;
    bool index;

    lod_confined_dir_folder_init(&folder, work->root_fd);
    int error = lod_confined_dir_enter(&folder, work->index, node->number, &index);
    if (!error) {
        error = lod_confined_dir_set(folder.fd, node);
        error = error ? lod_unpack_fail(work, node->number, "set mode and time of", error) : 0;
    } else if (index || error == -ENOENT) {
        error = error == -ENOMEM ? error : 0; /* its failure was reported when it was made */
    } else {
        error = lod_unpack_fail(work, node->number, "open the folder", error);
    }
    lod_confined_dir_folder_finish(&folder);
    return error;
}

int lod_unpack_seal(struct lod_unpack_work *work)
{
    struct lod_node node;
    int error = 0;

    for (uint32_t i = lod_index_nodes(work->index); !error && i-- > 1;) {
        int damage = lod_index_node(work->index, i, &node);
        if (damage == -ENOMEM) {
            return damage;
        }
        if (!damage && S_ISDIR(node.mode) && !(node.flags & LOD_NODE_VIRTUAL)) {
            error = seal_folder(work, &node);
        }
    }
    return error;
}

int lod_unpack_seal_root(struct lod_unpack_work *work)
{
    struct lod_node root;
    int error = lod_index_node(work->index, 0, &root);

    return error ? error == -ENOMEM ? error : 0 : seal_folder(work, &root);
}

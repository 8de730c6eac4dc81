/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds everything in a source folder: files, folders (empty ones too), symbolic links. The list
 * comes back sorted by path, so nothing depends on the order in which a file system lists names.
 * No recursion: the list itself is the queue of folders still to be read.
 */
#ifndef LOD_WALK_H
#define LOD_WALK_H

#include <stdbool.h>

#include "compiler.h"
#include "pack/source.h"
#include "pack/trouble.h"
#include "stop.h"

struct lod_walk {
    int root_fd;
    bool follow;       /* what a symbolic link points to stands in its place */
    bool store_exists; /* then the store's folder may not be met */
    uint64_t store_dev, store_ino;
    struct lod_stop *stop;       /* may be NULL */
    struct lod_trouble *trouble; /* gets the sentence of every error but -EINTR and -ENOMEM */
};

/*
 * Errors have their sentence in `trouble`. Sockets, fifos and devices become LEFT_OUT. Links that
 * leave the source, cycles of followed links, paths over 4,095 bytes and targets over 3,825 are
 * errors. Two files of one inode: the later path becomes a HARD_LINK of the earlier.
 */
LOD_MUST_CHECK int lod_walk(const struct lod_walk *walk, struct lod_source_list *ret_list);

/*
 * Does the symbolic link `link` of a sorted list stay inside the source, its `..`, its absolute
 * parts and the links on its way considered? A link to nothing does, unless it leaves.
 */
bool lod_link_stays(const struct lod_source_list *list, const struct lod_source *link);

#endif

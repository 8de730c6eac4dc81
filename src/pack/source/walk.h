/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds all files, folders and symbolic links of a source folder. The list is sorted by path, so
 * nothing depends on the order in which a file system lists names. There is no recursion: the list
 * itself is the queue of folders still to be read.
 */
#ifndef LOD_WALK_H
#define LOD_WALK_H

#include <stdbool.h>

#include "compiler.h"
#include "pack/source/filter.h"
#include "pack/source/source.h"
#include "pack/source/first_error.h"
#include "terminal/cancel.h"
#include "terminal/progress.h"

struct lod_walk {
    int root_fd;
    bool follow;       /* symbolic links are replaced by their targets */
    bool store_exists; /* the store's folder exists, and must not be in the source */
    uint64_t store_dev, store_ino;
    const struct lod_filter *filter;
    struct lod_cancel *stop; /* may be NULL, like the progress */
    struct lod_progress *progress;
    /* gets the message of every error but -EINTR and -ENOMEM */
    struct lod_first_error *first_error;
};

/*
 * Walks the source. Sockets, fifos, devices and what the filter leaves out become LEFT_OUT. Of two
 * names of one inode, the later path becomes a HARD_LINK of the earlier. Links that leave the
 * source, cycles of followed links, paths over 4,095 bytes and targets over 3,825 are errors, with
 * a message in `first_error`.
 */
LOD_MUST_CHECK int lod_walk(const struct lod_walk *walk, struct lod_source_list *ret_list);

/*
 * Returns whether the symbolic link `link` of a sorted list stays inside the source. It resolves
 * `..`, absolute targets and links on the way. A dangling link stays inside unless it leaves first.
 */
bool lod_link_is_inside(const struct lod_source_list *list, const struct lod_source *link);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes below one folder and never outside it, even for a hostile store. Every folder is opened by
 * a single name relative to its parent. No symbolic link is followed, and nothing is overwritten.
 */
#ifndef LOD_CONFINED_DIR_H
#define LOD_CONFINED_DIR_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "index/index.h"

/* The folder that was opened last: adjacent files are mostly in one folder. `fd` is root_fd, or a
 * descriptor that this struct owns. */
struct lod_confined_dir_folder {
    int root_fd; /* borrowed */
    int fd;      /* -1: none yet */
    uint32_t node;
};

/* Opens the folder `path`, and makes it if it is absent and its parent exists. */
LOD_MUST_CHECK int lod_confined_dir_open(const char *path, int *ret_fd);

void lod_confined_dir_folder_init(struct lod_confined_dir_folder *folder, int root_fd);
void lod_confined_dir_folder_finish(struct lod_confined_dir_folder *folder);

/*
 * Opens the folder of node `node`, which must exist. Returns -ELOOP or -ENOTDIR if its name belongs
 * to another kind of file, or -EILSEQ and the like if the index is damaged (*ret_index is then
 * set).
 */
LOD_MUST_CHECK int lod_confined_dir_enter(struct lod_confined_dir_folder *folder,
                                          struct lod_index *index, uint32_t node, bool *ret_index);

/* Makes a folder of an earlier run writable again; it may have its final mode already. */
LOD_MUST_CHECK int lod_confined_dir_open_up(int fd, const char *name);

/* Sets mode (0777) and time of an open file or folder. */
LOD_MUST_CHECK int lod_confined_dir_set(int fd, const struct lod_node *node);

/* Makes the symbolic link `name` in folder `fd`, with the node's time.
 * An identical link may exist. */
LOD_MUST_CHECK int lod_confined_dir_link(int fd, const char *name, const char *target,
                                         const struct lod_node *node);

#endif

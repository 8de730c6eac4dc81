/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing below one folder and never outside it, whatever a store says: every folder is opened by
 * one name from the one above it, no symbolic link is ever followed, nothing is overwritten.
 */
#ifndef LOD_PLANT_H
#define LOD_PLANT_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "store/index.h"

/* The folder last opened: most neighbours share it. `fd` is the root's own, or open. */
struct lod_plant_folder {
    int root_fd; /* borrowed */
    int fd;      /* -1: none yet */
    uint32_t node;
};

/*
 * Opens `path`, made if it is absent (one level). -ENOTEMPTY: there is something in it; else why it
 * cannot be opened or made.
 */
LOD_MUST_CHECK int lod_plant_open(const char *path, int *ret_fd);

void lod_plant_folder_init(struct lod_plant_folder *folder, int root_fd);
void lod_plant_folder_finish(struct lod_plant_folder *folder);

/*
 * Opens the folder of node `node`, which has to be there. -ELOOP, -ENOTDIR: something else stands
 * in its place; -EILSEQ and the like: the index cannot say where it is (see *ret_index).
 */
LOD_MUST_CHECK int lod_plant_enter(struct lod_plant_folder *folder, struct lod_index *index,
                                   uint32_t node, bool *ret_index);

/* Mode (0777) and time of an open file or folder. */
LOD_MUST_CHECK int lod_plant_set(int fd, const struct lod_node *node);

/* The symbolic link `name` in folder `fd`, with the node's time. */
LOD_MUST_CHECK int lod_plant_link(int fd, const char *name, const char *target,
                                  const struct lod_node *node);

#endif

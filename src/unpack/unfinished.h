/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mark of an incomplete unpack: a small file in the target folder that names store and
 * fidelity. Only the same command continues such a folder. A running unpack holds a lock on the
 * mark.
 */
#ifndef LOD_UNFINISHED_H
#define LOD_UNFINISHED_H

#include <stdbool.h>

#include "compiler.h"
#include "index/index.h"

#define LOD_UNFINISHED_NAME  ".lodfs-unpack"
#define LOD_UNFINISHED_BYTES 512

struct lod_unfinished {
    int fd;
    char name[LOD_NAME_MAX + 1], text[LOD_UNFINISHED_BYTES];
    bool resumed;  /* an earlier run has left files */
    bool rebooted; /* the machine was rebooted since then, so files may be torn */
};

/*
 * Puts the mark into the folder `root_fd`, which must be empty or have the same mark. `what` is a
 * line that identifies the unpack. Returns -ENOTEMPTY if the folder has other names and no mark,
 * -EEXIST if it has the mark of another unpack, -EWOULDBLOCK if an unpack is running there.
 */
LOD_MUST_CHECK int lod_unfinished_begin(int root_fd, struct lod_index *index, const char *what,
                                        struct lod_unfinished *ret_unfinished);

/* Removes the mark; with `if_alone` only if the folder has no other names. Returns false if the
 * mark is still there. */
bool lod_unfinished_remove(const struct lod_unfinished *unfinished, int root_fd, bool if_alone);

/* Puts the mark back, if possible. */
void lod_unfinished_restore(struct lod_unfinished *unfinished, int root_fd);

void lod_unfinished_finish(struct lod_unfinished *unfinished);

/*
 * Makes a name for a temporary file that the store does not have in `folder`: LOD_UNFINISHED_NAME,
 * a number, and more characters if needed.
 */
LOD_MUST_CHECK int lod_unfinished_name(struct lod_index *index, const struct lod_node *folder,
                                       uint32_t number, char name[LOD_NAME_MAX + 1]);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands where in a mount: MOUNT/[format/]FIDELITY/<path of the source>, over the table of
 * views; `auto` beside the fidelities; MOUNT/.lodfs. From inode numbers to what they mean, from
 * folders to their children. Knows no FUSE and reads no record.
 */
#ifndef LOD_GRAMMAR_H
#define LOD_GRAMMAR_H

#include <stdint.h>

#include "compiler.h"
#include "dataset.h"
#include "inode.h"
#include "views/view.h"

/* An inode number resolved. */
struct lod_found {
    struct lod_inode inode;
    const struct lod_view *view; /* NULL: a fixed number */
    struct lod_node node;        /* the root, a format's folder: the source's root; `auto`, .lodfs
                                    and what is in it: mode and mtime alone */
};

/* -ENOENT: nothing has this number. Others: the index is damaged. */
LOD_MUST_CHECK int lod_grammar_find(struct lod_dataset *dataset, uint64_t number,
                                    struct lod_found *ret_found);

/* The folder that lists `found`; the root's is the root. */
LOD_MUST_CHECK int lod_grammar_up(struct lod_dataset *dataset, const struct lod_found *found,
                                  struct lod_found *ret_found);

LOD_MUST_CHECK int lod_grammar_lookup(struct lod_dataset *dataset, const struct lod_found *folder,
                                      const char *name, struct lod_found *ret_found);

/* Children of a folder, hidden ones included. */
uint64_t lod_grammar_count(const struct lod_found *folder);

/*
 * The child at `position`, below the count, and its name here. -ENOENT: it is not shown, go on
 * behind it. Others: its rows cannot be read.
 */
LOD_MUST_CHECK int lod_grammar_child(struct lod_dataset *dataset, const struct lod_found *folder,
                                     uint64_t position, struct lod_found *ret_child,
                                     char name[LOD_NAME_MAX + 1]);

#endif

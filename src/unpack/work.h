/* SPDX-License-Identifier: Apache-2.0 */
/* The state that the sources of unpack share while it runs; private to them. */
#ifndef LOD_UNPACK_WORK_H
#define LOD_UNPACK_WORK_H

#include <stdatomic.h>

#include "list.h"
#include "read/reader.h"
#include "unpack/confined_dir.h"
#include "unpack/hard_links.h"
#include "unpack/unfinished.h"
#include "unpack/unpack.h"
#include "views/view.h"

struct lod_unpack_work {
    const struct lod_unpack_options *options;
    struct lod_index *index;
    const struct lod_view *view;
    struct lod_reader *reader;
    int root_fd;
    struct lod_unfinished unfinished;
    atomic_bool named; /* files without a name (O_TMPFILE) cannot be used here */
    struct lod_hard_links links;
    LOD_LIST(uint64_t)
    files;          /* item << 32 | node, sorted, so that the files of an item are neighbours */
    uint64_t bytes; /* of all files */
    struct lod_first_error *first_error;
    struct lod_unpack_result *result;
};

/* Adds a note about a file that was not written. Returns -ENOMEM. Any thread. */
LOD_MUST_CHECK int lod_unpack_note(struct lod_unpack_work *work, uint32_t node, const char *what,
                                   bool failed);

/* Reports an error of writing, with the node's path, in the result's first error.
 * Returns `error`. */
LOD_MUST_CHECK int lod_unpack_fail(struct lod_unpack_work *work, uint32_t node, const char *what,
                                   int error);

/* Adds one to `*sum` of the result, and the bytes. Any thread. */
void lod_unpack_count(struct lod_unpack_work *work, uint64_t *sum, uint64_t bytes);

/* Makes folders and symbolic links in node order, and collects the files for the next functions. */
LOD_MUST_CHECK int lod_unpack_tree(struct lod_unpack_work *work);
/* Writes files [step * LOD_UNPACK_STEP, ...) of the list. Any thread. */
#define LOD_UNPACK_STEP 16u
LOD_MUST_CHECK int lod_unpack_files(struct lod_unpack_work *work, uint64_t step);
LOD_MUST_CHECK int lod_unpack_file(struct lod_unpack_work *work,
                                   struct lod_confined_dir_folder *folder, uint32_t node);
/*
 * The last steps, once all files are written: makes the hard links; sets modes and times of
 * folders, deepest first; sets those of the root, when nothing changes in it any more.
 */
LOD_MUST_CHECK int lod_unpack_links(struct lod_unpack_work *work);
LOD_MUST_CHECK int lod_unpack_seal(struct lod_unpack_work *work);
LOD_MUST_CHECK int lod_unpack_seal_root(struct lod_unpack_work *work);

/* Returns whether a file has kind, size, mode and time of the store's file. */
bool lod_unpack_is_there(int folder_fd, const char *name, const struct lod_node *node,
                         uint64_t bytes);

#endif

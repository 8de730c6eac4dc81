/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of unpack share while it runs; nobody else includes it. */
#ifndef LOD_UNPACK_WORK_H
#define LOD_UNPACK_WORK_H

#include "list.h"
#include "reader.h"
#include "unpack/plant.h"
#include "unpack/twins.h"
#include "unpack/unpack.h"
#include "views/view.h"

struct lod_unpack_work {
    const struct lod_unpack_options *options;
    struct lod_index *index;
    const struct lod_view *view;
    struct lod_reader *reader;
    int root_fd;
    struct lod_twins twins;
    LOD_LIST(uint64_t) files; /* item << 32 | node, sorted: those of one item are neighbours */
    uint64_t bytes;           /* of all files */
    struct lod_trouble *trouble;
    struct lod_unpack_result *result;
};

/* A file is not there, see lod_unpack_note. -ENOMEM. Any thread. */
LOD_MUST_CHECK int lod_unpack_note(struct lod_unpack_work *work, uint32_t node, const char *what,
                                   bool failed);

/* The folder to write into failed: a sentence with the node's path. Returns `error`. */
LOD_MUST_CHECK int lod_unpack_stuck(struct lod_unpack_work *work, uint32_t node, const char *what,
                                    int error);

/* One more `*sum` of the result. Any thread. */
void lod_unpack_count(struct lod_unpack_work *work, uint64_t *sum, uint64_t bytes);

/* Folders and symbolic links, in node order; collects the files for the next two. */
LOD_MUST_CHECK int lod_unpack_tree(struct lod_unpack_work *work);
/* Files [step * LOD_UNPACK_STEP, ...) of the list. Any thread. */
#define LOD_UNPACK_STEP 16u
LOD_MUST_CHECK int lod_unpack_files(struct lod_unpack_work *work, uint64_t step);
LOD_MUST_CHECK int lod_unpack_file(struct lod_unpack_work *work, struct lod_plant_folder *folder,
                                   uint32_t node);
/* Hard links, once all files are there; then modes and times of folders, deepest first. */
LOD_MUST_CHECK int lod_unpack_links(struct lod_unpack_work *work);
LOD_MUST_CHECK int lod_unpack_seal(struct lod_unpack_work *work);

#endif

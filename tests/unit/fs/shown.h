/* SPDX-License-Identifier: Apache-2.0 */
/* The expected result of verify and repair: all that a mount shows of the store of whole_store.h,
 * read without a mount. */
#ifndef LOD_SHOWN_H
#define LOD_SHOWN_H

#include "dataset/dataset.h"
#include "log.h"
#include "read/reader.h"
#include "views/view.h"
#include "store/whole_store.h"

#define PATHS (WHOLE_LIST + WHOLE_FILES - 1)

/* Hashes of every path at every fidelity; [0]: names, modes, times, targets. */
struct shown {
    bool open;
    uint64_t hash[PATHS][LOD_FULL + 1]; /* 0: refused */
};

static inline const char *path_of(size_t i)
{
    return i < WHOLE_LIST ? whole_list[i].path : whole_files[i - WHOLE_LIST + 1].path;
}

static inline uint64_t read_file(struct lod_dataset *dataset, struct lod_reader *reader,
                                 const struct lod_node *node, enum lod_fidelity fidelity)
{
    struct lod_item item;
    struct lod_plan plan;
    struct lod_read read;
    uint64_t hash = 1;

    if (lod_dataset_item(dataset, node->ref, &item) ||
        lod_view_plan(&lod_view_tree, dataset, NULL, &item, fidelity, &plan)) {
        return 0;
    }
    for (uint64_t at = 0; at < plan.bytes; at += read.bytes) {
        if (lod_reader_read(reader, &item, &plan, at, 50000, &read)) {
            return 0;
        }
        for (unsigned i = 0; i < read.count; i++) {
            hash = lod_hash64(read.iov[i].iov_base, read.iov[i].iov_len, hash);
        }
        uint64_t bytes = read.bytes;
        lod_read_finish(&read);
        read.bytes = bytes;
    }
    return hash | 1;
}

static inline void show_path(struct lod_dataset *dataset, struct lod_reader *reader,
                             const char *path, uint64_t hash[LOD_FULL + 1])
{
    char target[LOD_TARGET_MAX + 1] = "";
    struct lod_node node;

    memset(hash, 0, (LOD_FULL + 1) * sizeof(hash[0]));
    if (lod_dataset_walk(dataset, path, &node) ||
        (S_ISLNK(node.mode) && lod_index_target(lod_dataset_index(dataset), &node, target))) {
        return;
    }
    const uint64_t attributes[] = {node.mode, node.flags, (uint64_t)node.mtime};
    hash[0] = lod_hash64(target, strlen(target), lod_hash64(attributes, sizeof(attributes), 0)) | 1;
    for (unsigned f = LOD_Q1; f <= LOD_FULL && S_ISREG(node.mode); f++) {
        hash[f] = read_file(dataset, reader, &node, (enum lod_fidelity)f);
    }
}

static inline void show(struct fixture *f, struct shown *ret_shown)
{
    struct lod_dataset *dataset = NULL;
    struct lod_reader *reader = NULL;
    struct lod_why why = {.text = ""};

    ret_shown->open = lod_dataset_open(f->folder, &(struct lod_open_options){.settings = NULL},
                                       &dataset, &why) == 0;
    if (!ret_shown->open) {
        return;
    }
    cr_assert_eq(lod_reader_create(dataset,
                                   &(struct lod_reader_options){.cache_bytes = 1 << 20,
                                                                .work_bytes = 1 << 20,
                                                                .threads = true},
                                   &reader),
                 0);
    for (size_t i = 0; i < PATHS; i++) {
        show_path(dataset, reader, path_of(i), ret_shown->hash[i]);
    }
    lod_reader_destroy(reader);
    lod_dataset_close(dataset);
}

#endif

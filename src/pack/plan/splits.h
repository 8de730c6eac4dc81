/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The splits of a source: folders such as train/ and val/ at its root, if all pictures are below
 * them (FORMAT.md, Samples). The index finds the same splits in its tree.
 */
#ifndef LOD_SPLITS_H
#define LOD_SPLITS_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "list.h"
#include "pack/source/first_error.h"
#include "pack/source/source.h"
#include "sample/sample_split.h"

#define LOD_SPLITS_TEXT_MAX 1000u /* bytes of --splits */
#define LOD_SPLIT_NAME_MAX  200u  /* leaves room for the endings of a split's framed files */

/* The value of --splits. All zero: the names of folders decide. */
struct lod_split_names {
    const char *text; /* the value as the user gave it; NULL: no --splits */
    const char *at[LOD_SPLITS_MAX];
    unsigned count; /* 0: none */
};

/* Marks the folders with these names in a sorted list, or the root if there are no names. Returns
 * -ENOENT with a message if there is no such folder. */
LOD_MUST_CHECK int lod_split_names_mark(const struct lod_split_names *names,
                                        struct lod_source_list *list,
                                        struct lod_first_error *first_error);

/* All zero is empty. */
struct lod_splits {
    LOD_LIST(const char *)
    paths;     /* a path of each split; its first component is the name of the split */
    bool none; /* a picture is outside such folders, so there are no splits */
};

/* Adds the folders with the mark of a split. *ret_any: whether any folder has it, the root
 * included. */
LOD_MUST_CHECK int lod_splits_add_marked(struct lod_splits *splits,
                                         const struct lod_source_list *list, bool *ret_any);

/* Adds the split of a picture. The path must outlive the splits. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_splits_add(struct lod_splits *splits, const char *path);

/* Call it after the last picture, and before lod_splits_of. */
void lod_splits_sort(struct lod_splits *splits);

/* Returns the number of the split of a path, in order of names; the number of splits if it is in
 * none. */
uint32_t lod_splits_of(const struct lod_splits *splits, const char *path);
void lod_splits_finish(struct lod_splits *splits);

#endif

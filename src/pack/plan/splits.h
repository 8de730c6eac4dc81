/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The splits of a source: folders such as train/ and val/ at its root, if all pictures are below
 * them (FORMAT.md, Samples). The index finds the same splits in its tree.
 */
#ifndef LOD_SPLITS_H
#define LOD_SPLITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "list.h"

/* All zero is empty. */
struct lod_splits {
    LOD_LIST(const char *)
    paths;     /* a path of each split; its first component is the name of the split */
    bool none; /* a picture is outside such folders, so there are no splits */
};

/* Adds the split of a picture. The path must outlive the splits. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_splits_add(struct lod_splits *splits, const char *path);

/* Call it after the last picture, and before lod_splits_of. */
void lod_splits_sort(struct lod_splits *splits);

/* Returns the number of the split of a path, in order of names; the number of splits if it is in
 * none. */
uint32_t lod_splits_of(const struct lod_splits *splits, const char *path);
void lod_splits_finish(struct lod_splits *splits);

#endif

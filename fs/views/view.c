/* SPDX-License-Identifier: Apache-2.0 */
/* The table of views, one line each. Their order is that of the folders at the mount's root. */
#include "views/view.h"

#include <stddef.h>

/* The tree of the source: every name at every fidelity, each file in the source's own format. */
const struct lod_view lod_view_tree = {
    .folder = "",
    .format = LOD_FORMAT_TREE,
    .fidelities = LOD_FIDELITIES_TO_FULL | LOD_FIDELITIES_ORIGINAL,
};

/* clang-format off */
static const struct lod_view *const views[] = {
    &lod_view_tree,
    &lod_view_decoded,
    &lod_view_tar,
    &lod_view_recordio,
    &lod_view_tfrecord,
    &lod_view_native,
};
/* clang-format on */

#define VIEWS (sizeof(views) / sizeof(views[0]))

const struct lod_view *lod_view_of(enum lod_format format)
{
    for (unsigned i = 0; i < VIEWS; i++) {
        if (views[i]->format == format) {
            return views[i];
        }
    }
    return NULL;
}

const struct lod_view *lod_view_at(unsigned index)
{
    return index < VIEWS ? views[index] : NULL;
}

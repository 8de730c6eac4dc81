/* SPDX-License-Identifier: Apache-2.0 */
/* The table of views, one line each. Their order is that of the folders at the mount's root. */
#include "views/view.h"

#include <stddef.h>

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

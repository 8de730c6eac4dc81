/* SPDX-License-Identifier: Apache-2.0 */
/* The table of views: one line each; its order is the order of folders at the mount's root. */
#include "views/view.h"

static const struct lod_view *const views[] = {
    &lod_view_tree,
};

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

const char *lod_view_root(unsigned index, struct lod_inode *ret_inode)
{
    for (unsigned i = 0; i < VIEWS; i++) {
        unsigned shown = 0;
        while (shown <= index) {
            const char *name = views[i]->root_name(shown, ret_inode);
            if (!name) {
                break;
            }
            if (shown++ == index) {
                return name;
            }
        }
        index -= shown;
    }
    return NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* See item_label.h. */
#include "sample/item_label.h"

#include <errno.h>

#include "framing/framing.h"

int lod_item_label_take(struct lod_cursor *c, int32_t *ret_label)
{
    const int32_t label = (int32_t)lod_take_le32(c);

    if (c->short_of_bytes || label < LOD_NO_LABEL) {
        return -EILSEQ;
    }
    *ret_label = label;
    return 0;
}

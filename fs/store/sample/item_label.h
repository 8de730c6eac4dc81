/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The label that a store gives to an item itself, if it does not follow from the item's folder. It
 * is stored after the path of its path entry (FORMAT.md, Metadata). Rows of such items have
 * LOD_ITEM_HAS_LABEL.
 */
#ifndef LOD_ITEM_LABEL_H
#define LOD_ITEM_LABEL_H

#include <stdint.h>

#include "bytes.h"
#include "codec.h"
#include "compiler.h"

#define LOD_ITEM_LABEL_BYTES 4u

static inline bool lod_row_has_label(const uint8_t row[LOD_ROW_BYTES])
{
    return (lod_row_flags(row) & LOD_ITEM_HAS_LABEL) != 0;
}

/* Takes a label. -EILSEQ: the bytes end, or it is below LOD_NO_LABEL. */
LOD_MUST_CHECK int lod_item_label_take(struct lod_cursor *c, int32_t *ret_label);

#endif

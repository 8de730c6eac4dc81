/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the levels of a lossless image (level_rules.h), if it is one that may lose detail. */
#ifndef LOD_LEVELS_WRITE_H
#define LOD_LEVELS_WRITE_H

#include "compiler.h"
#include "encoder.h"
#include "l3/container/l3_row.h"

/*
 * Adds groups 1 .. 7 to an item that is otherwise complete, and sets `level` of its row. `samples`
 * are those of the source, rows without gaps. If the image gets no levels, *ret_why is the reason,
 * a static text, and the item stays as it is; else NULL. Returns -ENOMEM.
 */
LOD_MUST_CHECK int lod_l3_levels_write(struct lod_l3_row *row, const uint8_t *samples,
                                       struct lod_encoded *item, const char **ret_why);

/* Returns the memory that this takes besides samples and item. */
uint64_t lod_l3_levels_write_cost(const struct lod_l3_image *image);

#endif

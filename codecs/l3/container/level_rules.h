/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Levels: the lower fidelities of a lossless image, a progressive JPEG beside its stream. Group k,
 * 1 .. 7, holds the scans of level k. These are the rules of FORMAT.md, Levels, as functions of the
 * row; levels.h makes files of them.
 */
#ifndef LOD_LEVEL_RULES_H
#define LOD_LEVEL_RULES_H

#include "l3/container/l3_row.h"

/* Groups 1 .. 7 together take at most this fraction of the stream's bytes:
 * 1 / LOD_L3_LEVEL_SHARE. */
#define LOD_L3_LEVEL_SHARE 11u

/* Returns whether an image of this kind may have levels: 8 bits, gray or RGB. */
bool lod_l3_level_is_allowed(const struct lod_l3_row *row);

/* Returns whether an image of this size may have levels,
 * and the levels of the row if it has any. */
bool lod_l3_level_fits(const struct lod_l3_row *row);

/* Returns whether the image has any level. */
static inline bool lod_l3_has_levels(const struct lod_l3_row *row)
{
    return row->level[0] != 0;
}

/* Returns whether the levels of a row whose other fields are valid are valid too. */
bool lod_l3_levels_are_sound(const struct lod_l3_row *row);

/* Returns the level that a fidelity shows, 1 .. 7; 0: the exact image. */
unsigned lod_l3_level_of(const struct lod_l3_row *row, enum lod_fidelity fidelity);

/* Returns the bytes of group `group`, 1 .. 7. Group 1 begins with a copy of the bytes around the
 * pixels. */
uint64_t lod_l3_level_group_bytes(const struct lod_l3_row *row, unsigned group);

/* Returns the memory of libjpeg and of the pixels that it decodes. */
uint64_t lod_l3_level_decode_bytes(const struct lod_l3_row *row);

/* Returns the memory of making a file of a level, with inputs and result. */
uint64_t lod_l3_level_cost(const struct lod_l3_row *row);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the files and pixels of levels (level_rules.h): the pixels that libjpeg makes of groups 1
 * .. k, as a file of the image's own format and size. The host always makes them. A unit is the
 * whole image. All rows must have levels.
 */
#ifndef LOD_LEVELS_H
#define LOD_LEVELS_H

#include "codec.h"
#include "compiler.h"
#include "l3/container/l3_row.h"

/* Returns the bytes of a form: of the file behind its head, or of the pixels. */
uint64_t lod_l3_level_bytes(const struct lod_l3_row *row, unsigned form);

/* Returns the groups that it is made of: bit g - 1 for group g. */
uint16_t lod_l3_level_groups(unsigned form);

/* As lod_maker.need: one input, the JPEG. */
LOD_MUST_CHECK int lod_l3_level_need(const struct lod_l3_row *row, unsigned form,
                                     struct lod_inputs *inputs);

/*
 * Writes lod_l3_level_bytes bytes. Returns -EILSEQ if the JPEG is damaged, or if its kind, width
 * or height differ from the row's. Returns -E2BIG if libjpeg takes more memory than the row
 * states, or -ENOMEM.
 */
LOD_MUST_CHECK int lod_l3_level_make(const struct lod_l3_row *row, unsigned form,
                                     struct lod_span jpeg, uint8_t *into);

#endif

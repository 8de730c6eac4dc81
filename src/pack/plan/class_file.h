/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files STEM.cls: the class of a sample as a number in text, as loaders of tar files know it. A
 * stem is a path up to the first dot of its name.
 */
#ifndef LOD_CLASS_FILE_H
#define LOD_CLASS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pack/source/source.h"

#define LOD_CLASS_FILE_MAX 12u /* bytes of one, a line's end included */

bool lod_class_file_is(const char *path, size_t bytes);

/* Returns the number in the text; -1 if it is no label. */
int32_t lod_class_file_number(const char *text, size_t bytes);

/* Gives the label of the class file `class` to the pictures of its stem. The list is sorted by
 * path; both arrays are by its index. */
void lod_class_file_spread(const struct lod_source_list *list, size_t class, const bool *pictures,
                           int32_t *labels);

#endif

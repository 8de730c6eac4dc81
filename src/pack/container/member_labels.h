/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labels of members, and those that their folders get. A store numbers the folders of a split by
 * their names (FORMAT.md, Samples), which are the labels of a container only if it has all classes.
 */
#ifndef LOD_MEMBER_LABELS_H
#define LOD_MEMBER_LABELS_H

#include <stdbool.h>
#include <stdint.h>

#include "pack/source/source.h"

/* Returns whether every member with a label is below the folder that gets this number. The list is
 * sorted by path, and `labels` are those of its sources, negative for none. */
bool lod_member_labels_follow(const struct lod_source_list *list, const int32_t *labels);

#endif

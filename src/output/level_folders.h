/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folders whose images have lower fidelities by --levels, in the summary of pack. They show the
 * user whether the pattern also matched images that are no photographs.
 */
#ifndef LOD_LEVEL_FOLDERS_H
#define LOD_LEVEL_FOLDERS_H

#include <stdio.h>

#include "json.h"
#include "pack/source/source.h"

/* Prints at most `most` folders of a sorted list, each with the number of its images that have
 * levels. */
void lod_level_folders_print(const struct lod_source_list *list, size_t most, FILE *out);

/* Adds all such folders as the array "level_folders". */
void lod_level_folders_json(const struct lod_source_list *list, struct lod_json *json);

#endif

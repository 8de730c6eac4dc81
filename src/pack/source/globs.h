/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of patterns that name files, such as --tables and --levels: matching, and their text for
 * the journal and the manifest. filter.h has the patterns themselves. */
#ifndef LOD_GLOBS_H
#define LOD_GLOBS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"
#include "option.h"

/* Returns whether one of the patterns matches the path of a file. */
bool lod_globs_match(const struct lod_option_list *globs, const char *path);

/* Prints "--NAME=FIRST (count of hash ..)" and a newline, or "" for an empty list. Returns its
 * bytes, at most LOD_GLOBS_LINE_ROOM. */
#define LOD_GLOBS_LINE_ROOM 384u
size_t lod_globs_line(const char *name, const struct lod_option_list *globs, char *text,
                      size_t room);

/* Adds the patterns as an array `name`, unless there are none. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_globs_json(const char *name, const struct lod_option_list *globs,
                                  cJSON *into);

#endif

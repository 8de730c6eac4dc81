/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The patterns of pack for names: --exclude, --include, --exclude-from, --tables, --levels.
 *
 * A pattern without a slash matches a name at any depth. One with a slash matches the whole path
 * from the source; a slash at its beginning changes nothing else. A slash at its end: it matches
 * only folders. `*`, `?` and `[a-z]` match within a name, and a name `**` any number of folders.
 */
#ifndef LOD_FILTER_H
#define LOD_FILTER_H

#include <stdbool.h>

#include "compiler.h"
#include "list.h"
#include "option.h"

#define LOD_FILTER_FILE_MAX     (1u << 20) /* bytes of --exclude-from */
#define LOD_FILTER_PATTERNS_MAX 10000u     /* of all these files together */

/* All zero takes every name. It borrows the patterns of the lists. */
struct lod_filter {
    struct lod_option_list exclude, include;
    LOD_LIST(const char *) lines; /* of --exclude-from */
    LOD_LIST(char *) texts;       /* the contents of these files, which have the lines */
};

/* Returns whether the pattern matches a path. `folder`: the path is a folder. */
bool lod_pattern_matches(const char *pattern, const char *path, bool folder);

/* Returns whether one of the patterns matches the path of a file. */
bool lod_patterns_match(const struct lod_option_list *patterns, const char *path);

/* Returns whether a pattern is usable: neither empty nor longer than a path, and not "/". */
bool lod_pattern_is_good(const char *pattern);

/*
 * Adds the patterns of a file, one a line. Blank lines, and those that begin with #, are skipped.
 * Returns -E2BIG beyond the limits, -EINVAL for a pattern that is not good, with its number in
 * *ret_line, or an error of reading.
 */
LOD_MUST_CHECK int lod_filter_read(struct lod_filter *filter, const char *path, unsigned *ret_line);

/*
 * Returns NULL if a source is packed, else why it is left out, a static text. A folder is left out
 * only by a pattern that excludes it. Call it for the folders above `path` first, since everything
 * in an excluded folder is left out.
 */
const char *lod_filter_why(const struct lod_filter *filter, const char *path, bool folder);

/* Like lod_filter_why, but checks the folders above `path` too. */
const char *lod_filter_why_below(const struct lod_filter *filter, const char *path, bool folder);

void lod_filter_finish(struct lod_filter *filter);

#endif

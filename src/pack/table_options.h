/* SPDX-License-Identifier: Apache-2.0 */
/* What pack is asked to do with tables, and that in words: for the manifest and the journal. */
#ifndef LOD_TABLE_OPTIONS_H
#define LOD_TABLE_OPTIONS_H

#include <cjson/cJSON.h>

#include "compiler.h"
#include "toc/text_table.h"

#define LOD_TABLE_GLOBS_MAX 64u

struct lod_tables_options {
    const char *globs[LOD_TABLE_GLOBS_MAX]; /* without a slash: of the name, else of the path */
    unsigned globs_count;
    struct lod_text_options text; /* the cut is for all kinds */
};

/* "--tables=*.csv", "--one-hot", .., a line each; nothing for what is not asked. */
#define LOD_TABLE_OPTIONS_ROOM 512
void lod_table_options_lines(const struct lod_tables_options *options,
                             char text[LOD_TABLE_OPTIONS_ROOM]);

/* The same as members of `into`. -ENOMEM. */
LOD_MUST_CHECK int lod_table_options_json(const struct lod_tables_options *options, cJSON *into);

#endif

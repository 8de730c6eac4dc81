/* SPDX-License-Identifier: Apache-2.0 */
/* The options of pack for tables, and their text for the manifest and the journal. */
#ifndef LOD_TABLE_OPTIONS_H
#define LOD_TABLE_OPTIONS_H

#include <cjson/cJSON.h>

#include "compiler.h"
#include "option.h"
#include "toc/source/text_table.h"

struct lod_tables_options {
    struct lod_option_list globs; /* match the name, or, if they have a slash, the path */
    struct lod_text_options text; /* its `cut` applies to all kinds of tables */
};

/* Prints "--tables=*.csv", "--one-hot", .., a line each; options that are not set are left out. */
#define LOD_TABLE_OPTIONS_ROOM 512
void lod_table_options_lines(const struct lod_tables_options *options,
                             char text[LOD_TABLE_OPTIONS_ROOM]);

/* Adds the same as members of `into`. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_table_options_json(const struct lod_tables_options *options, cJSON *into);

#endif

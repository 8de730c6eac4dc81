/* SPDX-License-Identifier: Apache-2.0 */
/* The options of pack for tables. */
#ifndef LOD_TABLE_OPTIONS_H
#define LOD_TABLE_OPTIONS_H

#include "option.h"
#include "toc/source/text_table.h"

struct lod_tables_options {
    struct lod_option_list globs; /* match the name, or, if they have a slash, the path */
    struct lod_text_options text; /* its `cut` applies to all kinds of tables */
};

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a pack, in the form of the manifest and of the journal. */
#ifndef LOD_PACK_DESCRIBE_H
#define LOD_PACK_DESCRIBE_H

#include <cjson/cJSON.h>

#include "bytes.h"
#include "pack/pack.h"
#include "pack/target/journal.h"

/* Returns an object for cJSON_Delete; NULL: no memory. */
cJSON *lod_pack_describe(const struct lod_pack_options *options, uint64_t record_bytes);

/*
 * Writes those options to `text` that determine the bytes of a store, as on the command line, one a
 * line. `labels` is the text of --labels; its `at` is NULL if there is none.
 */
void lod_pack_lines(const struct lod_pack_options *options, struct lod_span labels,
                    char text[LOD_JOURNAL_OPTIONS_MAX + 1]);

/* Adds the patterns of names, which decide what is in the list of files but nothing else. */
void lod_pack_filter_line(const struct lod_filter *filter, char text[LOD_JOURNAL_OPTIONS_MAX + 1]);

#endif

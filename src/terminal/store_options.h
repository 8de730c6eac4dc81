/* SPDX-License-Identifier: Apache-2.0 */
/* The option -o of commands that read a store, with settings for stores behind a URL. */
#ifndef LOD_STORE_OPTIONS_H
#define LOD_STORE_OPTIONS_H

#include "compiler.h"
#include "store_words.h"

extern const struct lod_option lod_store_words[];

/* The row of a command's table. `field` is of a struct lod_option_list. */
#define LOD_ROW_STORE_WORDS(field_)                                                                \
    {                                                                                              \
        .kind = LOD_OPTION_LIST, .letter = 'o', .field = field_, .max = LOD_OPTION_LIST_MAX,       \
        .value = "OPTIONS", .help = "settings for a store behind a URL; see below",                \
        .settings = lod_store_words                                                                \
    }

/*
 * Parses the settings in `given`. `*ret_text` owns the texts that `ret_settings` borrows, so it
 * must be freed last. Returns LOD_EXIT_OK, or another exit code after a message on stderr.
 */
LOD_MUST_CHECK int lod_store_options_take(const struct lod_option_list *given,
                                          struct lod_store_settings *ret_settings, char **ret_text);

#endif

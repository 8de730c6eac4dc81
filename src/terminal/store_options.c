/* SPDX-License-Identifier: Apache-2.0 */
/* See store_options.h. */
#include "terminal/store_options.h"

#include <string.h>

#include "log.h"
#include "terminal/cmd.h"

const struct lod_option lod_store_words[] = {
    LOD_STORE_WORDS(struct lod_store_settings, ),
    LOD_ROW_END,
};

static int take(const char *word, struct lod_store_settings *settings)
{
    const struct lod_option *option = lod_option_find(lod_store_words, word);
    const char *value = strchr(word, '=');
    char takes[LOD_OPTION_TEXT_BYTES];

    if (!option) {
        return lod_fail(LOD_EXIT_USAGE, "-o %pE: unknown option; lodfs(1) lists them", word);
    }
    if (lod_option_is_valued(option) != (value != NULL) ||
        lod_option_set(option, value ? value + 1 : "", settings)) {
        return lod_fail(LOD_EXIT_USAGE, "-o %pE: %s", word, lod_option_takes(option, takes));
    }
    return LOD_EXIT_OK;
}

int lod_store_options_take(const struct lod_option_list *given,
                           struct lod_store_settings *ret_settings, char **ret_text)
{
    struct lod_store_settings settings = {.own_process = true, .warn = lod_log_warning};
    int code = LOD_EXIT_OK;

    *ret_text = lod_option_join(given);
    if (!*ret_text) {
        return lod_fail(LOD_EXIT_FAILED, "out of memory");
    }
    for (char *word = *ret_text, *next; !code && word; word = next) {
        next = lod_option_cut(word);
        code = *word ? take(word, &settings) : LOD_EXIT_OK;
    }
    *ret_settings = settings;
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* See globs.h. */
#include "pack/source/globs.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "hash.h"
#include "pack/source/filter.h"
#include "text.h"

#define GLOB_SHOWN 256 /* bytes of a pattern that are printed */
#define GLOB_BYTES 4096

bool lod_globs_match(const struct lod_option_list *globs, const char *path)
{
    for (unsigned i = 0; i < globs->count; i++) {
        if (lod_pattern_matches(globs->at[i], path, false)) {
            return true;
        }
    }
    return false;
}

size_t lod_globs_line(const char *name, const struct lod_option_list *globs, char *text,
                      size_t room)
{
    char shown[GLOB_SHOWN + 1];
    uint64_t hash = 0;

    text[0] = '\0';
    if (!globs->count) {
        return 0;
    }
    for (unsigned i = 0; i < globs->count; i++) {
        hash = lod_hash64(globs->at[i], strlen(globs->at[i]) + 1, hash);
    }
    lod_format(shown, sizeof(shown), "%pE", globs->at[0]);
    return lod_format(text, room, "--%s=%s (%u of hash %016" PRIx64 ")\n", name, shown,
                      globs->count, hash);
}

int lod_globs_json(const char *name, const struct lod_option_list *globs, cJSON *into)
{
    char text[4 * GLOB_BYTES + 1];
    cJSON *array = globs->count ? cJSON_AddArrayToObject(into, name) : NULL;
    bool good = array || !globs->count;

    for (unsigned i = 0; good && i < globs->count; i++) {
        lod_escape(globs->at[i], strlen(globs->at[i]), text, sizeof(text));
        good = cJSON_AddItemToArray(array, cJSON_CreateString(text));
    }
    return good ? 0 : -ENOMEM;
}

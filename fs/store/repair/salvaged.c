/* SPDX-License-Identifier: Apache-2.0 */
/* See salvaged.h. */
#include "repair/salvaged.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_BLOCK ((size_t)64 << 10) /* longer than any path or target */

/* Blocks of NUL-terminated texts, all freed together. */
struct lod_salvage_text {
    struct lod_salvage_text *before;
    size_t used;
    char bytes[TEXT_BLOCK];
};

const char *lod_salvage_keep(struct lod_salvage *s, const char *text, size_t bytes)
{
    if (!s->texts || TEXT_BLOCK - s->texts->used < bytes + 1) {
        struct lod_salvage_text *block = malloc(sizeof(*block));
        if (!block) {
            return NULL;
        }
        block->before = s->texts;
        block->used = 0;
        s->texts = block;
    }
    char *at = s->texts->bytes + s->texts->used;
    memcpy(at, text, bytes);
    at[bytes] = '\0';
    s->texts->used += bytes + 1;
    return at;
}

int lod_salvage_add(struct lod_salvage *s, const struct lod_entry *entry)
{
    return LOD_LIST_ADD(&s->entries, *entry);
}

void lod_salvage_finish(struct lod_salvage *s)
{
    while (s->texts) {
        struct lod_salvage_text *before = s->texts->before;
        free(s->texts);
        s->texts = before;
    }
    for (size_t i = 0; i < s->records.count; i++) {
        free((uint8_t *)(uintptr_t)s->records.at[i].rows);
        free((int32_t *)(uintptr_t)s->records.at[i].labels);
        free((uint8_t *)(uintptr_t)s->records.at[i].magics.at);
    }
    free(s->records.at);
    free(s->entries.at);
    cJSON_Delete(s->pack);
    cJSON_Delete(s->scans);
    *s = (struct lod_salvage){0};
}

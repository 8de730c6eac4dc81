/* SPDX-License-Identifier: Apache-2.0 */
/* See warm_readers.h. */
#include "warmup/warm_readers.h"

#include <stdlib.h>

#include "clock.h"
#include "json_whole.h"
#include "terminal/mount_client.h"

#define LOOK_NS (LOD_SECOND_NS / 5) /* a reader of photographs asks for several in this time */

/* Returns 0 if there is no such number. */
static uint64_t number_of(const cJSON *document, const char *part, const char *key)
{
    const cJSON *object = cJSON_GetObjectItemCaseSensitive(document, part);
    uint64_t number = 0;

    (void)lod_json_whole(cJSON_GetObjectItemCaseSensitive(object, key), LOD_WHOLE_MAX, &number);
    return number;
}

bool lod_warm_readers_look(struct lod_warm_readers *readers, uint64_t now_ns)
{
    char *text = NULL;

    if (!readers->mount || now_ns < readers->next_ns) {
        return readers->reading;
    }
    if (lod_mount_client_look(readers->mount, "stats", &text)) {
        readers->mount = NULL;
        return readers->reading = false;
    }
    cJSON *document = cJSON_Parse(text);
    const uint64_t bytes = number_of(document, "store", "bytes");

    readers->reading = (readers->next_ns && bytes > readers->bytes) ||
                       number_of(document, "loads", "in_flight") > 0;
    readers->bytes = bytes;
    readers->next_ns = lod_clock_ns() + LOOK_NS;
    cJSON_Delete(document);
    free(text);
    return readers->reading;
}

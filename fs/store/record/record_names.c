/* SPDX-License-Identifier: Apache-2.0 */
/* See record_names.h and FORMAT.md, Files. */
#include "record/record_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "index/index.h"
#include "index/rows.h"

#define NAME_ROOM sizeof(((struct lod_record_desc *)0)->path)

struct listing {
    struct lod_store *store;
    struct lod_buf *names;
    const char *folder; /* below records/; NULL: records/ itself */
};

static int list_name(void *ctx, const char *name, bool folder)
{
    const struct listing *listing = ctx;
    char path[NAME_ROOM] = {0}, below[LOD_OBJECT_NAME_MAX + 1];

    int bytes = snprintf(path, sizeof(path), "%s%s%s", listing->folder ? listing->folder : "",
                         listing->folder ? "/" : "", name);
    if (bytes >= (int)sizeof(path) || (folder && listing->folder)) {
        return 0;
    }
    if (!folder) {
        return lod_buf_append(listing->names, path, sizeof(path));
    }
    snprintf(below, sizeof(below), "%s/%s", LOD_RECORDS_NAME, path);
    struct listing inner = {.store = listing->store, .names = listing->names, .folder = path};
    int error = lod_store_list(listing->store, below, list_name, &inner);
    return error == -ENOMEM ? error : 0; /* a folder of another kind */
}

/* Orders by length, then by bytes: numbers of six digits and more in numerical order. */
static int compare_part(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    return a_bytes != b_bytes ? (a_bytes < b_bytes ? -1 : 1) : memcmp(a, b, a_bytes);
}

static int compare(const void *a, const void *b)
{
    const char *x = a, *y = b, *x_slash = strchr(x, '/'), *y_slash = strchr(y, '/');

    int order = compare_part(x, x_slash ? (size_t)(x_slash - x) : 0, y,
                             y_slash ? (size_t)(y_slash - y) : 0);
    if (order) {
        return order;
    }
    x = x_slash ? x_slash + 1 : x;
    y = y_slash ? y_slash + 1 : y;
    order = compare_part(x, strcspn(x, "."), y, strcspn(y, "."));
    return order ? order : strcmp(x, y);
}

int lod_record_names_list(struct lod_store *store, struct lod_buf *names)
{
    struct listing listing = {.store = store, .names = names};

    int error = lod_store_list(store, LOD_RECORDS_NAME, list_name, &listing);
    if (!error && names->bytes) {
        qsort(names->data, names->bytes / NAME_ROOM, NAME_ROOM, compare);
    }
    return error;
}

const char *lod_record_names_at(const struct lod_buf *names, uint32_t number)
{
    return number < names->bytes / NAME_ROOM ? (const char *)names->data + number * NAME_ROOM
                                             : NULL;
}

bool lod_record_name_valid(const char *name)
{
    const char *suffix = strrchr(name, '.');
    struct lod_record_desc recd = {0};

    for (unsigned id = 0; suffix && id < LOD_CODECS; id++) {
        const struct lod_codec *codec = lod_codec_find(id);
        if (codec && strcmp(codec->name, suffix + 1) == 0) {
            recd.codec = (uint8_t)id;
            snprintf(recd.path, sizeof(recd.path), "%s", name);
            return lod_record_desc_check_path(&recd) == 0;
        }
    }
    return false;
}

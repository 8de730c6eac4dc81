/* SPDX-License-Identifier: Apache-2.0 */
/* See failure.h. Names and paths come from the store, so they are escaped. */
#include "failure.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataset.h"
#include "log.h"

#define ESCAPED_BYTES (4 * LOD_PATH_MAX + 1)

/* Errors that say nothing about stored bytes; all others are logged and become -EIO. */
static bool passes(int error)
{
    return error == 0 || error == -ENOMEM || error == -EINTR;
}

static const char *cause(int error)
{
    switch (error) {
    case -EBADMSG:
        return "its hash differs: damaged";
    case -EILSEQ:
        return "malformed";
    case -ENOTSUP:
        return "it needs a newer lodfs";
    case -ENOENT:
        return "there is no such file";
    default:
        return strerror(-error);
    }
}

int lod_failure_of_row(const char *location, const char *what, uint32_t number, int error)
{
    char store[512];

    if (passes(error)) {
        return error;
    }
    lod_log(LOD_LOG_ERROR, "store %s: index: %s %" PRIu32 ": %s",
            lod_escape(location, strlen(location), store, sizeof(store)), what, number,
            cause(error));
    return -EIO;
}

/* The escaped path of the item's own node, for a log line; says so where there is none. */
static void describe_owner(struct lod_index *index, const struct lod_item *item,
                           char text[ESCAPED_BYTES])
{
    char path[LOD_PATH_MAX + 1];
    struct lod_node node;

    if (item->codec->id == LOD_CODEC_TREE) {
        snprintf(text, ESCAPED_BYTES, "(the tree list)");
    } else if (lod_index_node(index, lod_row_own_node(item->row), &node) ||
               lod_index_path(index, &node, path)) {
        snprintf(text, ESCAPED_BYTES, "(its path cannot be read)");
    } else {
        lod_escape(path, strlen(path), text, ESCAPED_BYTES);
    }
}

int lod_failure_of_frame(struct lod_index *index, const char *location,
                         const struct lod_failure *failure, int error)
{
    const struct lod_item *item = failure->item;
    char store[512], at[96], *path;

    if (passes(error)) {
        return error;
    }
    path = malloc(ESCAPED_BYTES);
    if (path) {
        describe_owner(index, item, path);
    }
    at[0] = '\0';
    if (failure->group) {
        snprintf(at, sizeof(at), " group %u frame %" PRIu64 " offset %" PRIu64, failure->group,
                 failure->frame, failure->offset);
    }
    lod_log(LOD_LOG_ERROR, "store %s: record %s item %" PRIu32 " (slot %" PRIu32 ")%s: %s: %s",
            lod_escape(location, strlen(location), store, sizeof(store)), item->recd.path,
            item->number, item->number - item->recd.first_item, at, cause(error),
            path ? path : "(no memory for its path)");
    free(path);
    return -EIO;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* See remote_object.h. */
#include "remote/remote_object.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "remote/remote_read.h"

#define HEAD_BYTES (64u << 10)
/* Smaller parts wait longer for their first byte than for the rest. */
#define PART_LEAST (1u << 20)

struct object {
    struct lod_remote *remote;
    struct lod_remote_target target;
    uint8_t *head; /* the first bytes; NULL: none are kept */
    size_t head_bytes;
    char name[LOD_OBJECT_NAME_MAX + 1];
};

/* The first request returns the object's size, and often all of its bytes. */
static int read_head(struct object *object)
{
    struct lod_range range = {.bytes = HEAD_BYTES};
    struct lod_read_time time = {0};

    object->head = range.into = malloc(HEAD_BYTES);
    if (!object->head) {
        return -ENOMEM;
    }
    lod_remote_read(object->remote, &object->target, &range, 1, &time);
    const uint64_t total = object->target.total;
    object->head_bytes = total < HEAD_BYTES ? (size_t)total : HEAD_BYTES;
    return range.error;
}

int lod_remote_object_open(void *state, const char *name, const struct lod_object_facts *facts,
                           void **ret_object, uint64_t *ret_bytes)
{
    struct object *object = calloc(1, sizeof(*object));

    if (!object) {
        return -ENOMEM;
    }
    object->remote = state;
    memcpy(object->name, name, strlen(name)); /* LOD_OBJECT_NAME_MAX at most: store.c checked it */
    object->target.name = object->name;
    object->target.total = facts ? facts->bytes : 0;
    int error = object->target.total ? 0 : read_head(object);
    if (error) {
        lod_remote_object_close(object);
        return error;
    }
    *ret_object = object;
    *ret_bytes = object->target.total;
    return 0;
}

void lod_remote_object_close(void *state)
{
    struct object *object = state;

    free(object->head);
    free(object);
}

void lod_remote_object_read(void *state, struct lod_range *ranges, unsigned count,
                            enum lod_read_class class, struct lod_read_time *ret_time)
{
    struct object *object = state;
    unsigned from = 0;

    (void)class; /* requests of both classes have connections of their own */
    while (from < count && ranges[from].offset + ranges[from].bytes <= object->head_bytes) {
        memcpy(ranges[from].into, object->head + ranges[from].offset, ranges[from].bytes);
        ranges[from++].error = 0;
    }
    if (from < count) {
        lod_remote_read(object->remote, &object->target, ranges + from, count - from, ret_time);
    }
}

/* One connection rarely fills a line, least of all a new one (RFC 5681, 3.1: slow start). */
int lod_remote_object_load(void *state, uint64_t offset, void *into, size_t bytes,
                           enum lod_read_class class, unsigned parts,
                           struct lod_read_time *ret_time)
{
    struct lod_range ranges[LOD_HTTP_LANE_MAX];
    const unsigned most = parts < LOD_HTTP_LANE_MAX ? parts : LOD_HTTP_LANE_MAX;
    const size_t share = lod_load_whole(bytes / most + 1);
    const size_t size = share > PART_LEAST ? share : PART_LEAST;
    unsigned count = 0;
    int error = 0;

    for (size_t at = 0; at < bytes; at += ranges[count++].bytes) {
        const size_t left = bytes - at;
        ranges[count] = (struct lod_range){.offset = offset + at,
                                           .into = (uint8_t *)into + at,
                                           .bytes = left < size ? left : size};
    }
    lod_remote_object_read(state, ranges, count, class, ret_time);
    for (unsigned i = 0; i < count; i++) {
        error = error ? error : ranges[i].error;
    }
    return error;
}

/* From now on another connection is used. Only the manifest has bytes that are kept, and it is read
 * once, so a report never concerns kept bytes. */
bool lod_remote_object_report_wrong(void *state, uint64_t offset, size_t bytes)
{
    struct object *object = state;
    struct lod_remote *remote = object->remote;
    const uint64_t key = lod_hash64(object->name, strlen(object->name), offset) ^ bytes;
    bool known = false;

    pthread_mutex_lock(&remote->lock);
    for (unsigned i = 0; i < LOD_REMOTE_WRONG_RANGES && i < remote->wrong_count; i++) {
        known = known || remote->wrong_ranges[i] == key;
    }
    if (!known) {
        remote->wrong_ranges[remote->wrong_count++ % LOD_REMOTE_WRONG_RANGES] = key;
        remote->generation++;
    }
    pthread_mutex_unlock(&remote->lock);
    return !known;
}

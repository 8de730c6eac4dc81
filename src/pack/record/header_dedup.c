/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table of byte strings, compared byte by byte; see header_dedup.h. */
#include "pack/record/header_dedup.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"

#define ROOM_MIN 16u

struct lod_header_dedup_header {
    struct lod_buf bytes; /* data NULL: this entry is free */
    uint64_t hash;
    uint32_t slot;
};

static bool same(const struct lod_header_dedup_header *header, struct lod_span bytes, uint64_t hash)
{
    return header->hash == hash && header->bytes.bytes == bytes.bytes &&
           memcmp(header->bytes.data, bytes.at, bytes.bytes) == 0;
}

/* Returns the place of these bytes, or the free place where they belong. There is always one. */
static struct lod_header_dedup_header *place_of(const struct lod_header_dedup *shared,
                                                struct lod_span bytes, uint64_t hash)
{
    uint32_t at = (uint32_t)hash & (shared->room - 1);

    while (shared->headers[at].bytes.data && !same(&shared->headers[at], bytes, hash)) {
        at = (at + 1) & (shared->room - 1);
    }
    return &shared->headers[at];
}

/* Grows the table, so that it is at most half full. */
static int grow(struct lod_header_dedup *shared)
{
    struct lod_header_dedup larger = {.count = shared->count,
                                      .room = shared->room ? 2 * shared->room : ROOM_MIN};

    if (2 * (shared->count + 1) <= shared->room) {
        return 0;
    }
    larger.headers = calloc(larger.room, sizeof(larger.headers[0]));
    if (!larger.headers) {
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < shared->room; i++) {
        const struct lod_header_dedup_header *header = &shared->headers[i];
        if (header->bytes.data) {
            *place_of(&larger, lod_buf_span(&header->bytes), header->hash) = *header;
        }
    }
    free(shared->headers);
    *shared = larger;
    return 0;
}

int lod_header_dedup_find(struct lod_header_dedup *shared, struct lod_span header, uint32_t slot,
                          uint32_t *ret_slot)
{
    uint64_t hash = lod_hash64(header.at, header.bytes, 0);
    struct lod_buf bytes = {0};
    int error = grow(shared);

    if (error) {
        return error;
    }
    struct lod_header_dedup_header *place = place_of(shared, header, hash);
    if (!place->bytes.data) {
        error = lod_buf_append(&bytes, header.at, header.bytes);
        if (error || header.bytes == 0) {
            *ret_slot = slot;
            return error;
        }
        *place = (struct lod_header_dedup_header){.bytes = bytes, .hash = hash, .slot = slot};
        shared->count++;
    }
    *ret_slot = place->slot;
    return 0;
}

void lod_header_dedup_finish(struct lod_header_dedup *shared)
{
    for (uint32_t i = 0; i < shared->room; i++) {
        lod_buf_finish(&shared->headers[i].bytes);
    }
    free(shared->headers);
    *shared = (struct lod_header_dedup){0};
}

/* SPDX-License-Identifier: Apache-2.0 */
/* See spare.h. In front of what is taken stands how much it is. */
#include "spare.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HEAD 64u /* and what is behind it begins at a cache line */

static size_t room_of(const void *piece)
{
    size_t room;
    memcpy(&room, piece, sizeof(room));
    return room;
}

void lod_spare_init(struct lod_spare *spare)
{
    *spare = (struct lod_spare){.count = 0};
    pthread_mutex_init(&spare->lock, NULL);
}

void lod_spare_finish(struct lod_spare *spare)
{
    for (unsigned i = 0; i < spare->count; i++) {
        free(spare->piece[i]);
    }
    pthread_mutex_destroy(&spare->lock);
}

/* The lock is held. */
static void *take_out(struct lod_spare *spare, unsigned at)
{
    void *piece = spare->piece[at];

    spare->count--;
    memmove(&spare->piece[at], &spare->piece[at + 1], (spare->count - at) * sizeof(piece));
    spare->bytes -= room_of(piece);
    return piece;
}

/* One that is large enough and of which less than a quarter would be idle. */
static void *find(struct lod_spare *spare, size_t bytes)
{
    void *piece = NULL;

    pthread_mutex_lock(&spare->lock);
    for (unsigned i = spare->count; i > 0 && !piece; i--) {
        const size_t room = room_of(spare->piece[i - 1]);
        if (room >= bytes && room - bytes <= room / 4) {
            piece = take_out(spare, i - 1);
        }
    }
    pthread_mutex_unlock(&spare->lock);
    return piece;
}

void *lod_spare_take(struct lod_spare *spare, size_t bytes)
{
    uint8_t *piece = spare && bytes >= LOD_SPARE_LEAST ? find(spare, bytes) : NULL;

    if (!piece && bytes < SIZE_MAX / 2) {
        const size_t room = (bytes + HEAD - 1) / HEAD * HEAD;
        piece = aligned_alloc(HEAD, HEAD + room);
        if (piece) {
            memcpy(piece, &room, sizeof(room));
        }
    }
    return piece ? piece + HEAD : NULL;
}

/* The lock is held. What was given back first goes. */
static unsigned make_room(struct lod_spare *spare, size_t bytes, void *freed[LOD_SPARE_PIECES])
{
    unsigned count = 0;

    while (spare->count == LOD_SPARE_PIECES ||
           (spare->count && spare->bytes + bytes > LOD_SPARE_BYTES_MAX)) {
        freed[count++] = take_out(spare, 0);
    }
    return count;
}

void lod_spare_give(struct lod_spare *spare, void *at)
{
    void *piece = at ? (uint8_t *)at - HEAD : NULL, *freed[LOD_SPARE_PIECES];
    const size_t room = piece ? room_of(piece) : 0;
    unsigned count = 0;

    if (!spare || room < LOD_SPARE_LEAST || room > LOD_SPARE_BYTES_MAX) {
        free(piece);
        return;
    }
    pthread_mutex_lock(&spare->lock);
    count = make_room(spare, room, freed);
    spare->piece[spare->count++] = piece;
    spare->bytes += room;
    pthread_mutex_unlock(&spare->lock);
    while (count) {
        free(freed[--count]);
    }
}

struct spare_blob {
    struct lod_blob blob;
    struct lod_spare *spare;
};

static void destroy(struct lod_blob *blob)
{
    struct spare_blob *own = (struct spare_blob *)blob;

    lod_spare_give(own->spare, own->blob.data);
    free(own);
}

int lod_spare_blob(struct lod_spare *spare, size_t bytes, struct lod_blob **ret_blob)
{
    struct spare_blob *own = malloc(sizeof(*own));
    uint8_t *data = own ? lod_spare_take(spare, bytes) : NULL;

    if (!data) {
        free(own);
        return -ENOMEM;
    }
    *own = (struct spare_blob){.blob = {.bytes = bytes,
                                        .idle = room_of(data - HEAD) - bytes,
                                        .destroy = destroy,
                                        .data = data},
                               .spare = spare};
    atomic_init(&own->blob.refs, 1);
    *ret_blob = &own->blob;
    return 0;
}

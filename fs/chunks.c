/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One lock for the lists, held for pointer work only; a chunk is emptied without it. Pages come
 * from mmap and stay until the budget is wanted elsewhere: no huge pages, whose first touch took
 * longer here than that of the 512 small ones they stand for.
 */
#include "chunks.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "chunk_queue.h"

#define ALIGNED(bytes) (((bytes) + 15) & ~(size_t)15)
#define CHUNKS_MIN     32u /* so many fit a budget, or they are of the smallest size */
#define PAGE_BYTES     4096u

/*
 * Of a CHEAP chunk so much is used before the next one is: four in turn are a MiB, which a core's
 * cache holds. What is larger than that finds room behind it.
 */
#define CHEAP_FRONT (256u << 10)

struct lod_chunks {
    struct lod_room *room;
    lod_chunk_forget forget;
    void *forget_ctx;
    size_t chunk_bytes;
    atomic_size_t cheap_max;
    atomic_size_t bytes; /* of the room */
    atomic_uint_fast64_t forgotten;
    pthread_mutex_t lock;
    struct lod_chunk *free; /* guarded by lock, like all below; last in first out */
    struct lod_chunk_queue queues[LOD_CHUNK_KINDS]; /* full ones; one reference each */
    struct lod_chunk *open[LOD_CHUNK_KINDS];        /* being filled; NULL: none; one reference */
};

size_t lod_chunk_bytes(size_t bytes_max)
{
    size_t bytes = LOD_CHUNK_BYTES_MIN;

    while (bytes < bytes_max / CHUNKS_MIN && bytes < LOD_CHUNK_BYTES_MAX) {
        bytes *= 2;
    }
    return bytes < LOD_CHUNK_BYTES_MAX ? bytes : LOD_CHUNK_BYTES_MAX;
}

/* -------------------------------------------------------------------------------- memory */

static void release(struct lod_chunk *chunk)
{
    struct lod_chunks *chunks = chunk->chunks;

    munmap(chunk->memory, chunk->bytes);
    atomic_fetch_sub(&chunks->bytes, chunk->bytes);
    lod_room_give(chunks->room, chunk->bytes);
    free(chunk);
}

/* The last reference is gone: a chunk of the usual size waits for its next use. */
static void recycle(struct lod_blob *blob)
{
    struct lod_chunk *chunk = (struct lod_chunk *)blob;
    struct lod_chunks *chunks = chunk->chunks;

    if (chunk->bytes != chunks->chunk_bytes) {
        release(chunk);
        return;
    }
    pthread_mutex_lock(&chunks->lock);
    chunk->after = chunks->free;
    chunks->free = chunk;
    pthread_mutex_unlock(&chunks->lock);
}

static void free_own(struct lod_blob *blob)
{
    struct lod_chunk *chunk = (struct lod_chunk *)blob;

    free(chunk->memory);
    free(chunk);
}

/* A chunk of `bytes` that the room has space for, without a reference. NULL: it has none. */
static struct lod_chunk *grow(struct lod_chunks *chunks, size_t bytes)
{
    if (!lod_room_take(chunks->room, bytes)) {
        return NULL;
    }
    struct lod_chunk *chunk = calloc(1, sizeof(*chunk));
    void *memory =
        chunk ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
              : MAP_FAILED;
    if (memory == MAP_FAILED) {
        lod_room_give(chunks->room, bytes);
        free(chunk);
        return NULL;
    }
    atomic_fetch_add(&chunks->bytes, bytes);
    chunk->chunks = chunks;
    chunk->memory = memory;
    chunk->bytes = bytes;
    chunk->blob.destroy = recycle;
    return chunk;
}

void *lod_chunks_take_own(struct lod_chunks *chunks, size_t bytes, struct lod_chunk **ret_chunk)
{
    struct lod_chunk *chunk = calloc(1, sizeof(*chunk));
    void *memory = malloc(bytes);

    if (!chunk || !memory) {
        free(chunk);
        free(memory);
        return NULL;
    }
    chunk->chunks = chunks;
    chunk->memory = memory;
    chunk->bytes = chunk->used = bytes;
    chunk->blob.destroy = free_own;
    atomic_init(&chunk->blob.refs, 1);
    *ret_chunk = chunk;
    return memory;
}

/* ------------------------------------------------------------------------------ giving up */

/* KEPT ones have a second round; see chunks.h. NULL: others hold all of them. */
static struct lod_chunk *victim(struct lod_chunks *chunks, enum lod_chunk_kind kind)
{
    return lod_chunk_victim(&chunks->queues[kind], kind == LOD_CHUNK_KEPT);
}

/* What is being filled goes too if there is nothing else. */
static struct lod_chunk *any_victim(struct lod_chunks *chunks)
{
    struct lod_chunk *chunk = victim(chunks, LOD_CHUNK_CHEAP);

    chunk = chunk ? chunk : victim(chunks, LOD_CHUNK_KEPT);
    for (unsigned kind = 0; !chunk && kind < LOD_CHUNK_KINDS; kind++) {
        if (chunks->open[kind]) {
            lod_chunk_push(&chunks->queues[kind], chunks->open[kind]);
            chunks->open[kind] = NULL;
            chunk = victim(chunks, kind);
        }
    }
    return chunk;
}

/* No lock is held. The chunk goes to the free list once nobody reads it any more. */
static void give_up(struct lod_chunks *chunks, struct lod_chunk *chunk)
{
    atomic_fetch_add_explicit(&chunks->forgotten, chunks->forget(chunks->forget_ctx, chunk),
                              memory_order_relaxed);
    lod_blob_unref(&chunk->blob);
}

/* -------------------------------------------------------------------------------- taking */

/* Memory out of a chunk. */
struct piece {
    struct lod_chunk *chunk;
    uint8_t *at;
    bool fresh; /* its pages were not used before */
};

static struct piece bump(struct lod_chunk *chunk, size_t bytes)
{
    struct piece piece = {.chunk = chunk, .at = chunk->memory + chunk->used};

    chunk->used += bytes;
    piece.fresh = chunk->used > chunk->paged;
    chunk->paged = piece.fresh ? chunk->used : chunk->paged;
    lod_blob_ref(&chunk->blob);
    return piece;
}

/*
 * Pages at once, for less than one by one, and before a request is timed. Where the kernel cannot,
 * they come as they are touched.
 */
static void page_in(const struct piece *piece, size_t bytes)
{
    uint8_t *from = piece->at - (uintptr_t)piece->at % PAGE_BYTES;

    (void)madvise(from, (size_t)(piece->at + bytes - from), MADV_POPULATE_WRITE);
}

/* An empty chunk with one reference, for a queue or `open`. NULL: none without giving one up. */
static struct lod_chunk *empty(struct lod_chunks *chunks, size_t bytes)
{
    struct lod_chunk *chunk = bytes == chunks->chunk_bytes ? chunks->free : NULL;

    if (chunk) {
        chunks->free = chunk->after;
    } else {
        chunk = grow(chunks, bytes);
    }
    if (chunk) {
        chunk->used = 0;
        atomic_init(&chunk->entries, NULL);
        atomic_init(&chunk->touched, false);
        atomic_init(&chunk->blob.refs, 1);
    }
    return chunk;
}

static bool cheap_is_full(const struct lod_chunks *chunks, enum lod_chunk_kind kind)
{
    return kind == LOD_CHUNK_CHEAP && chunks->queues[kind].bytes >= atomic_load(&chunks->cheap_max);
}

static bool has_room(struct lod_chunks *chunks, enum lod_chunk_kind kind, size_t bytes)
{
    const struct lod_chunk *open = chunks->open[kind];
    bool front = kind == LOD_CHUNK_CHEAP && atomic_load(&chunks->cheap_max) <= LOD_CHEAP_BYTES;

    return open && bytes <= open->bytes - open->used && (!front || open->used < CHEAP_FRONT);
}

/* Under the lock: the memory; or none, with a chunk to give up first if there is one. */
static struct piece try_take(struct lod_chunks *chunks, size_t bytes, enum lod_chunk_kind kind,
                             struct lod_chunk **ret_victim)
{
    struct lod_chunk **open = &chunks->open[kind], *chunk = NULL;
    bool large = bytes > chunks->chunk_bytes;

    if (has_room(chunks, kind, bytes)) {
        return bump(*open, bytes);
    }
    *ret_victim = cheap_is_full(chunks, kind) && !chunks->free ? victim(chunks, kind) : NULL;
    if (*ret_victim) {
        return (struct piece){0};
    }
    chunk = empty(chunks, large ? bytes : chunks->chunk_bytes);
    if (!chunk) {
        *ret_victim = any_victim(chunks);
        return (struct piece){0};
    }
    if (large) {
        lod_chunk_push(&chunks->queues[kind], chunk);
        return bump(chunk, bytes);
    }
    if (*open) {
        lod_chunk_push(&chunks->queues[kind], *open);
    }
    *open = chunk;
    return bump(chunk, bytes);
}

/* Free chunks are of no use to one larger than they are. Under the lock. False: there were none. */
static bool drop_free(struct lod_chunks *chunks)
{
    bool any = chunks->free;

    while (chunks->free) {
        struct lod_chunk *chunk = chunks->free;
        chunks->free = chunk->after;
        release(chunk);
    }
    return any;
}

void *lod_chunks_take(struct lod_chunks *chunks, size_t bytes, enum lod_chunk_kind kind,
                      struct lod_chunk **ret_chunk)
{
    struct lod_chunk *given_up = NULL;
    struct piece piece = {0};
    bool again = false;

    bytes = ALIGNED(bytes);
    if (bytes > chunks->room->bytes_max || chunks->chunk_bytes > chunks->room->bytes_max) {
        return NULL;
    }
    do {
        pthread_mutex_lock(&chunks->lock);
        piece = try_take(chunks, bytes, kind, &given_up);
        again = !piece.at && bytes > chunks->chunk_bytes && drop_free(chunks);
        pthread_mutex_unlock(&chunks->lock);
        if (!piece.at && given_up) {
            give_up(chunks, given_up);
            again = true;
        }
    } while (again);
    if (piece.fresh) {
        page_in(&piece, bytes);
    }
    *ret_chunk = piece.at ? piece.chunk : *ret_chunk;
    return piece.at;
}

size_t lod_chunks_left(struct lod_chunks *chunks, enum lod_chunk_kind kind)
{
    pthread_mutex_lock(&chunks->lock);
    const struct lod_chunk *open = chunks->open[kind];
    size_t left = open ? (open->bytes - open->used) & ~(size_t)15 : 0;
    pthread_mutex_unlock(&chunks->lock);
    return left;
}

void lod_chunks_set_cheap(struct lod_chunks *chunks, size_t bytes)
{
    atomic_store(&chunks->cheap_max, bytes);
}

size_t lod_chunks_usual(const struct lod_chunks *chunks)
{
    return chunks->chunk_bytes;
}

void lod_chunks_shrink(struct lod_chunks *chunks, size_t bytes)
{
    size_t before = atomic_load(&chunks->bytes), half = chunks->room->bytes_max / 2;
    bool more = true;

    while (more && atomic_load(&chunks->bytes) + bytes > before &&
           atomic_load(&chunks->bytes) > half) {
        pthread_mutex_lock(&chunks->lock);
        drop_free(chunks);
        struct lod_chunk *chunk = any_victim(chunks);
        pthread_mutex_unlock(&chunks->lock);
        if (chunk) {
            give_up(chunks, chunk);
        }
        more = chunk;
    }
    pthread_mutex_lock(&chunks->lock);
    drop_free(chunks);
    pthread_mutex_unlock(&chunks->lock);
}

/* -------------------------------------------------------------------------------- the rest */

int lod_chunks_create(struct lod_room *room, lod_chunk_forget forget, void *ctx,
                      struct lod_chunks **ret_chunks)
{
    struct lod_chunks *chunks = calloc(1, sizeof(*chunks));

    if (!chunks) {
        return -ENOMEM;
    }
    chunks->room = room;
    chunks->forget = forget;
    chunks->forget_ctx = ctx;
    chunks->chunk_bytes = lod_chunk_bytes(room->bytes_max);
    atomic_init(&chunks->cheap_max, LOD_CHEAP_BYTES);
    pthread_mutex_init(&chunks->lock, NULL);
    *ret_chunks = chunks;
    return 0;
}

struct lod_chunks *lod_chunks_destroy(struct lod_chunks *chunks)
{
    for (unsigned kind = 0; chunks && kind < LOD_CHUNK_KINDS; kind++) {
        if (chunks->open[kind]) {
            lod_chunk_push(&chunks->queues[kind], chunks->open[kind]);
        }
        while (chunks->queues[kind].first) {
            give_up(chunks, lod_chunk_pop(&chunks->queues[kind]));
        }
    }
    if (chunks) {
        drop_free(chunks);
        assert(atomic_load(&chunks->bytes) == 0);
        pthread_mutex_destroy(&chunks->lock);
        free(chunks);
    }
    return NULL;
}

struct lod_chunks_stats lod_chunks_stats(struct lod_chunks *chunks)
{
    return (struct lod_chunks_stats){
        .bytes = atomic_load(&chunks->bytes),
        .forgotten = atomic_load_explicit(&chunks->forgotten, memory_order_relaxed),
    };
}

/* SPDX-License-Identifier: Apache-2.0 */
/* One lock guards the lists. It is held for pointer work only; a chunk is emptied without it. */
#include "framecache/frame_arena.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "framecache/chunk_memory.h"
#include "framecache/frame_arena_state.h"

#define ALIGNED(bytes) (((bytes) + 15) & ~(size_t)15)
/* The limit holds at least this many chunks, unless they have the smallest size. */
#define CHUNKS_MIN 32u

/* Pages are mapped in steps of this size: a system call for each small frame would cost more than
 * the frame. */
#define PAGED_STEP (64u << 10)

/*
 * Only the front of a RECENT chunk is used. Four fronts are 1 MiB, which fits a core's cache. A
 * larger take can use the space behind the front.
 */
#define RECENT_FRONT (256u << 10)

/* Returns the size of a chunk for a limit of `bytes_max`. */
static size_t chunk_bytes(size_t bytes_max)
{
    size_t bytes = LOD_CHUNK_BYTES_MIN;

    while (bytes < bytes_max / CHUNKS_MIN && bytes < LOD_CHUNK_BYTES_MAX) {
        bytes *= 2;
    }
    return bytes < LOD_CHUNK_BYTES_MAX ? bytes : LOD_CHUNK_BYTES_MAX;
}

/* -------------------------------------------------------------------------------- memory */

/* Called when the last reference is dropped: keeps a chunk of the usual size for its next use. */
static void recycle(struct lod_blob *blob)
{
    struct lod_chunk *chunk = (struct lod_chunk *)blob;
    struct lod_frame_arena *arena = chunk->arena;

    if (chunk->bytes != arena->chunk_bytes) {
        lod_frame_arena_release(chunk);
        return;
    }
    pthread_mutex_lock(&arena->lock);
    chunk->after = arena->free;
    arena->free = chunk;
    pthread_mutex_unlock(&arena->lock);
}

static void free_own(struct lod_blob *blob)
{
    struct lod_chunk *chunk = (struct lod_chunk *)blob;

    free(chunk->memory);
    free(chunk);
}

/* Allocates a chunk within the limit, without a reference. Returns NULL if there is no room. */
static struct lod_chunk *grow(struct lod_frame_arena *arena, size_t bytes)
{
    if (!lod_byte_limit_take(arena->limit, bytes)) {
        return NULL;
    }
    struct lod_chunk *chunk = calloc(1, sizeof(*chunk));
    void *memory = chunk ? lod_chunk_memory(bytes) : NULL;
    if (!memory) {
        lod_byte_limit_release(arena->limit, bytes);
        free(chunk);
        return NULL;
    }
    atomic_fetch_add(&arena->bytes, bytes);
    chunk->arena = arena;
    chunk->memory = memory;
    chunk->bytes = bytes;
    chunk->paged = bytes < LOD_CHUNK_BYTES_MIN ? bytes : 0;
    chunk->blob.destroy = recycle;
    return chunk;
}

void *lod_frame_arena_take_own(struct lod_frame_arena *arena, size_t bytes,
                               struct lod_chunk **ret_chunk)
{
    struct lod_chunk *chunk = calloc(1, sizeof(*chunk));
    void *memory = malloc(bytes);

    if (!chunk || !memory) {
        free(chunk);
        free(memory);
        return NULL;
    }
    chunk->arena = arena;
    chunk->memory = memory;
    chunk->bytes = chunk->used = bytes;
    chunk->blob.destroy = free_own;
    atomic_init(&chunk->blob.refs, 1);
    *ret_chunk = chunk;
    return memory;
}

/* -------------------------------------------------------------------------------- taking */

/* A place in a chunk. */
struct piece {
    struct lod_chunk *chunk;
    uint8_t *at;
    uint8_t *fresh; /* pages to be mapped */
    size_t fresh_bytes;
};

static struct piece bump(struct lod_chunk *chunk, size_t bytes)
{
    struct piece piece = {.chunk = chunk, .at = chunk->memory + chunk->used};

    chunk->used += bytes;
    if (chunk->used > chunk->paged) {
        const size_t steps = (chunk->used + PAGED_STEP - 1) / PAGED_STEP * PAGED_STEP;
        const size_t paged = steps < chunk->bytes ? steps : chunk->bytes;
        piece.fresh = chunk->memory + chunk->paged;
        piece.fresh_bytes = paged - chunk->paged;
        chunk->paged = paged;
    }
    lod_blob_ref(&chunk->blob);
    return piece;
}

/* Returns an empty chunk with one reference. Returns NULL if that needs an eviction. */
static struct lod_chunk *empty(struct lod_frame_arena *arena, size_t bytes)
{
    struct lod_chunk *chunk = bytes == arena->chunk_bytes ? arena->free : NULL;

    if (chunk) {
        arena->free = chunk->after;
    } else {
        chunk = grow(arena, bytes);
    }
    if (chunk) {
        chunk->used = 0;
        atomic_init(&chunk->entries, NULL);
        atomic_init(&chunk->touched, false);
        atomic_init(&chunk->blob.refs, 1);
    }
    return chunk;
}

static bool recent_is_full(const struct lod_frame_arena *arena, enum lod_chunk_kind kind)
{
    return kind == LOD_CHUNK_RECENT && arena->queues[kind].bytes >= LOD_RECENT_BYTES;
}

/* Returns whether a request for memory gets a chunk of exactly its size. */
static bool is_single(const struct lod_frame_arena *arena, enum lod_chunk_kind kind, size_t bytes)
{
    return kind == LOD_CHUNK_LISTED || bytes > arena->chunk_bytes;
}

static bool has_room(struct lod_frame_arena *arena, enum lod_chunk_kind kind, size_t bytes)
{
    const struct lod_chunk *open = arena->open[kind];
    bool front = kind == LOD_CHUNK_RECENT;

    return open && bytes <= open->bytes - open->used && (!front || open->used < RECENT_FRONT);
}

/* Returns the memory. If there is none, sets *ret_victim to a chunk that must be evicted first, if
 * there is one. `claimed`: see lod_frame_arena_victim_for. `ret_victim` NULL: evict none. The lock
 * is held. */
static struct piece try_take(struct lod_frame_arena *arena, size_t bytes, enum lod_chunk_kind kind,
                             bool claimed, struct lod_chunk **ret_victim)
{
    struct lod_chunk **open = &arena->open[kind], *chunk = NULL;
    const bool single = is_single(arena, kind, bytes);

    if (has_room(arena, kind, bytes)) {
        return bump(*open, bytes);
    }
    if (ret_victim && recent_is_full(arena, kind) && !arena->free) {
        *ret_victim = lod_frame_arena_victim(arena, kind);
        if (*ret_victim) {
            return (struct piece){0};
        }
    }
    chunk = empty(arena, single ? bytes : arena->chunk_bytes);
    if (!chunk) {
        if (ret_victim) {
            *ret_victim = lod_frame_arena_victim_for(arena, kind, claimed);
        }
        return (struct piece){0};
    }
    chunk->kind = (uint8_t)kind;
    if (single) {
        lod_chunk_push(&arena->queues[kind], chunk);
        return bump(chunk, bytes);
    }
    if (*open) {
        lod_chunk_push(&arena->queues[kind], *open);
    }
    *open = chunk;
    return bump(chunk, bytes);
}

/* Evicts, or claims memory of made units, until there is memory or none can be had. */
static struct piece take_evicting(struct lod_frame_arena *arena, size_t bytes,
                                  enum lod_chunk_kind kind)
{
    const bool single = is_single(arena, kind, bytes);
    struct piece piece;
    bool again, claimed = false;

    do {
        struct lod_chunk *given_up = NULL;
        pthread_mutex_lock(&arena->lock);
        piece = try_take(arena, bytes, kind, claimed, &given_up);
        again = !piece.at && single && lod_frame_arena_drop_free(arena);
        pthread_mutex_unlock(&arena->lock);
        if (given_up) {
            lod_frame_arena_evict(arena, given_up);
            again = true;
        } else if (!piece.at && !again && !claimed) {
            lod_frame_arena_claim(arena, single ? bytes : arena->chunk_bytes, kind);
            claimed = again = true;
        }
    } while (again);
    return piece;
}

static struct piece take_free(struct lod_frame_arena *arena, size_t bytes, enum lod_chunk_kind kind)
{
    pthread_mutex_lock(&arena->lock);
    const struct piece piece = try_take(arena, bytes, kind, true, NULL);
    pthread_mutex_unlock(&arena->lock);

    return piece;
}

static void *take(struct lod_frame_arena *arena, size_t bytes, enum lod_chunk_kind kind, bool evict,
                  struct lod_chunk **ret_chunk)
{
    bytes = ALIGNED(bytes);
    if (bytes > arena->limit->bytes_max || arena->chunk_bytes > arena->limit->bytes_max) {
        return NULL;
    }
    const struct piece piece =
        evict ? take_evicting(arena, bytes, kind) : take_free(arena, bytes, kind);
    if (piece.fresh) { /* before a request is timed; older kernels map each page at its use */
        (void)madvise(piece.fresh, piece.fresh_bytes, MADV_POPULATE_WRITE);
    }
    *ret_chunk = piece.at ? piece.chunk : *ret_chunk;
    return piece.at;
}

void *lod_frame_arena_take(struct lod_frame_arena *arena, size_t bytes, enum lod_chunk_kind kind,
                           struct lod_chunk **ret_chunk)
{
    return take(arena, bytes, kind, true, ret_chunk);
}

void *lod_frame_arena_take_free(struct lod_frame_arena *arena, size_t bytes,
                                enum lod_chunk_kind kind, struct lod_chunk **ret_chunk)
{
    return take(arena, bytes, kind, false, ret_chunk);
}

size_t lod_frame_arena_left(struct lod_frame_arena *arena, enum lod_chunk_kind kind)
{
    pthread_mutex_lock(&arena->lock);
    const struct lod_chunk *open = arena->open[kind];
    size_t left = open ? (open->bytes - open->used) & ~(size_t)15 : 0;
    pthread_mutex_unlock(&arena->lock);
    return left;
}

size_t lod_frame_arena_usual(const struct lod_frame_arena *arena)
{
    return arena->chunk_bytes;
}

/* -------------------------------------------------------------------------------- the rest */

int lod_frame_arena_create(struct lod_byte_limit *limit, lod_chunk_forget forget, void *ctx,
                           struct lod_frame_arena **ret_chunks)
{
    struct lod_frame_arena *arena = calloc(1, sizeof(*arena));

    if (!arena) {
        return -ENOMEM;
    }
    arena->limit = limit;
    arena->forget = forget;
    arena->forget_ctx = ctx;
    arena->chunk_bytes = chunk_bytes(limit->bytes_max);
    pthread_mutex_init(&arena->lock, NULL);
    *ret_chunks = arena;
    return 0;
}

struct lod_frame_arena *lod_frame_arena_destroy(struct lod_frame_arena *arena)
{
    for (unsigned kind = 0; arena && kind < LOD_CHUNK_KINDS; kind++) {
        if (arena->open[kind]) {
            lod_chunk_push(&arena->queues[kind], arena->open[kind]);
        }
        while (arena->queues[kind].first) {
            lod_frame_arena_evict(arena, lod_chunk_pop(&arena->queues[kind]));
        }
    }
    if (arena) {
        lod_frame_arena_drop_free(arena);
        assert(atomic_load(&arena->bytes) == 0);
        pthread_mutex_destroy(&arena->lock);
        free(arena);
    }
    return NULL;
}

struct lod_frame_arena_stats lod_frame_arena_stats(struct lod_frame_arena *arena)
{
    return (struct lod_frame_arena_stats){
        .bytes = atomic_load(&arena->bytes),
        .forgotten = atomic_load_explicit(&arena->forgotten, memory_order_relaxed),
    };
}

/* SPDX-License-Identifier: Apache-2.0 */
/* One lock guards the lists. It is held for pointer work only; a chunk is emptied without it. */
#include "framecache/frame_arena.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "framecache/chunk_memory.h"
#include "framecache/chunk_queue.h"

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

struct lod_frame_arena {
    struct lod_byte_limit *limit;
    lod_chunk_forget forget;
    void *forget_ctx;
    size_t chunk_bytes;
    atomic_size_t bytes; /* of all chunks */
    atomic_uint_fast64_t forgotten;
    pthread_mutex_t lock;
    struct lod_chunk *free; /* last in, first out; guarded by lock, like all below */
    struct lod_chunk_queue queues[LOD_CHUNK_KINDS]; /* full chunks; one reference each */
    struct lod_chunk *open[LOD_CHUNK_KINDS];        /* being filled, one reference; or NULL */
};

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

static void release(struct lod_chunk *chunk)
{
    struct lod_frame_arena *arena = chunk->arena;

    lod_chunk_memory_free(chunk->memory, chunk->bytes);
    atomic_fetch_sub(&arena->bytes, chunk->bytes);
    lod_byte_limit_release(arena->limit, chunk->bytes);
    free(chunk);
}

/* Called when the last reference is dropped: keeps a chunk of the usual size for its next use. */
static void recycle(struct lod_blob *blob)
{
    struct lod_chunk *chunk = (struct lod_chunk *)blob;
    struct lod_frame_arena *arena = chunk->arena;

    if (chunk->bytes != arena->chunk_bytes) {
        release(chunk);
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

/* ------------------------------------------------------------------------------ giving up */

/* Chooses a chunk to evict, see frame_arena.h. Returns NULL if all are in use. */
static struct lod_chunk *victim(struct lod_frame_arena *arena, enum lod_chunk_kind kind)
{
    return lod_chunk_victim(&arena->queues[kind], kind == LOD_CHUNK_RETAINED);
}

/* Chooses a chunk of any kind; as the last resort one that is being filled. */
static struct lod_chunk *any_victim(struct lod_frame_arena *arena)
{
    struct lod_chunk *chunk = NULL;

    for (unsigned i = 0; !chunk && i < 2 * LOD_CHUNK_KINDS; i++) {
        const unsigned kind = i % LOD_CHUNK_KINDS;
        if (i >= LOD_CHUNK_KINDS && arena->open[kind]) {
            lod_chunk_push(&arena->queues[kind], arena->open[kind]);
            arena->open[kind] = NULL;
        }
        chunk = victim(arena, kind);
    }
    return chunk;
}

/* Evicts a chunk. It goes to the free list after its last reader. No lock is held. */
static void evict_chunk(struct lod_frame_arena *arena, struct lod_chunk *chunk)
{
    atomic_fetch_add_explicit(&arena->forgotten, arena->forget(arena->forget_ctx, chunk),
                              memory_order_relaxed);
    lod_blob_unref(&chunk->blob);
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
static bool is_alone(const struct lod_frame_arena *arena, enum lod_chunk_kind kind, size_t bytes)
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
 * there is one. `ret_victim` NULL: evict none. The lock is held. */
static struct piece try_take(struct lod_frame_arena *arena, size_t bytes, enum lod_chunk_kind kind,
                             struct lod_chunk **ret_victim)
{
    struct lod_chunk **open = &arena->open[kind], *chunk = NULL;
    const bool alone = is_alone(arena, kind, bytes);

    if (has_room(arena, kind, bytes)) {
        return bump(*open, bytes);
    }
    if (ret_victim) {
        *ret_victim = recent_is_full(arena, kind) && !arena->free ? victim(arena, kind) : NULL;
        if (*ret_victim) {
            return (struct piece){0};
        }
    }
    chunk = empty(arena, alone ? bytes : arena->chunk_bytes);
    if (!chunk) {
        if (ret_victim) {
            *ret_victim = any_victim(arena);
        }
        return (struct piece){0};
    }
    chunk->kind = (uint8_t)kind;
    if (alone) {
        lod_chunk_push(&arena->queues[kind], chunk);
        return bump(chunk, bytes);
    }
    if (*open) {
        lod_chunk_push(&arena->queues[kind], *open);
    }
    *open = chunk;
    return bump(chunk, bytes);
}

/* Frees the free chunks, which do not have the wanted size. Returns false if there were none. The
 * lock is held. */
static bool drop_free(struct lod_frame_arena *arena)
{
    bool any = arena->free;

    while (arena->free) {
        struct lod_chunk *chunk = arena->free;
        arena->free = chunk->after;
        release(chunk);
    }
    return any;
}

static void *take(struct lod_frame_arena *arena, size_t bytes, enum lod_chunk_kind kind, bool evict,
                  struct lod_chunk **ret_chunk)
{
    struct lod_chunk *given_up = NULL;
    struct piece piece = {0};
    bool again = false;

    bytes = ALIGNED(bytes);
    if (bytes > arena->limit->bytes_max || arena->chunk_bytes > arena->limit->bytes_max) {
        return NULL;
    }
    do {
        pthread_mutex_lock(&arena->lock);
        piece = try_take(arena, bytes, kind, evict ? &given_up : NULL);
        again = !piece.at && evict && is_alone(arena, kind, bytes) && drop_free(arena);
        pthread_mutex_unlock(&arena->lock);
        if (!piece.at && given_up) {
            evict_chunk(arena, given_up);
            again = true;
        }
    } while (again);
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

void lod_frame_arena_shrink(struct lod_frame_arena *arena, size_t bytes)
{
    size_t before = atomic_load(&arena->bytes), half = arena->limit->bytes_max / 2;
    bool more = true;

    while (more && atomic_load(&arena->bytes) + bytes > before &&
           atomic_load(&arena->bytes) > half) {
        pthread_mutex_lock(&arena->lock);
        drop_free(arena);
        struct lod_chunk *chunk = any_victim(arena);
        pthread_mutex_unlock(&arena->lock);
        if (chunk) {
            evict_chunk(arena, chunk);
        }
        more = chunk;
    }
    pthread_mutex_lock(&arena->lock);
    drop_free(arena);
    pthread_mutex_unlock(&arena->lock);
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
            evict_chunk(arena, lod_chunk_pop(&arena->queues[kind]));
        }
    }
    if (arena) {
        drop_free(arena);
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

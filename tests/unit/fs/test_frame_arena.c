/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <string.h>

#include "framecache/frame_arena.h"

static unsigned forgets;
static struct lod_chunk *last_forgotten;

static uint64_t forget(void *ctx, struct lod_chunk *chunk)
{
    (void)ctx;
    forgets++;
    last_forgotten = chunk;
    return 1;
}

static struct lod_frame_arena *create(struct lod_byte_limit *limit, size_t bytes_max)
{
    struct lod_frame_arena *arena = NULL;

    *limit = (struct lod_byte_limit){.bytes_max = bytes_max};
    cr_assert_eq(lod_frame_arena_create(limit, forget, NULL, &arena), 0);
    return arena;
}

static struct lod_chunk *take(struct lod_frame_arena *arena, size_t bytes, enum lod_chunk_kind kind)
{
    struct lod_chunk *chunk = NULL;
    void *at = lod_frame_arena_take(arena, bytes, kind, &chunk);

    cr_assert_not_null(at);
    cr_assert_eq((uintptr_t)at % 16, 0);
    memset(at, 0xa5, bytes);
    return chunk;
}

Test(frame_arena, all_takes_together_stay_within_the_limit)
{
    static const size_t budgets[] = {64 << 10, 100000, 1 << 20, 8 << 20, 200 << 20};

    for (unsigned i = 0; i < sizeof(budgets) / sizeof(budgets[0]); i++) {
        struct lod_byte_limit limit;
        struct lod_frame_arena *arena = create(&limit, budgets[i]);
        unsigned taken = 0;
        for (unsigned n = 0; n < 4000; n++) {
            struct lod_chunk *chunk = NULL;
            size_t bytes = 1 + n * 2654435761u % (n % 97 ? 60000 : 5 << 20);
            void *at = lod_frame_arena_take(arena, bytes, n % 3 == 0, &chunk);
            cr_assert_leq(atomic_load(&limit.bytes), budgets[i]);
            cr_assert(at || bytes + 16 > budgets[i], "%zu of %zu", bytes, budgets[i]);
            lod_blob_unref(at ? &chunk->blob : NULL);
            taken += at != NULL;
        }
        cr_assert_gt(taken, 1000);
        lod_frame_arena_destroy(arena);
        cr_assert_eq(atomic_load(&limit.bytes), 0);
    }
}

Test(frame_arena, a_take_beyond_the_limit_fails)
{
    struct lod_byte_limit limit;
    struct lod_frame_arena *arena = create(&limit, LOD_CHUNK_BYTES_MIN - 1);
    struct lod_chunk *chunk = NULL;

    cr_assert_null(lod_frame_arena_take(arena, 1, LOD_CHUNK_RETAINED, &chunk));
    memset(lod_frame_arena_take_own(arena, 100, &chunk), 1, 100);
    cr_assert_eq(atomic_load(&limit.bytes), 0);
    lod_blob_unref(&chunk->blob);
    lod_frame_arena_destroy(arena);
}

Test(frame_arena, a_referenced_chunk_is_not_reused)
{
    struct lod_byte_limit limit;
    struct lod_frame_arena *arena = create(&limit, 1 << 20);
    struct lod_chunk *held = NULL, *chunk = NULL;
    uint8_t *mine = lod_frame_arena_take(arena, 1000, LOD_CHUNK_RETAINED, &held);

    memset(mine, 7, 1000);
    for (unsigned n = 0; n < 500; n++) {
        lod_blob_unref(&take(arena, 30000, LOD_CHUNK_RETAINED)->blob);
    }
    for (unsigned i = 0; i < 1000; i++) {
        cr_assert_eq(mine[i], 7);
    }
    /* All chunks are in use: a take fails and does not block. */
    struct lod_chunk *all[64];
    unsigned count = 0;
    while (lod_frame_arena_take(arena, 60000, LOD_CHUNK_RETAINED, &chunk)) {
        all[count++] = chunk;
    }
    cr_assert(count > 10 && count < 20, "%u", count);
    while (count) {
        lod_blob_unref(&all[--count]->blob);
    }
    lod_blob_unref(&held->blob);
    lod_frame_arena_destroy(arena);
}

Test(frame_arena, recent_chunks_are_few_and_evict_no_retained_ones)
{
    struct lod_byte_limit limit;
    struct lod_frame_arena *arena = create(&limit, 64 << 20);
    struct lod_chunk *retained = take(arena, 1000, LOD_CHUNK_RETAINED);

    lod_blob_unref(&retained->blob);
    forgets = 0;
    for (unsigned n = 0; n < 2000; n++) {
        struct lod_chunk *chunk = take(arena, 100000, LOD_CHUNK_RECENT);
        cr_assert_neq(chunk, retained);
        lod_blob_unref(&chunk->blob);
    }
    cr_assert_leq(atomic_load(&limit.bytes), LOD_RECENT_BYTES + 4 * LOD_CHUNK_BYTES_MAX);
    cr_assert_gt(forgets, 50);
    cr_assert_neq(last_forgotten, retained);
    lod_frame_arena_destroy(arena);
}

/* Returns how far into a chunk `count` takes of 10,000 bytes reach. */
static size_t farthest(struct lod_frame_arena *arena, unsigned count)
{
    size_t far = 0;

    for (unsigned n = 0; n < count; n++) {
        struct lod_chunk *chunk = NULL;
        uint8_t *at = lod_frame_arena_take(arena, 10000, LOD_CHUNK_RECENT, &chunk);
        size_t end = (size_t)(at + 10000 - chunk->memory);
        far = end > far ? end : far;
        lod_blob_unref(&chunk->blob);
    }
    return far;
}

Test(frame_arena, only_the_front_of_a_recent_chunk_is_used)
{
    struct lod_byte_limit limit;
    struct lod_frame_arena *arena = create(&limit, 200 << 20);

    cr_assert_leq(farthest(arena, 5000), 300 << 10);
    cr_assert_leq(atomic_load(&limit.bytes), 4 * LOD_CHUNK_BYTES_MAX);
    lod_frame_arena_destroy(arena);
}

Test(frame_arena, a_referenced_chunk_is_spared_once)
{
    struct lod_byte_limit limit;
    struct lod_frame_arena *arena = create(&limit, 1 << 20);
    struct lod_chunk *first = take(arena, 65000, LOD_CHUNK_RETAINED);
    struct lod_chunk *second = take(arena, 65000, LOD_CHUNK_RETAINED);

    lod_blob_unref(&first->blob);
    lod_blob_unref(&second->blob);
    forgets = 0;
    while (!forgets) {
        atomic_store(&first->touched, true);
        lod_blob_unref(&take(arena, 65000, LOD_CHUNK_RETAINED)->blob);
    }
    cr_assert_eq(last_forgotten, second);
    lod_frame_arena_destroy(arena);
}

static void fill(struct lod_frame_arena *arena, enum lod_chunk_kind kind)
{
    for (unsigned n = 0; n < 400; n++) {
        lod_blob_unref(&take(arena, 60000, kind)->blob);
    }
}

/* Of a limit of 16 MiB. */
Test(frame_arena, small_units_get_a_quarter_of_the_limit_and_large_ones_half)
{
    struct lod_byte_limit limit;
    struct lod_frame_arena *arena = create(&limit, 16 << 20);

    fill(arena, LOD_CHUNK_RETAINED);
    size_t full = atomic_load(&limit.bytes);
    cr_assert_gt(full, 15 << 20);
    lod_frame_arena_shrink(arena, 1 << 20);
    cr_assert_leq(atomic_load(&limit.bytes), full - (1 << 20));
    for (unsigned n = 0; n < 20; n++) {
        lod_frame_arena_shrink(arena, 1 << 20);
    }
    full = atomic_load(&limit.bytes);
    cr_assert(full <= 12 << 20 && full > 11 << 20);
    lod_frame_arena_shrink(arena, 2 << 20);
    cr_assert_leq(atomic_load(&limit.bytes), full - (2 << 20));
    lod_frame_arena_shrink(arena, 100 << 20);
    cr_assert(atomic_load(&limit.bytes) <= 8 << 20 && atomic_load(&limit.bytes) > 7 << 20);
    lod_frame_arena_destroy(arena);
}

/* Made units that give all that is asked for. */
static void give(void *ctx, size_t bytes)
{
    struct lod_byte_limit *limit = ctx;

    lod_byte_limit_release(limit, bytes);
}

static size_t share_beside_units(enum lod_chunk_kind kind)
{
    struct lod_byte_limit limit;
    struct lod_frame_arena *arena = create(&limit, 16 << 20);

    cr_assert(lod_byte_limit_take(&limit, 15 << 20));
    lod_frame_arena_lend(arena, give, &limit);
    fill(arena, kind);
    const size_t own = lod_frame_arena_stats(arena).bytes;
    cr_assert_eq(lod_frame_arena_others(arena), atomic_load(&limit.bytes) - own);
    lod_frame_arena_destroy(arena);
    return own;
}

Test(frame_arena, prefixes_take_memory_from_units_and_frames_read_alone_take_less)
{
    const size_t retained = share_beside_units(LOD_CHUNK_RETAINED);
    const size_t recent = share_beside_units(LOD_CHUNK_RECENT);

    cr_assert(retained <= 14 << 20 && retained > 13 << 20, "%zu", retained);
    cr_assert_leq(recent, LOD_RECENT_BYTES + LOD_CHUNK_BYTES_MAX, "%zu", recent);
}

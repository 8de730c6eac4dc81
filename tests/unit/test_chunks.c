/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <string.h>

#include "chunks.h"

static unsigned forgets;
static struct lod_chunk *last_forgotten;

static uint64_t forget(void *ctx, struct lod_chunk *chunk)
{
    (void)ctx;
    forgets++;
    last_forgotten = chunk;
    return 1;
}

static struct lod_chunks *create(struct lod_room *room, size_t bytes_max)
{
    struct lod_chunks *chunks = NULL;

    *room = (struct lod_room){.bytes_max = bytes_max};
    cr_assert_eq(lod_chunks_create(room, forget, NULL, &chunks), 0);
    return chunks;
}

static struct lod_chunk *take(struct lod_chunks *chunks, size_t bytes, enum lod_chunk_kind kind)
{
    struct lod_chunk *chunk = NULL;
    void *at = lod_chunks_take(chunks, bytes, kind, &chunk);

    cr_assert_not_null(at);
    cr_assert_eq((uintptr_t)at % 16, 0);
    memset(at, 0xa5, bytes);
    return chunk;
}

Test(chunks, a_budget_holds_to_the_byte_whatever_is_taken)
{
    static const size_t budgets[] = {64 << 10, 100000, 1 << 20, 8 << 20, 200 << 20};

    for (unsigned i = 0; i < sizeof(budgets) / sizeof(budgets[0]); i++) {
        struct lod_room room;
        struct lod_chunks *chunks = create(&room, budgets[i]);
        unsigned taken = 0;
        for (unsigned n = 0; n < 4000; n++) {
            struct lod_chunk *chunk = NULL;
            size_t bytes = 1 + n * 2654435761u % (n % 97 ? 60000 : 5 << 20);
            void *at = lod_chunks_take(chunks, bytes, n % 3 == 0, &chunk);
            cr_assert_leq(atomic_load(&room.bytes), budgets[i]);
            cr_assert(at || bytes + 16 > budgets[i], "%zu of %zu", bytes, budgets[i]);
            lod_blob_unref(at ? &chunk->blob : NULL);
            taken += at != NULL;
        }
        cr_assert_gt(taken, 1000);
        lod_chunks_destroy(chunks);
        cr_assert_eq(atomic_load(&room.bytes), 0);
    }
}

Test(chunks, too_small_a_budget_gives_nothing)
{
    struct lod_room room;
    struct lod_chunks *chunks = create(&room, LOD_CHUNK_BYTES_MIN - 1);
    struct lod_chunk *chunk = NULL;

    cr_assert_null(lod_chunks_take(chunks, 1, LOD_CHUNK_KEPT, &chunk));
    memset(lod_chunks_take_own(chunks, 100, &chunk), 1, 100);
    cr_assert_eq(atomic_load(&room.bytes), 0);
    lod_blob_unref(&chunk->blob);
    lod_chunks_destroy(chunks);
}

Test(chunks, what_is_read_is_not_written_over)
{
    struct lod_room room;
    struct lod_chunks *chunks = create(&room, 1 << 20);
    struct lod_chunk *held = NULL, *chunk = NULL;
    uint8_t *mine = lod_chunks_take(chunks, 1000, LOD_CHUNK_KEPT, &held);

    memset(mine, 7, 1000);
    for (unsigned n = 0; n < 500; n++) {
        lod_blob_unref(&take(chunks, 30000, LOD_CHUNK_KEPT)->blob);
    }
    for (unsigned i = 0; i < 1000; i++) {
        cr_assert_eq(mine[i], 7);
    }
    /* All of it held: nothing to take, and nobody waits. */
    struct lod_chunk *all[64];
    unsigned count = 0;
    while (lod_chunks_take(chunks, 60000, LOD_CHUNK_KEPT, &chunk)) {
        all[count++] = chunk;
    }
    cr_assert(count > 10 && count < 20, "%u", count);
    while (count) {
        lod_blob_unref(&all[--count]->blob);
    }
    lod_blob_unref(&held->blob);
    lod_chunks_destroy(chunks);
}

Test(chunks, cheap_ones_are_few_and_leave_the_kept_alone)
{
    struct lod_room room;
    struct lod_chunks *chunks = create(&room, 64 << 20);
    struct lod_chunk *kept = take(chunks, 1000, LOD_CHUNK_KEPT);

    lod_blob_unref(&kept->blob);
    forgets = 0;
    for (unsigned n = 0; n < 2000; n++) {
        struct lod_chunk *chunk = take(chunks, 100000, LOD_CHUNK_CHEAP);
        cr_assert_neq(chunk, kept);
        lod_blob_unref(&chunk->blob);
    }
    cr_assert_leq(atomic_load(&room.bytes), LOD_CHEAP_BYTES + 4 * LOD_CHUNK_BYTES_MAX);
    cr_assert_gt(forgets, 50);
    cr_assert_neq(last_forgotten, kept);
    lod_chunks_destroy(chunks);
}

/* How far into a chunk pieces of 10,000 bytes come, in `count` of them. */
static size_t farthest(struct lod_chunks *chunks, unsigned count)
{
    size_t far = 0;

    for (unsigned n = 0; n < count; n++) {
        struct lod_chunk *chunk = NULL;
        uint8_t *at = lod_chunks_take(chunks, 10000, LOD_CHUNK_CHEAP, &chunk);
        size_t end = (size_t)(at + 10000 - chunk->memory);
        far = end > far ? end : far;
        lod_blob_unref(&chunk->blob);
    }
    return far;
}

Test(chunks, of_cheap_ones_the_front_is_used_unless_they_are_to_be_kept)
{
    struct lod_room room;
    struct lod_chunks *chunks = create(&room, 200 << 20);

    cr_assert_leq(farthest(chunks, 5000), 300 << 10);
    cr_assert_leq(atomic_load(&room.bytes), 4 * LOD_CHUNK_BYTES_MAX);
    lod_chunks_set_cheap(chunks, 50 << 20);
    cr_assert_gt(farthest(chunks, 5000), LOD_CHUNK_BYTES_MAX - 20000);
    cr_assert_gt(atomic_load(&room.bytes), 40 << 20);
    lod_chunks_destroy(chunks);
}

Test(chunks, what_was_asked_for_gets_a_second_round)
{
    struct lod_room room;
    struct lod_chunks *chunks = create(&room, 1 << 20);
    struct lod_chunk *first = take(chunks, 65000, LOD_CHUNK_KEPT);
    struct lod_chunk *second = take(chunks, 65000, LOD_CHUNK_KEPT);

    lod_blob_unref(&first->blob);
    lod_blob_unref(&second->blob);
    forgets = 0;
    while (!forgets) {
        atomic_store(&first->touched, true);
        lod_blob_unref(&take(chunks, 65000, LOD_CHUNK_KEPT)->blob);
    }
    cr_assert_eq(last_forgotten, second);
    lod_chunks_destroy(chunks);
}

Test(chunks, the_budget_can_be_had_back_down_to_half)
{
    struct lod_room room;
    struct lod_chunks *chunks = create(&room, 16 << 20);

    for (unsigned n = 0; n < 400; n++) {
        lod_blob_unref(&take(chunks, 60000, LOD_CHUNK_KEPT)->blob);
    }
    size_t full = atomic_load(&room.bytes);
    cr_assert_gt(full, 15 << 20);
    lod_chunks_shrink(chunks, 2 << 20);
    cr_assert_leq(atomic_load(&room.bytes), full - (2 << 20));
    lod_chunks_shrink(chunks, 100 << 20);
    cr_assert(atomic_load(&room.bytes) <= 8 << 20 && atomic_load(&room.bytes) > 7 << 20);
    lod_chunks_destroy(chunks);
}

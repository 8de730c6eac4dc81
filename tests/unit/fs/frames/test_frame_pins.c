/* SPDX-License-Identifier: Apache-2.0 */
/* Pins of chunks, over an arena that is full. */
#include <criterion/criterion.h>

#include "framecache/frame_pins.h"

#define TAKE  (16u << 10)
#define LIMIT (1u << 20)

static struct lod_byte_limit limit = {.bytes_max = LIMIT};
static struct lod_frame_arena *arena;
static atomic_size_t pinned;

static uint64_t forget(void *ctx, struct lod_chunk *chunk)
{
    (void)ctx;
    (void)chunk;
    return 1;
}

/* Takes memory of a kind, pins its chunk if `pins`, and returns whether there was some. */
static bool take(enum lod_chunk_kind kind, struct lod_frame_pins *pins)
{
    struct lod_chunk *chunk = NULL;

    if (!lod_frame_arena_take(arena, TAKE, kind, &chunk)) {
        return false;
    }
    if (pins) {
        cr_assert_eq(lod_frame_pins_add(pins, chunk), 0);
        cr_assert_eq(lod_frame_pins_add(pins, chunk), 0, "once is enough");
    }
    lod_blob_unref(&chunk->blob);
    return true;
}

Test(frame_pins, a_pinned_chunk_stays_until_no_record_holds_it)
{
    struct lod_frame_pins one = {.bytes = &pinned}, two = {.bytes = &pinned};
    uint64_t forgotten;

    cr_assert_eq(lod_frame_arena_create(&limit, forget, NULL, &arena), 0);
    cr_assert(take(LOD_CHUNK_RETAINED, &one));
    cr_assert(take(LOD_CHUNK_RETAINED, &two));
    cr_assert_eq(one.at[0], two.at[0], "the frames of two records lie in a chunk");
    cr_assert_eq(atomic_load(&pinned), one.at[0]->bytes);
    const struct lod_chunk *chunk = one.at[0];
    for (unsigned i = 0; i < 4 * LIMIT / TAKE; i++) {
        cr_assert(take(LOD_CHUNK_RETAINED, NULL));
    }
    lod_frame_pins_finish(&one);
    cr_assert_eq(atomic_load(&pinned), chunk->bytes);
    lod_frame_pins_merge(&one, &two);
    cr_assert_eq(two.count, 0);
    forgotten = lod_frame_arena_stats(arena).forgotten;
    cr_assert_gt(forgotten, 0);
    cr_assert_eq(atomic_load(&chunk->blob.refs), 2, "the arena's, and that of `one`");
    lod_frame_pins_finish(&one);
    cr_assert_eq(atomic_load(&pinned), 0);
    lod_frame_arena_destroy(arena);
}

Test(frame_pins, listed_frames_of_two_records_share_no_chunk)
{
    struct lod_frame_pins one = {.bytes = &pinned}, two = {.bytes = &pinned};

    cr_assert_eq(lod_frame_arena_create(&limit, forget, NULL, &arena), 0);
    cr_assert(take(LOD_CHUNK_LISTED, &one));
    cr_assert(take(LOD_CHUNK_LISTED, &two));
    cr_assert_eq(atomic_load(&pinned), 2 * TAKE);
    lod_frame_pins_finish(&one);
    cr_assert_eq(atomic_load(&pinned), TAKE);
    lod_frame_pins_finish(&two);
    lod_frame_arena_destroy(arena);
}

Test(frame_pins, memory_that_is_all_pinned_is_not_taken)
{
    struct lod_frame_pins pins = {.bytes = &pinned};
    unsigned taken = 0;

    cr_assert_eq(lod_frame_arena_create(&limit, forget, NULL, &arena), 0);
    while (take(LOD_CHUNK_LISTED, &pins)) {
        taken++;
    }
    cr_assert_eq(taken, LIMIT / TAKE);
    cr_assert_eq(atomic_load(&pinned), LIMIT);
    cr_assert_not(take(LOD_CHUNK_RECENT, NULL));
    lod_frame_pins_finish(&pins);
    cr_assert(take(LOD_CHUNK_RECENT, NULL));
    lod_frame_arena_destroy(arena);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Frames that move from a chunk that they share to one of their own. */
#include "framecache/frame_move.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "framecache/frame_pins.h"

#define FRAME_BYTES 5000u
#define LIMIT       (1u << 20)

static struct lod_byte_limit limit = {.bytes_max = LIMIT};
static struct lod_fetch fetch;

static void setup(void)
{
    cr_assert_eq(lod_flight_init(&fetch.table), 0);
    cr_assert_eq(lod_frame_arena_create(&limit, lod_fetch_forget, &fetch.table, &fetch.arena), 0);
}

static void teardown(void)
{
    lod_frame_arena_destroy(fetch.arena);
    lod_flight_finish(&fetch.table);
}

TestSuite(frame_move, .init = setup, .fini = teardown);

static struct lod_key key_of(unsigned record)
{
    return lod_fetch_key(&(struct lod_record_desc){.number = record}, 0, 1, 0);
}

/* Adds a frame of a record as a reader does, filled with its number,
 * and with the result `error`. */
static void put(unsigned record, int error)
{
    struct lod_chunk *chunk = NULL;
    uint8_t *at = lod_frame_arena_take(fetch.arena, sizeof(struct lod_frame_entry) + FRAME_BYTES,
                                       LOD_CHUNK_RETAINED, &chunk);
    struct lod_frame_entry *entry = (struct lod_frame_entry *)(void *)at;

    cr_assert(at);
    *entry = (struct lod_frame_entry){.flight.key = key_of(record),
                                      .chunk = chunk,
                                      .data = at + sizeof(*entry),
                                      .bytes = FRAME_BYTES};
    memset(entry->data, (int)record, FRAME_BYTES);
    lod_fetch_own(chunk, entry, entry);
    struct lod_flight_shard *shard = lod_fetch_shard(&fetch, key_of(record));
    pthread_mutex_lock(&shard->lock);
    lod_flight_link(shard, &entry->flight);
    lod_flight_complete(shard, &entry->flight, error);
    pthread_mutex_unlock(&shard->lock);
    lod_blob_unref(&chunk->blob);
}

static struct lod_frame_entry *find(unsigned record)
{
    struct lod_flight_shard *shard = lod_fetch_shard(&fetch, key_of(record));

    pthread_mutex_lock(&shard->lock);
    struct lod_flight *flight = lod_flight_find(shard, key_of(record));
    pthread_mutex_unlock(&shard->lock);
    return (struct lod_frame_entry *)flight;
}

Test(frame_move, a_frame_leaves_the_chunk_that_it_shares)
{
    struct lod_frame_pins pins = {.bytes = &fetch.pinned};

    put(1, 0);
    put(2, 0);
    const struct lod_chunk *shared = find(2)->chunk;
    cr_assert_eq(find(1)->chunk, shared);
    lod_frame_move(&fetch, key_of(1));
    const struct lod_frame_entry *moved = find(1);
    cr_assert_neq(moved->chunk, shared);
    cr_assert_eq(moved->chunk->kind, LOD_CHUNK_LISTED);
    cr_assert_eq(find(2)->chunk, shared);
    for (unsigned i = 0; i < FRAME_BYTES; i++) {
        cr_assert_eq(moved->data[i], 1);
    }
    cr_assert_eq(lod_frame_pins_add(&pins, moved->chunk), 0);
    cr_assert_lt(atomic_load(&fetch.pinned), 2 * FRAME_BYTES, "a pin keeps no other frame");
    lod_frame_move(&fetch, key_of(1));
    cr_assert_eq(find(1), moved, "it moves once");
    lod_frame_pins_finish(&pins);
}

Test(frame_move, absent_and_failed_frames_stay_as_they_are)
{
    lod_frame_move(&fetch, key_of(3));
    cr_assert_null(find(3));
    put(4, -EIO);
    const struct lod_frame_entry *failed = find(4);
    lod_frame_move(&fetch, key_of(4));
    cr_assert_eq(find(4), failed);
}

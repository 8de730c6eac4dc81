/* SPDX-License-Identifier: Apache-2.0 */
/* A tier around a folder: which bytes it takes, gives and drops. */
#include "tier_fixture.h"

Test(tier, bytes_are_kept_by_slices_from_their_beginning)
{
    struct tiered t = begin(64 * MIB);

    cr_assert_eq(load(&t, 0, 4 * MIB), 0);
    offer(&t, MIB, MIB);
    cr_assert_eq(slice_bytes(&t, 0), -1, "its beginning is not there");
    offer(&t, 0, 2 * MIB);
    cr_assert_eq(slice_bytes(&t, 0), 2 * MIB);
    offer(&t, 3 * MIB, 2 * MIB);
    cr_assert_eq(slice_bytes(&t, 0), 2 * MIB, "a gap");
    offer(&t, MIB, 6 * MIB);
    cr_assert_eq(slice_bytes(&t, 0), LOD_SLICE_BYTES);
    cr_assert_eq(slice_bytes(&t, 1), 2 * MIB);
    cr_assert_eq(lod_object_copied(t.object, 0, FILE_BYTES), 7 * MIB);
    cr_assert_eq(load(&t, MIB, 2 * MIB), 2 * MIB);
    cr_assert_eq(load(&t, 4 * MIB, 4 * MIB), 3 * MIB, "and the rest of the store");
    cr_assert_eq(stats_of(&t).bytes, 7 * MIB);
    end(&t);
}

Test(tier, the_end_of_an_object_is_kept_to_the_byte)
{
    struct tiered t = begin(64 * MIB);
    const uint64_t last = 10 * MIB;

    offer(&t, last, FILE_BYTES - last);
    cr_assert_eq(slice_bytes(&t, 2), FILE_BYTES - last);
    cr_assert_eq(load(&t, last, 3 * MIB), FILE_BYTES - last);
    cr_assert_eq(stats_of(&t).bytes, 2 * MIB + 4096);
    offer(&t, 0, 4096 + 5);
    cr_assert_eq(slice_bytes(&t, 0), 4096, "whole blocks elsewhere");
    end(&t);
}

Test(tier, its_size_is_kept_and_later_mounts_find_it)
{
    struct tiered t = begin(LOD_SLICE_BYTES + 4096);

    offer(&t, 0, 12 * MIB);
    cr_assert_eq(slice_bytes(&t, 0), LOD_SLICE_BYTES);
    cr_assert_eq(slice_bytes(&t, 1), 4096, "as much as there is room for");
    cr_assert_eq(stats_of(&t).state, LOD_TIER_FULL);
    unmount(&t);
    mount(&t, LOD_SLICE_BYTES);
    uint64_t room = 1;
    cr_assert(lod_store_copies(t.store, 0, &room) && room == 0);
    cr_assert_eq(stats_of(&t).bytes, LOD_SLICE_BYTES + 4096);
    cr_assert_eq(load(&t, 0, LOD_SLICE_BYTES), LOD_SLICE_BYTES);
    cr_assert_eq(stats_of(&t).hits, 1);
    end(&t);
}

Test(tier, wrong_bytes_are_dropped_once_and_not_written_again_at_once)
{
    struct tiered t = begin(64 * MIB);
    char name[160];

    offer(&t, 0, 6 * MIB);
    fixture_flip(AT_FDCWD, slice(&t, 0, name), 77, 3);
    uint8_t byte = 0;
    cr_assert_eq(lod_object_pread(t.object, 77, &byte, 1), 0);
    cr_assert_neq(byte, t.truth[77]);
    cr_assert(lod_object_report_wrong(t.object, 70, 100));
    cr_assert_eq(slice_bytes(&t, 0), -1);
    cr_assert_eq(slice_bytes(&t, 1), MIB, "another slice");
    cr_assert_eq(lod_object_pread(t.object, 77, &byte, 1), 0);
    cr_assert_eq(byte, t.truth[77]);
    cr_assert(lod_object_report_wrong(t.object, 500, 100), "another reader had it from there too");
    cr_assert(!lod_object_report_wrong(t.object, 500, 100), "the store itself is wrong");
    offer(&t, 0, LOD_SLICE_BYTES);
    cr_assert_eq(slice_bytes(&t, 0), -1, "so it is not read for ever");
    cr_assert_eq(stats_of(&t).bytes, MIB);
    cr_assert_eq(stats_of(&t).errors, 1);
    end(&t);
}

Test(tier, foreign_things_in_place_of_a_slice_give_way)
{
    struct tiered t = begin(64 * MIB);
    char name[160];

    offer(&t, 0, MIB);
    cr_assert_eq(unlink(slice(&t, 0, name)), 0);
    cr_assert_eq(mkfifo(name, 0600), 0);
    cr_assert_eq(load(&t, 0, MIB), 0);
    cr_assert_eq(stats_of(&t).errors, 0);
    offer(&t, 0, MIB);
    offer(&t, 0, MIB);
    cr_assert_eq(slice_bytes(&t, 0), MIB);
    end(&t);
}

Test(tier, a_disk_with_many_errors_is_left_alone_for_minutes)
{
    struct lod_tier_health health;
    uint64_t now = 1000 * LOD_SECOND_NS;

    lod_tier_health_init(&health);
    for (unsigned i = 0; i < LOD_TIER_ERRORS; i++, now += 14 * LOD_SECOND_NS) {
        cr_assert(!lod_tier_health_is_bad(&health, now), "%u", i);
        lod_tier_health_end(&health, lod_tier_health_begin(&health, LOD_TIER_READ_S, now), true,
                            now);
    }
    cr_assert(lod_tier_health_is_bad(&health, now));
    cr_assert_lt(lod_tier_health_begin(&health, LOD_TIER_READ_S, now), 0);
    now += LOD_TIER_PAST_S * LOD_SECOND_NS;
    cr_assert(!lod_tier_health_is_bad(&health, now));
    for (unsigned i = 0; i < 20; i++, now += 16 * LOD_SECOND_NS) {
        lod_tier_health_end(&health, lod_tier_health_begin(&health, LOD_TIER_READ_S, now), true,
                            now);
        cr_assert(!lod_tier_health_is_bad(&health, now), "an error now and then");
    }
    lod_tier_health_finish(&health);
}

Test(tier, a_disk_that_hangs_is_left_alone)
{
    struct lod_tier_health health;
    uint64_t now = 1000 * LOD_SECOND_NS;

    lod_tier_health_init(&health);
    const int hangs = lod_tier_health_begin(&health, LOD_TIER_READ_S, now);
    cr_assert_geq(lod_tier_health_begin(&health, LOD_TIER_READ_S, now + LOD_SECOND_NS), 0);
    now += 3 * LOD_SECOND_NS;
    cr_assert_lt(lod_tier_health_begin(&health, LOD_TIER_READ_S, now), 0,
                 "at most those inside wait");
    lod_tier_health_end(&health, hangs, false, now + LOD_SECOND_NS);
    cr_assert(lod_tier_health_is_bad(&health, now + 2 * LOD_SECOND_NS), "and not at once again");
    lod_tier_health_finish(&health);
    lod_tier_health_init(&health);
    for (unsigned i = 0; i < LOD_TIER_INSIDE; i++) {
        cr_assert_geq(lod_tier_health_begin(&health, LOD_TIER_READ_S, now), 0);
    }
    cr_assert_lt(lod_tier_health_begin(&health, LOD_TIER_READ_S, now), 0);
    lod_tier_health_finish(&health);
}

Test(tier, a_disk_may_stop_a_writer_for_some_seconds)
{
    struct lod_tier_health health;
    uint64_t now = 1000 * LOD_SECOND_NS;

    lod_tier_health_init(&health);
    const int slow = lod_tier_health_begin(&health, LOD_TIER_WRITE_S, now);
    now += (LOD_TIER_READ_S + 3) * LOD_SECOND_NS;
    cr_assert(!lod_tier_health_is_bad(&health, now));
    lod_tier_health_end(&health, slow, false, now);
    cr_assert_geq(lod_tier_health_begin(&health, LOD_TIER_WRITE_S, now), 0);
    now += (LOD_TIER_WRITE_S + 1) * LOD_SECOND_NS;
    cr_assert(lod_tier_health_is_bad(&health, now), "a writer that hangs");
    lod_tier_health_finish(&health);
}

Test(tier, hashes_are_forgotten_after_a_minute)
{
    struct lod_tier_recent recent = {.count = 0};

    lod_tier_recent_add(&recent, 5, LOD_SECOND_NS);
    cr_assert(lod_tier_recent_has(&recent, 5, 60 * LOD_SECOND_NS));
    cr_assert(!lod_tier_recent_has(&recent, 6, 60 * LOD_SECOND_NS));
    cr_assert(!lod_tier_recent_has(&recent, 5, 61 * LOD_SECOND_NS));
}

Test(tier, a_pause_after_a_full_disk_ends_when_there_is_space)
{
    struct tiered t = begin(64 * MIB);
    struct lod_tier_space space;
    int fd = open(t.folder, O_RDONLY | O_DIRECTORY);

    cr_assert_eq(lod_tier_space_init(&space, fd, MIB, 0), 0);
    cr_assert(!lod_tier_space_is_full(&space, LOD_SECOND_NS));
    lod_tier_space_note_full(&space, LOD_SECOND_NS);
    cr_assert(lod_tier_space_is_full(&space, 2 * LOD_SECOND_NS));
    cr_assert(!lod_tier_space_is_full(&space, 12 * LOD_SECOND_NS));
    cr_assert_eq(lod_tier_space_room(&space), 0, "it was not added up");
    cr_assert(lod_tier_space_lock(&space));
    cr_assert(!lod_tier_space_take(&space, 4096));
    lod_tier_space_set(&space, MIB - 8192);
    cr_assert(!lod_tier_space_take(&space, 8193), "more than there is room for");
    cr_assert(lod_tier_space_take(&space, 8192));
    cr_assert(!lod_tier_space_take(&space, 1), "counted before it is written");
    lod_tier_space_release(&space, 4096);
    cr_assert_eq(lod_tier_space_room(&space), 4096);
    lod_tier_space_unlock(&space);
    lod_tier_space_finish(&space);
    close(fd);
    end(&t);
}

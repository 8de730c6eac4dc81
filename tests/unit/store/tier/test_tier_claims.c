/* SPDX-License-Identifier: Apache-2.0 */
/* Mounts that share a tier claim room for their lists, no two of them the same. */
#include <sys/file.h>

#include "tier_fixture.h"
#include "tier/tier_claims.h"

#define WAIT_MS   30000u
#define COUNT(of) (sizeof(of) / sizeof(*(of)))

/* Keys of no store, each with 4 MiB. */
static const struct lod_listed some[] = {{1, 4 * MIB}, {2, 4 * MIB}, {3, 4 * MIB}, {4, 4 * MIB}};

static struct lod_tier_keys keys_of(const struct lod_listed *at, size_t count)
{
    return (struct lod_tier_keys){.at = (struct lod_listed *)(uintptr_t)at, .count = count};
}

static const struct timespec pause_ms = {.tv_nsec = 1000000};

/* Sends a list, as a job does, until the mount has this much space for it. Returns the space. */
static uint64_t room_of(struct tiered *t, const struct lod_listed *list, size_t count,
                        uint64_t wanted)
{
    uint64_t room = UINT64_MAX;

    for (unsigned ms = 0; ms < WAIT_MS && room != wanted; ms++) {
        lod_store_listed(t->store, list, count);
        room = stats_of(t).lists_bytes;
        nanosleep(&pause_ms, NULL);
    }
    return room;
}

Test(tier_claims, a_list_is_claimed_from_its_beginning_as_far_as_others_leave_room)
{
    const struct lod_tier_keys announced = keys_of(some, 4), none = {0},
                               other = keys_of(&some[3], 1);

    cr_assert_eq(lod_tier_claims_of(&announced, &none, 9 * MIB).count, 2);
    cr_assert_eq(lod_tier_claims_of(&announced, &none, 16 * MIB).count, 4);
    struct lod_tier_claims claims = lod_tier_claims_of(&announced, &other, 9 * MIB);
    cr_assert_eq(claims.count, 1);
    cr_assert_eq(lod_tier_claims_room(&claims, 9 * MIB), 5 * MIB);
    claims = lod_tier_claims_of(&announced, &other, 3 * MIB);
    cr_assert_eq(claims.count, 0);
    cr_assert_eq(lod_tier_claims_room(&claims, 3 * MIB), 0, "another mount may have a larger tier");
}

Test(tier_claims, a_record_that_another_mount_claims_takes_no_more_room)
{
    const struct lod_listed others[] = {{1, 3 * MIB}, {2, 5 * MIB}};
    const struct lod_tier_keys announced = keys_of(some, 4), other = keys_of(others, 2);
    const struct lod_tier_claims claims = lod_tier_claims_of(&announced, &other, 9 * MIB);

    cr_assert_eq(claims.count, 2, "1 MiB more of the first one, and the second one");
    cr_assert_eq(claims.shared_bytes, 7 * MIB);
    cr_assert_eq(lod_tier_claims_room(&claims, 9 * MIB), 8 * MIB);
}

Test(tier_claims, numbers_of_a_file_do_not_overflow)
{
    const struct lod_listed others[] = {{1, UINT64_MAX}, {7, UINT64_MAX}};
    const struct lod_tier_keys announced = keys_of(some, 2), other = keys_of(others, 2);
    const struct lod_tier_claims claims = lod_tier_claims_of(&announced, &other, 9 * MIB);

    cr_assert_eq(claims.others_bytes, UINT64_MAX);
    cr_assert_eq(claims.count, 1);
    cr_assert_eq(lod_tier_claims_room(&claims, 9 * MIB), 4 * MIB);
}

Test(tier_claims, keys_that_come_twice_count_once_with_the_larger_bytes)
{
    struct lod_listed at[] = {{9, 2}, {1, 5}, {9, 3}, {9, 1}, {1, 5}};
    struct lod_tier_keys keys = keys_of(at, COUNT(at));

    lod_tier_keys_sort(&keys);
    cr_assert_eq(keys.count, 2);
    cr_assert_eq(keys.at[0].bytes, 5);
    cr_assert_eq(lod_tier_keys_find(&keys, 9)->bytes, 3);
}

Test(tier_claims, the_second_mount_gets_what_the_first_one_leaves)
{
    struct tiered t = begin(12 * MIB), other = t;

    mount(&other, 12 * MIB);
    cr_assert_eq(room_of(&t, some, 2, 12 * MIB), 12 * MIB);
    cr_assert_eq(room_of(&other, some, 0, 4 * MIB), 4 * MIB, "both are claimed");
    cr_assert_eq(room_of(&other, &some[2], 2, 4 * MIB), 4 * MIB);
    cr_assert_eq(room_of(&t, some, 2, 8 * MIB), 8 * MIB, "one of the others fits, and is claimed");
    cr_assert_eq(room_of(&t, some, 1, 8 * MIB), 8 * MIB);
    cr_assert_eq(room_of(&other, &some[2], 2, 8 * MIB), 8 * MIB, "both are claimed now");
    cr_assert_eq(room_of(&t, some, 1, 4 * MIB), 4 * MIB);
    unmount(&other);
    cr_assert_eq(room_of(&t, some, 2, 12 * MIB), 12 * MIB, "a mount that ends claims nothing");
    end(&t);
}

Test(tier_claims, mounts_with_the_same_list_have_all_of_the_room)
{
    struct tiered t = begin(12 * MIB), other = t;

    mount(&other, 12 * MIB);
    cr_assert_eq(room_of(&t, some, 4, 12 * MIB), 12 * MIB);
    cr_assert_eq(room_of(&other, some, 4, 12 * MIB), 12 * MIB);
    cr_assert_eq(room_of(&t, some, 4, 12 * MIB), 12 * MIB);
    unmount(&other);
    end(&t);
}

/* Writes a list without its hash, and locks it as a mount does. */
static int locked_list(const char *name)
{
    const uint64_t none = 0;
    int fd = open(name, O_WRONLY | O_CREAT, 0600);

    cr_assert_eq(write(fd, &none, sizeof(none)), (ssize_t)sizeof(none));
    cr_assert_eq(write(fd, &some[2], 2 * sizeof(*some)), 2 * (ssize_t)sizeof(*some));
    cr_assert_eq(flock(fd, LOCK_EX | LOCK_NB), 0);
    return fd;
}

Test(tier_claims, foreign_files_claim_nothing)
{
    struct tiered t = begin(12 * MIB);
    char name[160];

    cr_assert_eq(room_of(&t, some, 2, 12 * MIB), 12 * MIB);
    snprintf(name, sizeof(name), "%s/lists", t.folder);
    mkdir(name, 0700);
    snprintf(name, sizeof(name), "%s/lists/00000000deadbeef", t.folder);
    int fd = locked_list(name);
    snprintf(name, sizeof(name), "%s/lists/00000000deadbeea", t.folder);
    cr_assert_eq(symlink("/etc/passwd", name), 0);
    snprintf(name, sizeof(name), "%s/lists/00000000deadbeeb", t.folder);
    cr_assert_eq(mkfifo(name, 0600), 0);
    for (unsigned i = 0; i < 3; i++) { /* the lists were last read a second ago */
        nanosleep(&(struct timespec){.tv_nsec = 400000000}, NULL);
        cr_assert_eq(room_of(&t, some, i + 1, 12 * MIB), 12 * MIB);
    }
    end(&t);
    close(fd);
}

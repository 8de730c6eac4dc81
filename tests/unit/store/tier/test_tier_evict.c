/* SPDX-License-Identifier: Apache-2.0 */
/* A full tier makes room for the records that jobs list, of all mounts that share it. */
#include "tier_fixture.h"

#include <sys/statvfs.h>

#define A KEY
#define B 0xb00000000000000bull
#define C 0xc00000000000000cull

#define WAIT_MS 30000u
#define OFFERS  20u

/* Counts how often the tier asks for the room on its disk, in place of the function of libc. */
static atomic_uint disk_looks;

int fstatvfs(int fd, struct statvfs *ret_disk)
{
    char path[40];

    atomic_fetch_add(&disk_looks, 1);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return statvfs(path, ret_disk);
}

static const struct timespec pause_ms = {.tv_nsec = 1000000};

static void listed(struct lod_store *store, uint64_t key, uint64_t other)
{
    const struct lod_listed objects[] = {{.key = other}, {.key = key}};

    lod_store_listed(store, other ? objects : objects + 1, other ? 2 : 1);
}

/* Waits until the tier knows that it can have this much space for a record. */
static void await_room(struct lod_store *store, uint64_t key, uint64_t bytes)
{
    uint64_t room = 0;

    for (unsigned ms = 0; ms < WAIT_MS && room < bytes; ms++) {
        nanosleep(&pause_ms, NULL);
        cr_assert(lod_store_copies(store, key, &room));
    }
    cr_assert_geq(room, bytes);
}

/* Offers the first `bytes` bytes of a record, again while the tier takes none: its thread may have
 * the lock of the space. Returns how many bytes the tier has afterwards. */
static uint64_t offered(struct tiered *t, uint64_t key, size_t bytes)
{
    struct lod_object *object = open_record(t->store, key);
    const uint64_t before = lod_object_copied(object, 0, FILE_BYTES);
    uint64_t there = before;

    for (unsigned tries = 0; tries < OFFERS && there == before && there < bytes; tries++) {
        nanosleep(&pause_ms, NULL);
        lod_object_offer(object, 0, t->truth, bytes);
        there = lod_object_copied(object, 0, FILE_BYTES);
    }
    lod_object_close(object);
    return there;
}

static void set_use(struct tiered *t, uint64_t key, unsigned slices, time_t seconds_ago)
{
    const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = time(NULL) - seconds_ago}};
    char name[160];

    for (unsigned n = 0; n < slices; n++) {
        snprintf(name, sizeof(name), "%s/%016x%016x/%02x/%016llx.%u", t->folder, 2, 1,
                 (unsigned)(key >> 56), (unsigned long long)key, n);
        cr_assert_eq(utimensat(AT_FDCWD, name, times, 0), 0);
    }
}

Test(tier_evict, a_list_gets_room_from_the_ends_of_records_that_nobody_lists)
{
    struct tiered t = begin(12 * MIB);

    cr_assert_eq(offered(&t, A, 12 * MIB), 12 * MIB);
    cr_assert_eq(offered(&t, B, 4 * MIB), 0, "without a list a full tier keeps its bytes");
    listed(t.store, B, 0);
    await_room(t.store, B, 12 * MIB);
    cr_assert_eq(offered(&t, B, 4 * MIB), 4 * MIB);
    cr_assert_eq(lod_object_copied(t.object, 0, FILE_BYTES), 5 * MIB, "as little as is necessary");
    cr_assert_leq(stats_of(&t).bytes, 12 * MIB);
    cr_assert_eq(stats_of(&t).evicted_bytes, 7 * MIB);
    cr_assert_eq(offered(&t, C, 4 * MIB), 3 * MIB, "another record gets what is left");
    cr_assert_eq(lod_object_copied(t.object, 0, FILE_BYTES), 5 * MIB);
    end(&t);
}

Test(tier_evict, statistics_ask_the_disk_for_its_room_once)
{
    struct tiered t = begin(12 * MIB);

    listed(t.store, B, 0);
    await_room(t.store, B, 12 * MIB);
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < 50; i++) { /* the thread may ask at the same time */
        atomic_store(&disk_looks, 0);
        cr_assert_eq(stats_of(&t).lists_bytes, 12 * MIB);
        least = lod_least(least, atomic_load(&disk_looks));
        nanosleep(&pause_ms, NULL);
    }
    cr_assert_eq(least, 1, "%lu", (unsigned long)least);
    end(&t);
}

Test(tier_evict, records_of_a_list_that_do_not_fit_are_not_kept_and_make_no_room)
{
    const struct lod_listed list[] = {{B, 10 * MIB}, {A, 5 * MIB}, {C, 5 * MIB}};
    struct tiered t = begin(10 * MIB);
    uint64_t room = 1;

    cr_assert_eq(offered(&t, A, 5 * MIB), 5 * MIB);
    cr_assert_eq(offered(&t, 0xd0, 5 * MIB), 5 * MIB);
    lod_store_listed(t.store, list, 3);
    await_room(t.store, B, 10 * MIB);
    cr_assert(lod_store_copies(t.store, C, &room));
    cr_assert_eq(room, 0, "B takes all");
    lod_store_listed(t.store, list, 3); /* as jobs do, which changes nothing */
    cr_assert_eq(offered(&t, C, 5 * MIB), 0);
    cr_assert_eq(offered(&t, B, 10 * MIB), 10 * MIB);
    cr_assert_eq(lod_object_copied(t.object, 0, FILE_BYTES), 0);
    end(&t);
}

Test(tier_evict, what_a_list_has_left_goes_first_and_listed_records_never)
{
    struct tiered t = begin(15 * MIB);

    listed(t.store, A, B);
    cr_assert_eq(offered(&t, A, 5 * MIB), 5 * MIB);
    cr_assert_eq(offered(&t, B, 5 * MIB), 5 * MIB);
    cr_assert_eq(offered(&t, C, 5 * MIB), 5 * MIB);
    set_use(&t, C, 1, 3600);
    listed(t.store, A, 0xd0); /* B is done; C was used an hour ago */
    await_room(t.store, A, 10 * MIB);
    cr_assert_eq(offered(&t, 0xd0, 5 * MIB), 5 * MIB);
    cr_assert_eq(offered(&t, B, 0), 0);
    cr_assert_eq(offered(&t, C, 0), 5 * MIB);
    cr_assert_eq(offered(&t, 0xd0, 10 * MIB), 10 * MIB);
    cr_assert_eq(offered(&t, C, 0), 0);
    cr_assert_eq(offered(&t, 0xd0, 12 * MIB), 10 * MIB, "A is listed");
    cr_assert_eq(lod_object_copied(t.object, 0, FILE_BYTES), 5 * MIB);
    end(&t);
}

Test(tier_evict, the_oldest_use_goes_first_and_a_read_is_a_use)
{
    struct tiered t = begin(15 * MIB);

    cr_assert_eq(offered(&t, A, 5 * MIB), 5 * MIB);
    cr_assert_eq(offered(&t, B, 5 * MIB), 5 * MIB);
    cr_assert_eq(offered(&t, C, 5 * MIB), 5 * MIB);
    set_use(&t, A, 1, 7200);
    set_use(&t, B, 1, 3600);
    cr_assert_eq(load(&t, 0, MIB), MIB);
    listed(t.store, 0xd0, 0);
    await_room(t.store, 0xd0, 15 * MIB);
    cr_assert_eq(offered(&t, 0xd0, 5 * MIB), 5 * MIB);
    cr_assert_eq(offered(&t, B, 0), 0);
    cr_assert_eq(lod_object_copied(t.object, 0, FILE_BYTES), 5 * MIB);
    end(&t);
}

Test(tier_evict, a_slice_that_is_used_meanwhile_stays)
{
    struct tiered t = begin(5 * MIB);

    cr_assert_eq(offered(&t, A, 5 * MIB), 5 * MIB);
    set_use(&t, A, 1, 7200);
    listed(t.store, B, 0);
    await_room(t.store, B, 5 * MIB);
    cr_assert_eq(load(&t, 0, MIB), MIB);
    cr_assert_eq(offered(&t, B, 4 * MIB), 0);
    cr_assert_eq(lod_object_copied(t.object, 0, FILE_BYTES), 5 * MIB);
    end(&t);
}

/* Returns the keys in the lists of all mounts, for a mount without any. */
static size_t keys_of(struct tiered *t)
{
    struct lod_tier_lists none;
    struct lod_tier_keys keys = {0};
    int error;

    int fd = open(t->folder, O_RDONLY | O_DIRECTORY);
    lod_tier_lists_init(&none, fd);
    while ((error = lod_tier_lists_others(&none, &keys)) == -EAGAIN) {
    }
    cr_assert_eq(error, 0);
    close(fd);
    lod_tier_lists_finish(&none);
    free(keys.at);
    return keys.count;
}

Test(tier_evict, lists_of_other_mounts_are_kept_as_well)
{
    struct tiered t = begin(10 * MIB), other = t;

    cr_assert_eq(offered(&t, A, 5 * MIB), 5 * MIB);
    cr_assert_eq(offered(&t, B, 5 * MIB), 5 * MIB);
    mount(&other, 10 * MIB);
    listed(t.store, C, 0);
    await_room(t.store, C, 10 * MIB);
    listed(other.store, A, B);
    for (unsigned ms = 0; ms < WAIT_MS && keys_of(&t) != 3; ms++) {
        nanosleep(&pause_ms, NULL);
    }
    cr_assert_eq(keys_of(&t), 3);
    cr_assert_eq(offered(&t, C, 5 * MIB), 0);
    unmount(&other);
    cr_assert_eq(keys_of(&t), 1, "a mount that ends has no list");
    listed(t.store, C, 7);
    await_room(t.store, C, 10 * MIB);
    cr_assert_eq(offered(&t, C, 5 * MIB), 5 * MIB);
    end(&t);
}

Test(tier_evict, records_in_lists_of_other_mounts_are_no_room)
{
    struct tiered t = begin(10 * MIB), other = t;
    uint64_t room = 0;

    cr_assert_eq(offered(&t, A, 5 * MIB), 5 * MIB);
    cr_assert_eq(offered(&t, B, 5 * MIB), 5 * MIB);
    mount(&other, 10 * MIB);
    listed(other.store, A, 0);
    for (unsigned ms = 0; ms < WAIT_MS && keys_of(&t) != 1; ms++) {
        nanosleep(&pause_ms, NULL);
    }
    listed(t.store, C, 0);
    await_room(t.store, C, 1);
    cr_assert(lod_store_copies(t.store, C, &room));
    cr_assert_eq(room, 5 * MIB, "so no load of C is in vain");
    unmount(&other);
    end(&t);
}

Test(tier_evict, lists_of_dead_mounts_go_and_torn_ones_stop_all)
{
    struct tiered t = begin(5 * MIB);
    const struct lod_tier_keys keys = {.at = (struct lod_listed[]){{.key = 99}}, .count = 1};
    struct lod_tier_lists live;
    char name[160];
    struct stat st;

    int fd = open(t.folder, O_RDONLY | O_DIRECTORY);
    lod_tier_lists_init(&live, fd);
    cr_assert_eq(lod_tier_lists_write(&live, &keys, 1), 0);
    snprintf(name, sizeof(name), "%s/lists/00000000deadbeef", t.folder);
    close(open(name, O_WRONLY | O_CREAT, 0600));
    cr_assert_eq(keys_of(&t), 1);
    cr_assert_eq(stat(name, &st), -1);
    cr_assert_eq(offered(&t, A, 5 * MIB), 5 * MIB);
    listed(t.store, B, 0);
    await_room(t.store, B, 5 * MIB);
    cr_assert_eq(pwrite(live.fd, "x", 1, 9), 1);
    cr_assert_eq(offered(&t, B, 5 * MIB), 0, "it may name A");
    lod_tier_lists_finish(&live);
    cr_assert_eq(offered(&t, B, 5 * MIB), 5 * MIB);
    close(fd);
    end(&t);
}

static void remove_lists(struct tiered *t)
{
    char command[160];

    snprintf(command, sizeof(command), "rm -rf %s/lists", t->folder);
    cr_assert_eq(system(command), 0);
}

static void await_keys(struct tiered *t, size_t count)
{
    for (unsigned ms = 0; ms < WAIT_MS && keys_of(t) != count; ms++) {
        nanosleep(&pause_ms, NULL);
    }
    cr_assert_eq(keys_of(t), count);
}

Test(tier_evict, lists_that_are_removed_are_made_again)
{
    struct tiered t = begin(10 * MIB), other = t;

    mount(&other, 10 * MIB);
    listed(t.store, A, B);
    await_keys(&t, 2);
    remove_lists(&t);
    listed(t.store, A, 0);
    await_keys(&t, 1);
    remove_lists(&t);
    listed(other.store, C, B);
    await_keys(&t, 2);
    listed(t.store, A, 0xd0); /* into the folder that the other mount made */
    await_keys(&t, 4);
    unmount(&other);
    await_keys(&t, 2);
    end(&t);
}

Test(tier_evict, of_many_slices_the_first_to_go_are_known)
{
    const uint32_t count = 3 * LOD_TIER_VICTIMS;
    struct lod_tier_victims victims = {0};
    struct lod_tier_slice slice = {.bytes = 10};

    for (uint32_t i = 0; i < count; i++) {
        slice.used_s = (int64_t)((i * 5 + 3) % count) * LOD_TIER_USED_S;
        cr_assert_eq(lod_tier_victims_add(&victims, &slice), 0);
    }
    lod_tier_victims_sort(&victims);
    cr_assert_eq(victims.bytes, 10 * LOD_TIER_VICTIMS);
    for (int64_t i = 0; i < LOD_TIER_VICTIMS; i++) {
        cr_assert(lod_tier_victims_take(&victims, &slice));
        cr_assert_eq(slice.used_s, i * LOD_TIER_USED_S);
    }
    cr_assert(!lod_tier_victims_take(&victims, &slice));
    cr_assert_eq(victims.bytes, 0);
    lod_tier_victims_finish(&victims);
}

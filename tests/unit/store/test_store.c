/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <sys/mman.h>

#include "store_fixture.h"
#include "backend/name.h"

static void put(int dir_fd, const char *name, const char *text)
{
    int fd = openat(dir_fd, name, O_RDWR | O_CREAT | O_TRUNC, 0644);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

Test(store, objects_are_read_by_range)
{
    struct fixture f = fixture_create();
    struct lod_object *object;
    char text[8] = "";

    put(f.records_fd, "x", "0123456789");
    cr_assert_eq(lod_object_open(f.store, "records/x", &object), 0);
    cr_assert_eq(lod_object_bytes(object), 10);
    cr_assert_eq(lod_object_pread(object, 3, text, 4), 0);
    cr_assert_str_eq(text, "3456");
    cr_assert_eq(lod_object_pread(object, 10, text, 0), 0);
    cr_assert_eq(lod_object_pread(object, 7, text, 4), -EIO);
    cr_assert_eq(lod_object_pread(object, 11, text, 0), -EIO);
    cr_assert_eq(lod_object_pread(object, UINT64_MAX, text, 4), -EIO);
    put(f.records_fd, "x", "01"); /* shrinks while it is open */
    cr_assert_eq(lod_object_pread(object, 1, text, 4), -EIO);
    lod_object_close(object);
    fixture_destroy(&f);
}

Test(store, several_ranges_are_one_read_and_each_has_its_error)
{
    struct fixture f = fixture_create();
    struct lod_object *object;
    struct lod_read_time time = {0};
    char text[12] = "";

    put(f.records_fd, "x", "0123456789");
    cr_assert_eq(lod_object_open(f.store, "records/x", &object), 0);
    struct lod_range ranges[] = {{.offset = 8, .into = text, .bytes = 2},
                                 {.offset = 0, .into = text + 2, .bytes = 3},
                                 {.offset = 5, .into = text + 5, .bytes = 1}};
    cr_assert_eq(lod_object_read(object, ranges, 3, LOD_READ_DEMAND, &time), 0);
    cr_assert_str_eq(text, "890125");
    cr_assert_gt(time.ns, 0);
    cr_assert_eq(time.first_byte_ns, 0, "a folder does not tell");
    put(f.records_fd, "x", "01234");
    cr_assert_eq(lod_object_read(object, ranges, 3, LOD_READ_AHEAD, NULL), -EIO);
    cr_assert(ranges[0].error == -EIO && ranges[1].error == 0 && ranges[2].error == -EIO);
    ranges[1].offset = 10;
    cr_assert_eq(lod_object_read(object, &ranges[1], 1, LOD_READ_DEMAND, NULL), -EIO);
    lod_object_close(object);
    fixture_destroy(&f);
}

Test(store, known_facts_are_compared_and_a_folder_keeps_no_copies)
{
    struct fixture f = fixture_create();
    struct lod_object_facts facts = {.bytes = 10};
    struct lod_object *object;

    put(f.records_fd, "x", "0123456789");
    cr_assert_eq(lod_object_open_known(f.store, "records/x", &facts, &object), 0);
    uint64_t room = 1;
    cr_assert_eq(lod_object_copied(object, 3, 10), 3);
    cr_assert(!lod_store_copies(f.store, 0, &room) && room == 0);
    lod_object_offer(object, 0, "0123456789", 10);
    cr_assert(!lod_object_report_wrong(object, 0, 10), "a disk has no second answer");
    lod_object_close(object);
    facts.bytes = 11;
    cr_assert_eq(lod_object_open_known(f.store, "records/x", &facts, &object), -EBADMSG);
    cr_assert_eq(lod_store_ranges(f.store), 1);
    fixture_destroy(&f);
}

#define AHEAD_BYTES (1u << 20)
#define PAGE_BYTES  4096u

/* Counts the pages of the file that are in RAM. */
static unsigned resident(int fd)
{
    unsigned char pages[AHEAD_BYTES / PAGE_BYTES];
    unsigned count = 0;
    void *at = mmap(NULL, AHEAD_BYTES, PROT_READ, MAP_SHARED, fd, 0);

    cr_assert_neq(at, MAP_FAILED);
    cr_assert_eq(mincore(at, AHEAD_BYTES, pages), 0);
    munmap(at, AHEAD_BYTES);
    for (unsigned i = 0; i < sizeof(pages); i++) {
        count += pages[i] & 1;
    }
    return count;
}

Test(store, exact_reads_cause_no_readahead)
{
    struct fixture f = fixture_create();
    struct lod_object *object;
    char page[PAGE_BYTES];
    int fd = openat(f.records_fd, "x", O_RDWR | O_CREAT, 0644);

    cr_assert_eq(posix_fallocate(fd, 0, AHEAD_BYTES), 0);
    cr_assert_eq(fsync(fd), 0);
    cr_assert_eq(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
    if (resident(fd)) {
        cr_skip_test("this file system keeps its files in RAM");
    }
    lod_store_read_exactly(f.store, false);
    cr_assert_eq(lod_object_open(f.store, "records/x", &object), 0);
    cr_assert_eq(lod_object_pread(object, 0, page, sizeof(page)), 0);
    cr_assert_leq(resident(fd), 1);
    lod_object_close(object);
    close(fd);
    fixture_destroy(&f);
}

/* Checks the bytes of a load, and the pages that it leaves in the page cache. */
static unsigned load_leaves(bool page_cache)
{
    struct fixture f = fixture_create();
    struct lod_object *object;
    const size_t bytes = AHEAD_BYTES - 100; /* the last block is not whole */
    uint8_t *truth = malloc(bytes), *memory = aligned_alloc(LOD_LOAD_ALIGN, AHEAD_BYTES);
    int fd = openat(f.records_fd, "x", O_RDWR | O_CREAT, 0644);

    for (size_t i = 0; i < bytes; i++) {
        truth[i] = (uint8_t)(i * 2654435761u >> 17);
    }
    cr_assert_eq(write(fd, truth, bytes), (ssize_t)bytes);
    cr_assert_eq(fsync(fd), 0);
    cr_assert_eq(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
    lod_store_read_exactly(f.store, page_cache);
    cr_assert_eq(lod_object_open(f.store, "records/x", &object), 0);
    memset(memory, 0, AHEAD_BYTES);
    cr_assert_eq(lod_object_load(object, 0, memory, AHEAD_BYTES, LOD_READ_AHEAD, 1, NULL), 0);
    cr_assert_eq(memcmp(memory, truth, bytes), 0);
    unsigned left = resident(fd);
    cr_assert_eq(
        lod_object_load(object, 8 * PAGE_BYTES, memory, PAGE_BYTES, LOD_READ_AHEAD, 1, NULL), 0);
    cr_assert_eq(memcmp(memory, truth + 8 * PAGE_BYTES, PAGE_BYTES), 0);
    cr_assert_eq(lod_object_load(object, AHEAD_BYTES, memory, PAGE_BYTES, LOD_READ_AHEAD, 1, NULL),
                 -EIO);
    cr_assert_eq(ftruncate(fd, 10 * PAGE_BYTES), 0);
    cr_assert_eq(
        lod_object_load(object, 9 * PAGE_BYTES, memory, PAGE_BYTES, LOD_READ_AHEAD, 1, NULL), 0);
    cr_assert_eq(lod_object_load(object, 0, memory, AHEAD_BYTES, LOD_READ_AHEAD, 1, NULL), -EIO,
                 "it shrank");
    lod_object_close(object);
    close(fd);
    free(truth);
    free(memory);
    fixture_destroy(&f);
    return left;
}

Test(store, loads_are_right_and_only_shared_ones_stay_cached)
{
    unsigned with = load_leaves(true), without = load_leaves(false);

    cr_assert_eq(with, AHEAD_BYTES / PAGE_BYTES);
    if (without) {
        cr_skip_test("this file system has no direct I/O");
    }
}

Test(store, names_stay_inside_the_store)
{
    static const char *const bad[] = {
        "",    "/x",        "..",  "../x", "records/../x", "a//b",     "a/", ".",
        "./x", "records/.", "a b", "a\nb", "a\xff",        "records/", "~",  "a:b"};
    struct fixture f = fixture_create();
    struct lod_object *object;
    char long_name[300];

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        cr_assert_eq(lod_object_open(f.store, bad[i], &object), -EINVAL, "%s", bad[i]);
    }
    memset(long_name, 'a', sizeof(long_name));
    long_name[256] = '\0';
    cr_assert_eq(lod_object_open(f.store, long_name, &object), -EINVAL);
    long_name[255] = '\0';
    cr_assert_eq(lod_object_open(f.store, long_name, &object), -ENOENT);
    cr_assert_eq(lod_object_open(f.store, "..x", &object), -ENOENT);
    fixture_destroy(&f);
}

Test(store, links_and_other_kinds_are_not_followed)
{
    struct fixture f = fixture_create();
    struct lod_object *object;

    put(f.dir_fd, "outside", "secret");
    cr_assert_eq(symlinkat("../outside", f.records_fd, "link"), 0);
    cr_assert_eq(symlinkat("records", f.dir_fd, "linked"), 0);
    cr_assert_eq(mkfifoat(f.dir_fd, "fifo", 0644), 0);
    put(f.records_fd, "x", "x");
    cr_assert_eq(lod_object_open(f.store, "records/link", &object), -ELOOP);
    cr_assert_eq(lod_object_open(f.store, "linked/x", &object), -ENOTDIR);
    cr_assert_eq(lod_object_open(f.store, "fifo", &object), -EIO);
    cr_assert_eq(lod_object_open(f.store, "records", &object), -EIO);
    fixture_destroy(&f);
}

Test(store, locations)
{
    struct lod_store *store;

    cr_assert_eq(lod_store_open("/nowhere/at/all", &store), -ENOENT);
    cr_assert_eq(lod_store_open("/dev/null", &store), -ENOTDIR);
}

Test(store, paths)
{
    static const struct {
        const char *path;
        bool valid;
        size_t depth;
    } cases[] = {
        {"", true, 0},      {"a", true, 1},     {"a/b", true, 2},    {"...", true, 1},
        {"a/..", false, 2}, {".", false, 1},    {"a/./b", false, 3}, {"/a", false, 2},
        {"a/", false, 2},   {"a//b", false, 3}, {"..a", true, 1},    {".a/.b", true, 2},
    };
    char path[LOD_PATH_MAX + 2];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t bytes = strlen(cases[i].path);
        cr_assert_eq(lod_path_valid(cases[i].path, bytes), cases[i].valid, "%s", cases[i].path);
        cr_assert_eq(lod_path_depth(cases[i].path, bytes), cases[i].depth);
    }
    for (size_t i = 0; i <= LOD_PATH_MAX; i++) {
        path[i] = i % 2 ? '/' : 'a';
    }
    path[LOD_PATH_MAX + 1] = '\0';
    cr_assert(lod_path_valid(path, LOD_PATH_MAX), "2,048 names in 4,095 bytes");
    cr_assert_not(lod_path_valid(path, LOD_PATH_MAX + 1));
    memset(path, 'a', sizeof(path));
    cr_assert(lod_name_valid(path, LOD_NAME_MAX));
    cr_assert_not(lod_name_valid(path, LOD_NAME_MAX + 1));
    cr_assert_not(lod_name_valid("a\0b", 3));
}

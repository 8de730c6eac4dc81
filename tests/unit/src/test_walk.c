/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/mtime.h"
#include "source_fixture.h"

#include <sys/socket.h>
#include <sys/un.h>

static struct source_fixture f;

static void begin(void)
{
    source_create(&f);
}

static void end(void)
{
    source_destroy(&f);
}

TestSuite(walk, .init = begin, .fini = end);

Test(walk, finds_everything_in_path_order)
{
    source_folder(&f, "b");
    source_folder(&f, "b/empty");
    source_text(&f, "b/two", "22");
    source_text(&f, "a", "1");
    source_text(&f, "b.txt", "");
    source_link(&f, "link", "b/two");
    cr_assert_eq(source_walk(&f), 0);
    static const char *const expected[] = {"", "a", "b", "b.txt", "b/empty", "b/two", "link"};
    cr_assert_eq(f.list.count, 7);
    for (size_t i = 0; i < 7; i++) {
        cr_assert_str_eq(f.list.at[i].path, expected[i]);
    }
    cr_assert_eq(source_at(&f, "b/empty")->role, LOD_SOURCE_FOLDER);
    cr_assert_eq(source_at(&f, "b/two")->role, LOD_SOURCE_FILE);
    cr_assert_eq(source_at(&f, "b/two")->bytes, 2);
    cr_assert_eq(source_at(&f, "link")->role, LOD_SOURCE_SYMLINK);
    cr_assert_str_eq(source_at(&f, "link")->target, "b/two");
}

Test(walk, keeps_modes_and_nanoseconds)
{
    struct timespec times[2] = {{.tv_sec = 1, .tv_nsec = 2}, {.tv_sec = -5, .tv_nsec = 123456789}};

    source_text(&f, "file", "x");
    cr_assert_eq(fchmodat(f.fd, "file", 04751, 0), 0);
    cr_assert_eq(utimensat(f.fd, "file", times, 0), 0);
    cr_assert_eq(source_walk(&f), 0);
    cr_assert_eq(source_at(&f, "file")->mode, 0751, "setuid is never stored");
    cr_assert_eq(source_at(&f, "file")->mtime, -5 * ((int64_t)1 << 30) + 123456789);
}

Test(walk, takes_names_of_any_bytes)
{
    static const char *const names[] = {"\x1b[31m", "line\nbreak", "\xff\xfe", " ", "-rf", "\\x"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        source_text(&f, names[i], "x");
    }
    cr_assert_eq(source_walk(&f), 0);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        cr_assert_eq(source_at(&f, names[i])->role, LOD_SOURCE_FILE);
    }
}

Test(walk, leaves_out_sockets_fifos_and_devices)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", f.folder);
    cr_assert_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    close(fd);
    cr_assert_eq(mkfifoat(f.fd, "fifo", 0644), 0);
    cr_assert_eq(source_walk(&f), 0);
    cr_assert_eq(source_at(&f, "socket")->role, LOD_SOURCE_LEFT_OUT);
    cr_assert_str_eq(source_at(&f, "socket")->why, "a socket");
    cr_assert_eq(source_at(&f, "fifo")->role, LOD_SOURCE_LEFT_OUT);
    cr_assert_str_eq(source_at(&f, "fifo")->why, "a fifo");
    cr_assert(source_at(&f, "fifo")->special);
}

Test(walk, hard_links_belong_to_the_first_path)
{
    source_text(&f, "m", "one");
    source_folder(&f, "a");
    cr_assert_eq(linkat(f.fd, "m", f.fd, "z", 0), 0);
    cr_assert_eq(linkat(f.fd, "m", f.fd, "a/n", 0), 0);
    cr_assert_eq(source_walk(&f), 0);
    const struct lod_source *owner = source_at(&f, "a/n");
    cr_assert_eq(owner->role, LOD_SOURCE_FILE);
    cr_assert_eq(owner->names, 3);
    cr_assert_eq(source_at(&f, "m")->role, LOD_SOURCE_HARD_LINK);
    cr_assert_eq(source_at(&f, "z")->role, LOD_SOURCE_HARD_LINK);
    cr_assert_eq(&f.list.at[source_at(&f, "z")->owner], owner);
}

/* A file as deep as a path allows is packed; one a name deeper is reported. */
Test(walk, depth_ends_with_the_path)
{
    int fd = dup(f.fd);

    for (unsigned i = 0; i < 2047; i++) {
        cr_assert_eq(mkdirat(fd, "d", 0755), 0);
        int below = openat(fd, "d", O_RDONLY | O_DIRECTORY);
        close(fd);
        fd = below;
    }
    cr_assert_eq(mkdirat(fd, "e", 0755), 0);
    cr_assert_eq(source_walk(&f), 0);
    cr_assert_eq(f.list.count, 2049);
    cr_assert_eq(strlen(f.list.at[f.list.count - 1].path), 4095);
    cr_assert_eq(mkdirat(fd, "e/f", 0755), 0);
    cr_assert_eq(source_walk(&f), -ENAMETOOLONG);
    cr_assert(strstr(f.first_error.text, "/e/f' is longer"));
    close(fd);
}

/* Times after the last one that a store can hold become that one. */
Test(walk, times_beyond_2242_become_the_last_instant)
{
    static const time_t seconds[] = {((time_t)1 << 33) - 1, (time_t)1 << 33, (time_t)1 << 34};
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = 5}};

    source_text(&f, "file", "text");
    for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++) {
        times[1].tv_sec = seconds[i];
        cr_assert_eq(utimensat(f.fd, "file", times, 0), 0);
        cr_assert_eq(source_walk(&f), 0);
        const struct timespec kept = lod_mtime_time(source_at(&f, "file")->mtime);
        cr_assert_eq(kept.tv_sec, seconds[0]);
        cr_assert_eq(kept.tv_nsec, i == 0 ? 5 : 999999999);
        cr_assert(lod_mtime_valid(source_at(&f, "file")->mtime));
    }
}

Test(walk, links_inside_stay_links)
{
    static const char *const targets[][2] = {
        {"a/up", "../file"},        {"a/self", "."},
        {"loop", "loop"},           {"to-nothing", "no/where"},
        {"a/b/chain", "../up"},     {"a/b/round", "../../a/b/../b/x"},
        {"dots", "a/b/../../a/up"}, {"through", "a/deep/../../file"},
        {"a/deep", "b/c"},
    };

    source_folder(&f, "a");
    source_folder(&f, "a/b");
    source_folder(&f, "a/b/c");
    source_text(&f, "file", "x");
    for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
        source_link(&f, targets[i][0], targets[i][1]);
    }
    cr_assert_eq(source_walk(&f), 0, "%s", f.first_error.text);
    cr_assert_eq(source_at(&f, "a/up")->role, LOD_SOURCE_SYMLINK);
}

/* `way` looks harmless, and leaves the source only through the link `a/out`. */
Test(walk, links_that_leave_stop_the_walk)
{
    static const char *const targets[] = {
        "..", "a/../..",          "a/../../x", "nothing/../../x", "a/b/../../../x",
        "/",  "a/deep/../../../x"};

    source_folder(&f, "a");
    source_folder(&f, "a/b");
    source_link(&f, "a/deep", "b");
    for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
        source_link(&f, "way", targets[i]);
        cr_assert_eq(source_walk(&f), -EXDEV, "%s", targets[i]);
        cr_assert(strstr(f.first_error.text, "'way'") &&
                  strstr(f.first_error.text, "--symlinks=follow"));
        cr_assert_eq(unlinkat(f.fd, "way", 0), 0);
    }
    source_link(&f, "a/to-b", "b");
    source_link(&f, "way", "a/to-b/../..");
    cr_assert_eq(source_walk(&f), 0, "through a/to-b this is the source itself");
    source_link(&f, "way2", "a/to-b/../../..");
    cr_assert_eq(source_walk(&f), -EXDEV);
}

Test(walk, follow_packs_what_links_point_to)
{
    source_folder(&f, "a");
    source_text(&f, "a/file", "123");
    source_link(&f, "folder", "a");
    source_link(&f, "file", "a/file");
    f.walk.follow = true;
    cr_assert_eq(source_walk(&f), 0, "%s", f.first_error.text);
    cr_assert_eq(source_at(&f, "folder")->role, LOD_SOURCE_FOLDER);
    cr_assert_eq(source_at(&f, "folder/file")->role, LOD_SOURCE_HARD_LINK);
    cr_assert_eq(source_at(&f, "file")->role, LOD_SOURCE_HARD_LINK);
    cr_assert_eq(source_at(&f, "a/file")->names, 3);
}

Test(walk, follow_names_a_cycle_and_a_link_to_nothing)
{
    source_folder(&f, "a");
    source_folder(&f, "a/b");
    source_link(&f, "a/b/back", "..");
    f.walk.follow = true;
    cr_assert_eq(source_walk(&f), -ELOOP);
    cr_assert(strstr(f.first_error.text, "'a/b/back' leads back"));
    cr_assert_eq(unlinkat(f.fd, "a/b/back", 0), 0);
    source_link(&f, "nothing", "no/where");
    cr_assert_eq(source_walk(&f), -ENOENT);
    cr_assert(strstr(f.first_error.text, "'nothing'"));
    f.first_error.skip_unreadable = true;
    cr_assert_eq(source_walk(&f), 0);
    cr_assert_eq(source_at(&f, "nothing")->role, LOD_SOURCE_LEFT_OUT);
}

Test(walk, the_store_in_the_source_is_refused)
{
    struct stat st;

    source_folder(&f, "a");
    source_folder(&f, "a/store");
    cr_assert_eq(fstatat(f.fd, "a/store", &st, 0), 0);
    f.walk.store_exists = true;
    f.walk.store_dev = st.st_dev;
    f.walk.store_ino = st.st_ino;
    cr_assert_eq(source_walk(&f), -EINVAL);
    cr_assert(strstr(f.first_error.text, "'a/store' is the store"));
}

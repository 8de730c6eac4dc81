/* SPDX-License-Identifier: Apache-2.0 */
/* Offsets at their limits, and errors of the system. EINTR and short calls: hostile/failing.py. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "backend/file_io.h"
#include "store_fixture.h"

#define PAST_ALL ((uint64_t)INT64_MAX + 1)

Test(file_io, written_bytes_are_read_back_and_reads_past_the_end_fail)
{
    struct fixture f = fixture_create();
    uint8_t bytes[8] = {0};
    int fd = -1;

    cr_assert_eq(lod_file_create(f.dir_fd, "file", &fd), 0);
    cr_assert_eq(lod_file_pwrite(fd, 100, "12345678", 8), 0);
    cr_assert_eq(lod_file_sync(fd), 0);
    cr_assert_eq(lod_file_pread(fd, 100, bytes, 8), 0);
    cr_assert_eq(memcmp(bytes, "12345678", 8), 0);
    cr_assert_eq(lod_file_pread(fd, 101, bytes, 8), -EIO, "one byte is missing");
    cr_assert_eq(lod_file_pread(fd, 108, bytes, 1), -EIO);
    cr_assert_eq(lod_file_pread(fd, 108, bytes, 0), 0);
    close(fd);
    fixture_destroy(&f);
}

Test(file_io, equal_and_different_bytes_are_distinguished)
{
    struct fixture f = fixture_create();
    uint8_t bytes[10000] = {0};
    int fd = -1;

    cr_assert_eq(lod_file_create(f.dir_fd, "file", &fd), 0);
    bytes[9999] = 7;
    cr_assert_eq(lod_file_pwrite(fd, 3, bytes, sizeof(bytes)), 0);
    cr_assert_eq(lod_file_same(fd, 3, bytes, sizeof(bytes)), 0);
    cr_assert_eq(lod_file_same(fd, 10002, bytes + 9999, 1), 0);
    cr_assert_eq(lod_file_same(fd, 4, bytes, sizeof(bytes)), -ESTALE, "one byte is missing");
    bytes[9999] = 8;
    cr_assert_eq(lod_file_same(fd, 3, bytes, sizeof(bytes)), -ESTALE);
    cr_assert_eq(lod_file_same(-1, 0, bytes, 1), -ESTALE);
    close(fd);
    fixture_destroy(&f);
}

Test(file_io, offsets_that_wrap_are_refused)
{
    struct fixture f = fixture_create();
    uint8_t byte = 0;
    int fd = -1;

    cr_assert_eq(lod_file_create(f.dir_fd, "file", &fd), 0);
    cr_assert_eq(lod_file_pread(fd, PAST_ALL, &byte, 1), -EIO);
    cr_assert_eq(lod_file_pread(fd, INT64_MAX, &byte, 1), -EIO);
    cr_assert_eq(lod_file_pread(fd, 1, &byte, INT64_MAX), -EIO);
    cr_assert_eq(lod_file_pwrite(fd, PAST_ALL, &byte, 1), -EFBIG);
    cr_assert_eq(lod_file_pwrite(fd, INT64_MAX, &byte, 1), -EFBIG);
    cr_assert_eq(lod_file_pwrite(fd, 1, &byte, INT64_MAX), -EFBIG);
    close(fd);
    fixture_destroy(&f);
}

Test(file_io, errors_of_the_system_are_returned)
{
    struct fixture f = fixture_create();
    uint8_t byte = 0;
    int fd = -1;

    cr_assert_eq(lod_file_pread(-1, 0, &byte, 1), -EBADF);
    cr_assert_eq(lod_file_pwrite(-1, 0, &byte, 1), -EBADF);
    cr_assert_eq(lod_file_sync(-1), -EBADF);
    cr_assert_eq(symlinkat("elsewhere", f.dir_fd, "link"), 0);
    cr_assert_eq(lod_file_create(f.dir_fd, "link", &fd), -ELOOP);
    cr_assert_eq(faccessat(f.dir_fd, "elsewhere", F_OK, 0), -1);
    cr_assert_eq(fd, -1);
    fixture_destroy(&f);
}

Test(file_io, a_whole_file_is_written_and_names_are_listed_from_the_first_one)
{
    struct fixture f = fixture_create();
    char bytes[4] = "";
    int fd = -1;

    cr_assert_eq(lod_file_write(f.dir_fd, "whole", "longer than", 11), 0);
    cr_assert_eq(lod_file_write(f.dir_fd, "whole", "new", 3), 0);
    fd = openat(f.dir_fd, "whole", O_RDONLY);
    cr_assert_eq(lod_file_pread(fd, 0, bytes, 3), 0);
    cr_assert_str_eq(bytes, "new");
    cr_assert_eq(lod_file_pread(fd, 3, bytes, 1), -EIO, "the old bytes are gone");
    cr_assert_null(lod_file_names(fd), "a file has no names");
    lod_file_close(fd);
    cr_assert_eq(fcntl(fd, F_GETFD), -1);
    lod_file_close(-1);
    for (unsigned round = 0; round < 2; round++) {
        DIR *names = lod_file_names(f.dir_fd);
        bool found = false;
        for (const struct dirent *entry; (entry = readdir(names));) {
            found = found || strcmp(entry->d_name, "whole") == 0;
        }
        cr_assert(found, "round %u", round);
        closedir(names);
    }
    cr_assert_eq(lod_file_sync_at(f.dir_fd, "whole"), 0);
    cr_assert_eq(lod_file_sync_at(f.dir_fd, "."), 0);
    cr_assert_eq(lod_file_sync_at(f.dir_fd, "missing"), -ENOENT);
    fixture_destroy(&f);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder of a store, when another pack comes between two steps of making it. flock is replaced,
 * so that the other pack acts just before the lock.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pack/target/target.h"

static char top[64], path[80];
static unsigned removals; /* how often another pack removes the folder before the lock */
static bool take;         /* another pack locks the folder first */

static struct lod_first_error first_error;
static struct lod_target target;

static void lock_first(void)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    take = false;
    cr_assert_eq(syscall(SYS_flock, fd, LOCK_EX | LOCK_NB), 0); /* it stays open and locked */
}

int flock(int fd, int operation)
{
    if (take) {
        lock_first();
    }
    if (removals > 0) {
        removals--;
        cr_assert_eq(rmdir(path), 0);
    }
    return (int)syscall(SYS_flock, fd, operation);
}

static bool is_there(const char *name)
{
    char whole[sizeof(path) + 16];

    snprintf(whole, sizeof(whole), "%s/%s", path, name);
    return access(whole, F_OK) == 0;
}

static void begin(void)
{
    snprintf(top, sizeof(top), "%s", P_tmpdir "/lodfs-target-XXXXXX");
    cr_assert_not_null(mkdtemp(top));
    snprintf(path, sizeof(path), "%s/store", top);
    lod_first_error_init(&first_error, false);
}

static void end(void)
{
    rmdir(path);
    cr_assert_eq(rmdir(top), 0);
    lod_first_error_finish(&first_error);
}

TestSuite(target, .init = begin, .fini = end);

Test(target, a_folder_that_another_pack_locks_first_stays)
{
    take = true;
    cr_assert_eq(lod_target_open(path, &first_error, &target), -EWOULDBLOCK);
    cr_assert(is_there(""));
}

Test(target, a_folder_that_another_pack_removes_is_made_again)
{
    removals = 1;
    cr_assert_eq(lod_target_open(path, &first_error, &target), 0);
    cr_assert(is_there("records"));
    target.keep = false;
    lod_target_finish(&target);
    cr_assert_not(is_there(""));
}

Test(target, a_folder_that_is_always_removed_is_an_error)
{
    removals = 1000;
    cr_assert_eq(lod_target_open(path, &first_error, &target), -ESTALE);
    cr_assert_not_null(strstr(first_error.text, "name another folder"), "%s", first_error.text);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "pack/container/member_path.h"

static void expect(const char *folder, const char *path, const char *wanted)
{
    char into[LOD_PATH_MAX + 1];
    const char *why = NULL;

    cr_assert_eq(lod_member_path(folder, path, strlen(path), into, &why), 0, "%s: %s", path, why);
    cr_assert_str_eq(into, wanted);
}

static void refuse(const char *path, size_t bytes, int error)
{
    char into[LOD_PATH_MAX + 1];
    const char *why = NULL;

    cr_assert_eq(lod_member_path("", path, bytes, into, &why), error, "%s", path);
    cr_assert_not_null(why);
}

Test(member_path, dots_and_slashes_without_meaning_are_left_out)
{
    expect("", "a/b.jpg", "a/b.jpg");
    expect("", "./a//./b/", "a/b");
    expect("", "./", "");
    expect("x", ".", "x");
    expect("", "/", "");
    expect("x", "//", "x");
    expect("x", "a..b/..c/c..", "x/a..b/..c/c..");
}

Test(member_path, paths_that_lead_elsewhere_are_refused)
{
    refuse("/a", 2, -EINVAL);
    refuse("/.", 2, -EINVAL);
    refuse("..", 2, -EINVAL);
    refuse("a/../b", 6, -EINVAL);
    refuse("a/..", 4, -EINVAL);
    refuse("a\0b", 3, -EINVAL);
}

Test(member_path, names_have_255_bytes_and_paths_4095)
{
    char path[2 * LOD_PATH_MAX], into[LOD_PATH_MAX + 1];
    const char *why = NULL;

    memset(path, 'n', sizeof(path));
    refuse(path, LOD_NAME_MAX + 1, -ENAMETOOLONG);
    for (size_t i = LOD_NAME_MAX; i < sizeof(path); i += LOD_NAME_MAX + 1) {
        path[i] = '/';
    }
    cr_assert_eq(lod_member_path("", path, LOD_PATH_MAX, into, &why), 0);
    cr_assert_eq(strlen(into), LOD_PATH_MAX);
    refuse(path, LOD_PATH_MAX + 2, -ENAMETOOLONG);
    cr_assert_eq(lod_member_path("x", path, LOD_PATH_MAX, into, &why), -ENAMETOOLONG);
}

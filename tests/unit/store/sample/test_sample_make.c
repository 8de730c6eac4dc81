/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of paths that no sound store has. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sample/sample_make.h"

static struct lod_sample_maker *maker;
static char path[70000];

static void begin(void)
{
    maker = malloc(sizeof(*maker));
    memset(path, 'x', sizeof(path));
    lod_sample_begin(maker, LOD_SAMPLE_PLAIN, 7, 0, 0);
}

static void end(void)
{
    free(maker);
}

TestSuite(sample_make, .init = begin, .fini = end);

static int add(size_t bytes)
{
    static const uint8_t row[LOD_ROW_BYTES];
    const struct lod_sample_part part = {
        .path = path, .path_bytes = bytes, .lead = true, .codec = &lod_codec_raw, .row = row};

    return lod_sample_add(maker, &part);
}

Test(sample_make, a_path_past_the_limit_is_refused)
{
    const struct lod_sample_tree none = {0};

    cr_assert_eq(add(LOD_PATH_MAX + 1), -E2BIG);
    cr_assert_eq(add(LOD_PATH_MAX), 0);
    path[LOD_PATH_MAX] = '/';
    cr_assert_eq(lod_sample_add_members(maker, &none, path, LOD_PATH_MAX + 2, 1, 1), -EILSEQ);
    cr_assert_eq(lod_sample_add_members(maker, &none, path, sizeof(path), 1, 1), -EILSEQ);
    cr_assert_eq(lod_sample_add_members(maker, &none, path, LOD_NAME_MAX + 1, 1, 1), -EILSEQ);
    cr_assert_eq(lod_sample_add_members(maker, &none, path, LOD_NAME_MAX, 1, 1), 0);
}

Test(sample_make, no_class_has_a_longer_name_than_a_folder)
{
    path[LOD_NAME_MAX] = '/';
    cr_assert_eq(add(4000), 0);
    cr_assert_eq(maker->sample.class_bytes, LOD_NAME_MAX);
    lod_sample_begin(maker, LOD_SAMPLE_PLAIN, 7, 0, 0);
    path[LOD_NAME_MAX] = 'x';
    path[LOD_NAME_MAX + 1] = '/';
    cr_assert_eq(add(4000), 0);
    cr_assert_eq(maker->sample.class_bytes, 0);
}

Test(sample_make, all_files_of_a_sample_find_room)
{
    for (unsigned i = 0; i < LOD_FRAMED_FILES_MAX; i++) {
        cr_assert_eq(add(LOD_PATH_MAX), 0);
    }
    cr_assert_leq(maker->text_bytes, sizeof(maker->text));
    cr_assert_eq(add(1), -E2BIG);
}

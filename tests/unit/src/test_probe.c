/* SPDX-License-Identifier: Apache-2.0 */
#include "source_fixture.h"

static struct source_fixture f;
static struct lod_probe probe;

static void begin(void)
{
    source_create(&f);
    probe = (struct lod_probe){.root_fd = f.fd, .first_error = &f.first_error, .list = &f.list};
    cr_assert_eq(lod_pool_create(3, &probe.pool), 0);
}

static void end(void)
{
    lod_pool_destroy(probe.pool);
    source_destroy(&f);
}

TestSuite(probe, .init = begin, .fini = end);

static void look(void)
{
    cr_assert_eq(source_walk(&f), 0, "%s", f.first_error.text);
    cr_assert_eq(lod_probe_files(&probe), 0, "%s", f.first_error.text);
}

/* Makes bytes that differ from those of another seed everywhere except in the sketch's part. */
static void long_file(const char *path, size_t bytes, unsigned seed)
{
    uint8_t *data = calloc(1, bytes);

    for (size_t i = 0; i < bytes; i += 4096) {
        data[i] = (uint8_t)seed;
    }
    memset(data + bytes / 2 - 2048, 0, 4096);
    source_file(&f, path, data, bytes);
    free(data);
}

Test(probe, the_encoder_is_chosen_by_content)
{
    source_file(&f, "photo.txt", "\xff\xd8\xff\xe0", 4);
    source_text(&f, "text.jpg", "no photograph");
    source_text(&f, "empty.jpg", "");
    look();
    cr_assert_eq(source_at(&f, "photo.txt")->encoder->codec->id, LOD_CODEC_PCR);
    cr_assert_eq(source_at(&f, "text.jpg")->encoder->codec->id, LOD_CODEC_RAW);
    cr_assert_eq(source_at(&f, "empty.jpg")->encoder->codec->id, LOD_CODEC_RAW);
}

Test(probe, equal_files_belong_to_the_first_path)
{
    source_text(&f, "c", "same");
    source_text(&f, "a", "same");
    source_text(&f, "b", "else");
    source_text(&f, "d", "");
    source_text(&f, "e", "");
    look();
    cr_assert_eq(lod_dedup_find(&probe), 0);
    cr_assert_eq(source_at(&f, "a")->role, LOD_SOURCE_FILE);
    cr_assert_eq(source_at(&f, "a")->names, 2);
    cr_assert_eq(source_at(&f, "b")->role, LOD_SOURCE_FILE);
    cr_assert_eq(source_at(&f, "c")->role, LOD_SOURCE_EQUAL);
    cr_assert_eq(&f.list.at[source_at(&f, "c")->owner], source_at(&f, "a"));
    cr_assert_eq(source_at(&f, "e")->role, LOD_SOURCE_EQUAL, "empty files are equal too");
}

Test(probe, files_with_a_common_middle_are_not_equal)
{
    const size_t bytes = 3u << 20;

    long_file("a", bytes, 1);
    long_file("b", bytes, 2);
    long_file("c", bytes, 1);
    look();
    cr_assert_eq(source_at(&f, "a")->sketch, source_at(&f, "b")->sketch);
    cr_assert_eq(lod_dedup_find(&probe), 0);
    cr_assert_eq(source_at(&f, "b")->role, LOD_SOURCE_FILE);
    cr_assert_eq(source_at(&f, "c")->role, LOD_SOURCE_EQUAL);
    cr_assert_eq(&f.list.at[source_at(&f, "c")->owner], source_at(&f, "a"));
}

Test(probe, names_of_a_hard_link_count_for_the_owner)
{
    source_text(&f, "a", "same");
    source_text(&f, "b", "same");
    cr_assert_eq(linkat(f.fd, "b", f.fd, "c", 0), 0);
    look();
    cr_assert_eq(lod_dedup_find(&probe), 0);
    cr_assert_eq(source_at(&f, "a")->names, 3);
    cr_assert_eq(source_at(&f, "b")->role, LOD_SOURCE_EQUAL);
    cr_assert_eq(source_at(&f, "c")->role, LOD_SOURCE_HARD_LINK);
}

Test(probe, a_file_that_changed_since_the_walk_is_named)
{
    source_text(&f, "a", "1");
    source_text(&f, "b", "1");
    cr_assert_eq(source_walk(&f), 0);
    source_text(&f, "b", "22");
    cr_assert_eq(lod_probe_files(&probe), -ESTALE);
    cr_assert(strstr(f.first_error.text, "'b'") && strstr(f.first_error.text, "changed"));
    f.first_error.skip_unreadable = true;
    cr_assert_eq(lod_probe_files(&probe), 0);
    cr_assert_eq(source_at(&f, "a")->role, LOD_SOURCE_FILE);
    cr_assert_eq(source_at(&f, "b")->role, LOD_SOURCE_LEFT_OUT);
}

/* A link replaces a folder after the walk. The file behind it is another one, even if it looks the
 * same. */
Test(probe, a_link_in_the_way_is_never_followed)
{
    source_folder(&f, "a");
    source_text(&f, "a/file", "1");
    cr_assert_eq(source_walk(&f), 0);
    cr_assert_eq(renameat(f.fd, "a", f.fd, "b"), 0);
    source_link(&f, "a", "b");
    cr_assert_eq(lod_probe_files(&probe), -ESTALE);
    cr_assert(strstr(f.first_error.text, "'a/file'"));
}

Test(probe, the_first_error_by_path_is_reported)
{
    char name[16];

    for (unsigned i = 0; i < 50; i++) {
        snprintf(name, sizeof(name), "%02u", i);
        source_text(&f, name, "x");
    }
    cr_assert_eq(source_walk(&f), 0);
    for (unsigned i = 7; i < 50; i++) {
        snprintf(name, sizeof(name), "%02u", i);
        cr_assert_eq(unlinkat(f.fd, name, 0), 0);
    }
    cr_assert_eq(lod_probe_files(&probe), -ESTALE);
    cr_assert(strstr(f.first_error.text, "'07'"), "%s", f.first_error.text);
}

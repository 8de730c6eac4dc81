/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <string.h>

#include "index/decoded_name.h"

Test(decoded_name, stems_of_picture_names)
{
    static const struct {
        const char *name;
        size_t stem;
    } names[] = {{"a.jpg", 1}, {"a.b.JPEG", 3}, {"a.png", 1},     {"a.jpg.png", 5},   {"a", 0},
                 {"a.", 0},    {".jpg", 0},     {"a.txt", 0},     {"a.jpgx", 0},      {"a.Jpg", 0},
                 {"jpg", 0},   {"a.npy", 0},    {"a.b/c.ppm", 5}, {"\xff\n .pgm", 3}, {"a.pbm", 1}};

    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        cr_assert_eq(lod_picture_stem(names[i].name), names[i].stem, "%s", names[i].name);
    }
    for (unsigned i = 0; lod_picture_ending(i); i++) {
        char name[16] = "x";
        strcat(name, lod_picture_ending(i));
        cr_assert_eq(lod_picture_stem(name), 1);
    }
}

struct folder {
    const char *const *names;
    long count, at;
};

static const char *name_at(void *ctx, long distance)
{
    const struct folder *folder = ctx;
    long i = folder->at + distance;

    return i >= 0 && i < folder->count ? folder->names[i] : NULL;
}

Test(decoded_name, only_names_whose_pixels_would_clash_are_appended)
{
    static const char *const names[] = {
        "a.jpg", "a.png",   "b.jpg",   "b.txt",  "c.jpg", "c.npy",  "d",      "d.jpg",
        "e.jpg", "e.x.jpg", "e.y.png", "f-.jpg", "f.jpg", "g.jpeg", "g.json", "g.pgm",
    };
    static const bool shared[] = {
        true,  true,  false, false, true,  false, false, false,
        false, false, false, false, false, true,  false, true,
    };
    struct folder folder = {.names = names, .count = sizeof(names) / sizeof(names[0])};
    struct lod_siblings siblings = {.at = name_at, .ctx = &folder};

    for (folder.at = 0; folder.at < folder.count; folder.at++) {
        cr_assert_eq(lod_picture_shares_stem(names[folder.at], &siblings), shared[folder.at], "%s",
                     names[folder.at]);
    }
}

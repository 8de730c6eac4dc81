/* SPDX-License-Identifier: Apache-2.0 */
/* The rule of parts: the table of FORMAT.md, Parts, and the names of folders. */
#include <criterion/criterion.h>
#include <string.h>

#include "sample/part.h"

#define COUNTS 6

static const uint32_t counts[COUNTS] = {1, 2, 7, 64, 1000, 1024};

static const struct {
    const char *name;
    uint64_t seed, key;
    uint32_t parts[COUNTS];
} golden[] = {
    {"a.jpg", 0, 0xe6c632b61e964e1f, {0, 1, 6, 57, 901, 923}},
    {"a.txt", 0, 0xe6c632b61e964e1f, {0, 1, 6, 57, 901, 923}},
    {"a", 7, 0x9ed5888bc5a2a094, {0, 1, 4, 39, 620, 635}},
    {".hidden", 0, 0x2d06800538d394c2, {0, 0, 1, 11, 175, 180}},
    {"cat.1.jpg", 0, 0x91a0e0f30820f3d8, {0, 1, 3, 36, 568, 582}},
    {"n01440764_10026.JPEG", 0, 0x131bc8520f5a2d22, {0, 0, 0, 4, 74, 76}},
    {"n01440764_10026.JPEG", 1ull << 53, 0x7513fa8790b1f464, {0, 0, 3, 29, 457, 468}},
    {"\xff.png", 7, 0x2b837d4671ebd9f8, {0, 0, 1, 10, 169, 174}},
    {"no dot", 1, 0x04ff6e69b0d4de5e, {0, 0, 0, 1, 19, 19}},
};

Test(part, keys_and_parts_are_those_of_the_format)
{
    for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); i++) {
        uint64_t key = lod_name_key(golden[i].name, strlen(golden[i].name), golden[i].seed);
        cr_expect_eq(key, golden[i].key, "%s: %016llx", golden[i].name, (unsigned long long)key);
        for (unsigned n = 0; n < COUNTS; n++) {
            uint32_t part = lod_part_of(golden[i].key, counts[n]);
            cr_expect_eq(part, golden[i].parts[n], "%s of %u: %u", golden[i].name, counts[n], part);
        }
    }
}

/* At each border the part changes by one, with the least key that is k 2^64 / n or more. */
Test(part, borders_are_exact_and_cover_all_keys)
{
    for (uint32_t n = 1; n <= LOD_PARTS_MAX; n++) {
        cr_assert_eq(lod_part_of(0, n), 0);
        cr_assert_eq(lod_part_of(UINT64_MAX, n), n - 1);
        for (uint32_t k = 1; k < n; k++) {
            const unsigned __int128 whole = (unsigned __int128)1 << 64;
            const uint64_t border = (uint64_t)((whole * k + n - 1) / n);
            cr_assert_eq(lod_part_of(border, n), k, "%u of %u", k, n);
            cr_assert_eq(lod_part_of(border - 1, n), k - 1, "%u of %u", k, n);
        }
    }
}

Test(part, names_are_plain_decimal_numbers)
{
    static const char *const bad[] = {"",     "-1",    "+1",          "01", "00",  " 1",
                                      "1 ",   "1.",    "x",           "1x", "0x1", "1024",
                                      "4096", "10000", "99999999999", "１"};
    uint16_t number = 7;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        cr_expect_not(lod_part_parse(bad[i], 1024, &number), "%s", bad[i]);
    }
    cr_expect_eq(number, 7);
    cr_expect(lod_part_parse("0", 1, &number) && number == 0);
    cr_expect(lod_part_parse("1023", 1024, &number) && number == 1023);
    cr_expect(lod_part_parse("1024", 1025, &number) && number == 1024);
    cr_expect_not(lod_part_parse("1", 1, &number));
}

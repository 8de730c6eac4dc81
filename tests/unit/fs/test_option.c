/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of options: lookup, values, descriptions. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "codec.h"
#include "option.h"

struct fields {
    uint64_t size;
    uint32_t number, mask, share;
    enum lod_fidelity fidelity;
    uint8_t small;
    bool flag;
    const char *text;
    struct lod_option_list list;
};

#define FIELD(member) LOD_FIELD(struct fields, member)

static const char *const colours[] = {"red", "green", "blue", NULL};
static const char *const others[] = {"left", "left_*", NULL};

static const struct lod_option rows[] = {
    LOD_ROW_NUMBER(LOD_OPTION_SIZE, FIELD(size), 's', "some-size", "SIZE", 1024, 1ull << 40, "a"),
    LOD_ROW_NUMBER(LOD_OPTION_NUMBER, FIELD(number), 0, "number", "N", 2, 20, "b"),
    LOD_ROW_NUMBER(LOD_OPTION_OCTAL, FIELD(mask), 0, "mask", "MODE", 0, 0777, "c"),
    LOD_ROW_FIDELITY(FIELD(fidelity), "fidelity", LOD_ORIGINAL, "d"),
    LOD_ROW_CHOICE(FIELD(small), "colour", colours, "e"),
    LOD_ROW_FLAG(FIELD(flag), 'f', "flag", "f"),
    LOD_ROW_TEXT(LOD_OPTION_TEXT, FIELD(text), 0, "text", "TEXT", 0, "g"),
    LOD_ROW_TEXT(LOD_OPTION_LIST, FIELD(list), 0, "list", "TEXT", 2, "h"),
    {.kind = LOD_OPTION_IGNORED, .words = others},
    LOD_ROW_NUMBER(LOD_OPTION_FRACTION, FIELD(share), 0, "share", "X", 10000, 1500000, "i"),
    LOD_ROW_OPERAND(FIELD(text), "OPERAND", 1, LOD_NAMES_FILES),
    LOD_ROW_END,
};

static int set(const char *name, const char *value, struct fields *fields)
{
    return lod_option_set(lod_option_find(rows, name), value, fields);
}

Test(option, an_option_is_found_by_name_and_dashes_equal_underscores)
{
    cr_assert_eq(lod_option_find(rows, "some_size"), &rows[0]);
    cr_assert_eq(lod_option_find(rows, "some-size=12"), &rows[0]);
    cr_assert_eq(lod_option_find(rows, "left"), &rows[8]);
    cr_assert_eq(lod_option_find(rows, "left-over.x=1"), &rows[8]);
    cr_assert_null(lod_option_find(rows, "some"));
    cr_assert_null(lod_option_find(rows, "some-sizes"));
    cr_assert_null(lod_option_find(rows, "OPERAND"));
    cr_assert_null(lod_option_find(rows, "=1"));
    cr_assert_null(lod_option_find(rows, ""));
}

Test(option, every_size_unit_is_parsed)
{
    static const struct {
        const char *text;
        uint64_t bytes; /* 0: refused */
    } sizes[] = {
        {"1024", 1024},
        {"64K", 64 << 10},
        {"64k", 64 << 10},
        {"64KiB", 64 << 10},
        {"16mB", 16 << 20},
        {"1T", 1ull << 40},
        {"3GiB", 3ull << 30},
        {"1023", 0},
        {"1025G", 0},
        {"2T", 0},
        {"16Mx", 0},
        {"16MiBs", 0},
        {"-16M", 0},
        {"", 0},
        {"M", 0},
        {" 16M", 0},
        {"99999999999999999999", 0},
        {"17592186044416M", 0},
        {"1.5M", 0},
        {"0x10K", 0},
    };

    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct fields fields = {0};
        cr_assert_eq(set("some-size", sizes[i].text, &fields), sizes[i].bytes ? 0 : -EINVAL, "%s",
                     sizes[i].text);
        cr_assert_eq(fields.size, sizes[i].bytes, "%s", sizes[i].text);
    }
}

Test(option, fractions_are_read_exactly)
{
    static const struct {
        const char *text;
        uint32_t millionths; /* 0: refused */
    } fractions[] = {
        {".95", 950000}, {"0.08", 80000}, {"1", 1000000}, {"1.", 1000000},     {"1.5", 1500000},
        {".01", 10000},  {".5", 500000},  {".1", 100000}, {".999999", 999999}, {"0.500000", 500000},
        {"", 0},         {".", 0},        {".009999", 0}, {"1.500001", 0},     {"2", 0},
        {"10", 0},       {"01", 0},       {"-.5", 0},     {"+.5", 0},          {" .5", 0},
        {".5 ", 0},      {".5x", 0},      {"5e-1", 0},    {"0,5", 0},          {".9500000", 0},
        {"95%", 0},      {"nan", 0},      {".5.5", 0},
    };

    for (unsigned i = 0; i < sizeof(fractions) / sizeof(fractions[0]); i++) {
        struct fields fields = {0};
        cr_assert_eq(set("share", fractions[i].text, &fields),
                     fractions[i].millionths ? 0 : -EINVAL, "%s", fractions[i].text);
        cr_assert_eq(fields.share, fractions[i].millionths, "%s", fractions[i].text);
    }
}

Test(option, an_invalid_value_changes_nothing)
{
    static const char *const bad[][2] = {{"number", "1"},     {"number", "21"}, {"number", "3K"},
                                         {"mask", "1000"},    {"mask", "8"},    {"colour", "pink"},
                                         {"fidelity", "q11"}, {"fidelity", ""}, {"colour", ""}};
    struct fields fields = {.number = 7, .mask = 5, .fidelity = LOD_Q1, .small = 1};

    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        cr_assert_eq(set(bad[i][0], bad[i][1], &fields), -EINVAL, "%s=%s", bad[i][0], bad[i][1]);
    }
    cr_assert(fields.number == 7 && fields.mask == 5 && fields.fidelity == LOD_Q1);
    cr_assert_eq(fields.small, 1);
}

Test(option, fields_of_every_width_are_set)
{
    struct fields fields = {0};

    cr_assert_eq(set("number", "20", &fields), 0);
    cr_assert_eq(set("mask", "0640", &fields), 0);
    cr_assert_eq(set("fidelity", "original", &fields), 0);
    cr_assert_eq(set("colour", "blue", &fields), 0);
    cr_assert_eq(set("flag", NULL, &fields), 0);
    cr_assert_eq(set("text", "words", &fields), 0);
    cr_assert(fields.number == 20 && fields.mask == 0640 && fields.fidelity == LOD_ORIGINAL);
    cr_assert(fields.small == 2 && fields.flag);
    cr_assert_str_eq(fields.text, "words");
}

Test(option, a_list_is_limited)
{
    struct fields fields = {0};

    cr_assert_eq(set("list", "a", &fields), 0);
    cr_assert_eq(set("list", "b", &fields), 0);
    cr_assert_eq(set("list", "c", &fields), -E2BIG);
    cr_assert_eq(fields.list.count, 2);
    cr_assert_str_eq(fields.list.at[1], "b");
}

Test(option, an_option_describes_its_values)
{
    static const struct {
        const char *name, *takes;
    } wanted[] = {
        {"some-size", "takes a size from 1K to 1T"},
        {"number", "takes a number from 2 to 20"},
        {"mask", "takes permissions in octal, up to 777"},
        {"share", "takes a number from 0.01 to 1.5, of at most six decimals"},
        {"fidelity", "takes q1 .. q10, full or original"},
        {"colour", "takes red, green or blue"},
        {"flag", "takes no value"},
        {"text", "takes a value"},
        {"list", "may be given 2 times"},
        {"left", "takes no value"},
    };
    char text[LOD_OPTION_TEXT_BYTES];

    for (unsigned i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        cr_assert_str_eq(lod_option_takes(lod_option_find(rows, wanted[i].name), text),
                         wanted[i].takes);
    }
}

Test(option, an_option_lists_its_words)
{
    const struct lod_option *fidelity = lod_option_find(rows, "fidelity");

    cr_assert_str_eq(lod_option_word(&rows[4], 2), "blue");
    cr_assert_null(lod_option_word(&rows[4], 3));
    cr_assert_str_eq(lod_option_word(fidelity, 0), "q1");
    cr_assert_str_eq(lod_option_word(fidelity, 11), "original");
    cr_assert_null(lod_option_word(fidelity, 12));
    cr_assert_null(lod_option_word(&rows[1], 0));
}

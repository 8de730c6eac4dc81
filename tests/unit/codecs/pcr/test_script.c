/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "pcr/jpeg/script.h"

#define REST "0: 1-63, 0, 0\n1: 1-63, 0, 0\n2: 1-63, 0, 0\n"

static struct lod_span text_span(const char *text)
{
    return (struct lod_span){.at = (const uint8_t *)text, .bytes = strlen(text)};
}

static int parse(const char *text, struct lod_script *script, unsigned *line)
{
    const char *why = NULL;
    int error = lod_script_parse("x", text_span(text), script, line, &why);
    cr_assert_eq(error != 0, why != NULL);
    return error;
}

static struct lod_script must_parse(const char *text)
{
    struct lod_script script;
    unsigned line = 0;
    cr_assert_eq(parse(text, &script, &line), 0, "line %u of: %s", line, text);
    return script;
}

Test(script, a_script_is_read_group_by_group)
{
    struct lod_script s = must_parse("\xef\xbb\xbf# a comment\n\n0,1,2: 0-0, 0, 1 # DC\r\n"
                                     "0 : 1-63 , 0, 1; 1: 1-63,0,0;2: 1-63 0 0\n"
                                     "0 1 2: 0-0, 1, 0;\n0: 1-63, 1, 0");
    cr_assert_str_eq(s.name, "x");
    cr_assert_eq(s.count, 6);
    const unsigned groups[] = {1, 2, 2, 2, 3, 4};
    for (unsigned i = 0; i < 6; i++) {
        cr_assert_eq(s.scans[i].group, groups[i]);
    }
    cr_assert_eq(s.scans[0].count, 3);
    cr_assert_eq(s.scans[0].component[2], 2);
    cr_assert_eq(s.scans[2].component[0], 1);
    cr_assert_eq(s.scans[1].first, 1);
    cr_assert_eq(s.scans[1].last, 63);
    cr_assert_eq(s.scans[1].low, 1);
    cr_assert_eq(s.scans[5].high, 1);
}

Test(script, illegal_scripts_are_refused_at_their_line)
{
    const struct {
        const char *text;
        unsigned line;
    } bad[] = {
        {"", 1},
        {"0,1,2: 0-0, 0, 0\n", 1},                             /* AC missing */
        {"0,1: 0-0, 0, 0\n2: 0-0, 0, 0\n" REST, 1},            /* q1 lacks a component */
        {"0,1,2: 0-0, 0, 0; 0: 1-63, 0, 0; 1: 1-63, 0, 0", 1}, /* component 2 missing */
        {"0: 1-63, 0, 0\n", 1},                                /* AC before DC */
        {"0,1,2: 0-0, 0, 0\n0: 1-63, 1, 0\n", 2},              /* refines a band that is missing */
        {"0,1,2: 0-0, 0, 2\n0,1,2: 0-0, 2, 0\n" REST, 2},      /* by two bits */
        {"0,1,2: 0-0, 0, 2\n0,1,2: 0-0, 1, 0\n" REST, 2},      /* out of order */
        {"0,1,2: 0-0, 0, 0\n0,1,2: 0-0, 0, 0\n" REST, 2},      /* twice */
        {"0,1,2: 0-0, 0, 1\n" REST, 4},                        /* DC's bit 0 is missing */
        {"0,1,2: 0-5, 0, 0\n" REST, 1},                        /* DC and AC in one scan */
        {"0,1,2: 0-0, 0, 0\n0,1: 1-63, 0, 0\n", 2},            /* AC of two components */
        {"0,1,2: 0-0, 0, 0\n0: 5-1, 0, 0\n", 2},               /* band with its ends swapped */
        {"0,1,2: 0-0, 0, 11\n", 1},
        {"0,1,2: 0-64, 0, 0\n", 1},
        {"0,2,1: 0-0, 0, 0\n", 1},
        {"0,1,3: 0-0, 0, 0\n", 1},
        {"0,1,2,2: 0-0, 0, 0\n", 1},
        {": 0-0, 0, 0\n", 1},
        {"0,1,2: 0-0, 0\n", 1},
        {"0,1,2: 0-0, 0, 0 1: 1-63, 0, 0\n", 1},
        {"0,1,2;\n", 1},
        {"\n\nx\n", 3},
        {"0,1,2: 0-0, 0, 0000\n", 1},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct lod_script script;
        unsigned line = 99;
        cr_assert_eq(parse(bad[i].text, &script, &line), -EILSEQ, "taken: %s", bad[i].text);
        cr_assert_eq(line, bad[i].line, "line %u of: %s", line, bad[i].text);
    }
}

Test(script, a_nul_byte_and_too_long_a_text_are_refused)
{
    static char text[LOD_SCRIPT_TEXT_MAX + 2] = "0,1,2: 0-0, 0, 0\n" REST;
    struct lod_script script;
    const char *why;
    unsigned line;
    size_t good = strlen(text);

    cr_assert_eq(lod_script_parse("x", text_span(text), &script, &line, &why), 0);
    struct lod_span nul = {.at = (const uint8_t *)text, .bytes = good + 1};
    cr_assert_eq(lod_script_parse("x", nul, &script, &line, &why), -EILSEQ);
    memset(text + good, '\n', LOD_SCRIPT_TEXT_MAX - good);
    cr_assert_eq(lod_script_parse("x", text_span(text), &script, &line, &why), 0);
    text[LOD_SCRIPT_TEXT_MAX] = '\n';
    cr_assert_eq(lod_script_parse("x", text_span(text), &script, &line, &why), -EILSEQ);
}

Test(script, more_groups_or_scans_than_the_limits_are_refused)
{
    struct lod_script script;
    unsigned line;
    char text[LOD_SCRIPT_TEXT_MAX] = "0,1,2: 0-0, 0, 0\n1: 1-63, 0, 0; 2: 1-63, 0, 0\n";
    size_t head = strlen(text);

    for (unsigned k = 1, at = (unsigned)head; k <= 9; k++) {
        at += (unsigned)sprintf(text + at, "0: %u-%u, 0, 0\n", k, k == 9 ? 63 : k);
    }
    cr_assert_eq(parse(text, &script, &line), -EILSEQ);
    cr_assert_eq(line, 11);
    /* 61 scans of one coefficient each are legal, but after splitting there are more than 64. */
    for (unsigned k = 1, at = (unsigned)head; k <= 61; k++) {
        at += (unsigned)sprintf(text + at, "0: %u-%u, 0, 0;", k, k == 61 ? 63 : k);
    }
    cr_assert_eq(parse(text, &script, &line), -EILSEQ);
    cr_assert_eq(line, 3);
}

Test(script, every_built_in_script_is_legal_and_prints_as_it_is_read)
{
    unsigned i = 0;
    for (const struct lod_script *s; (s = lod_script_builtin(i)); i++) {
        char text[LOD_SCRIPT_TEXT_MAX];
        struct lod_script again;
        const char *why = "";
        unsigned line = 0;
        size_t bytes = lod_script_print(s, text, sizeof(text));
        cr_assert_lt(bytes, sizeof(text));
        cr_assert_eq(bytes, strlen(text));
        cr_assert_eq(lod_script_parse(s->name, text_span(text), &again, &line, &why), 0,
                     "%s, line %u: %s", s->name, line, why);
        cr_assert_eq(again.count, s->count);
        for (unsigned k = 0; k < s->count; k++) {
            cr_assert_eq(memcmp(&again.scans[k], &s->scans[k], sizeof(s->scans[k])), 0);
        }
        cr_assert_eq(lod_script_named(s->name), s);
    }
    cr_assert_gt(i, 0);
    cr_assert_null(lod_script_named("none such"));
}

Test(script, print_is_cut_at_the_room_and_tells_the_full_length)
{
    const struct lod_script *s = lod_script_builtin(0);
    char whole[LOD_SCRIPT_TEXT_MAX], part[LOD_SCRIPT_TEXT_MAX];
    size_t bytes = lod_script_print(s, whole, sizeof(whole));

    cr_assert_eq(lod_script_print(s, NULL, 0), bytes);
    for (size_t room = 1; room <= bytes; room++) {
        cr_assert_eq(lod_script_print(s, part, room), bytes);
        cr_assert_eq(strlen(part), room - 1);
        cr_assert_eq(memcmp(part, whole, room - 1), 0);
    }
}

/* Fits and prints: a fitted script prints as lines, an empty group as an empty one. */
static void expect_fit(const char *text, unsigned components, const uint8_t *blocks,
                       const char *expected)
{
    struct lod_script script = must_parse(text), fitted;
    char printed[LOD_SCRIPT_TEXT_MAX];

    lod_script_fit(&script, components, blocks, &fitted);
    lod_script_print(&fitted, printed, sizeof(printed));
    cr_assert_str_eq(printed, expected);
}

Test(script, fit_drops_adds_and_splits_components)
{
    const char *text = "0,1,2: 0-0, 0, 1\n1: 1-63, 0, 0; 2: 1-63, 0, 0\n"
                       "0: 1-63, 0, 0\n0,1,2: 0-0, 1, 0\n";
    const uint8_t one[] = {1, 1, 1, 1}, four[] = {4, 1, 1, 4}, ten[] = {8, 1, 1, 0},
                  more[] = {8, 2, 1, 0}, gray[] = {16};

    expect_fit(text, 1, gray, "0: 0-0, 0, 1\n\n0: 1-63, 0, 0\n0: 0-0, 1, 0\n");
    expect_fit(text, 2, one, "0,1: 0-0, 0, 1\n1: 1-63, 0, 0\n0: 1-63, 0, 0\n0,1: 0-0, 1, 0\n");
    expect_fit(text, 3, ten, text);
    expect_fit(text, 3, more,
               "0: 0-0, 0, 1; 1: 0-0, 0, 1; 2: 0-0, 0, 1\n1: 1-63, 0, 0; 2: 1-63, 0, 0\n"
               "0: 1-63, 0, 0\n0: 0-0, 1, 0; 1: 0-0, 1, 0; 2: 0-0, 1, 0\n");
    expect_fit(text, 4, four,
               "0,1,2,3: 0-0, 0, 1\n1: 1-63, 0, 0; 2: 1-63, 0, 0\n"
               "0: 1-63, 0, 0; 3: 1-63, 0, 0\n0,1,2,3: 0-0, 1, 0\n");
}

Test(script, quantisation_classes_rise_with_the_table_and_reach_both_ends)
{
    uint16_t table[64];
    unsigned last = 0;

    for (unsigned step = 1; step <= 255; step++) {
        for (unsigned i = 0; i < 64; i++) {
            table[i] = (uint16_t)step;
        }
        unsigned class = lod_quant_class(table);
        cr_assert(class == last || class == last + 1);
        cr_assert(step > 1 || class == 0);
        last = class;
    }
    cr_assert_eq(last, LOD_QUANT_CLASSES - 1);
    memset(table, 0xff, sizeof(table));
    cr_assert_eq(lod_quant_class(table), LOD_QUANT_CLASSES - 1);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include "pcr/jpeg/script.h"

Test(script_builtin, every_one_is_legal_and_uses_all_ten_groups)
{
    static char text[LOD_SCRIPT_TEXT_MAX];
    unsigned count = 0;

    for (const struct lod_script *s; (s = lod_script_builtin(count)) != NULL; count++) {
        struct lod_script again;
        unsigned line = 0, groups = 0;
        const char *why = NULL;
        size_t bytes = lod_script_print(s, text, sizeof(text));
        struct lod_span span = {.at = (const uint8_t *)text, .bytes = bytes};

        cr_assert_eq(lod_script_parse(s->name, span, &again, &line, &why), 0, "%s line %u: %s",
                     s->name, line, why);
        cr_expect_eq(again.count, s->count);
        for (unsigned i = 0; i < s->count; i++) {
            groups |= 1u << s->scans[i].group;
        }
        cr_expect_eq(groups, 0x7fe, "%s leaves a group empty", s->name);
        cr_expect_eq(s->scans[0].group, 1);
        cr_expect_eq(lod_script_named(s->name), s, "%s is there twice", s->name);
    }
    cr_expect_geq(count, 4);
    cr_expect_leq(count, LOD_SCRIPTS_MAX);
    cr_expect_null(lod_script_named("none such"));
    cr_expect_null(lod_script_named(""));
}

/* tidy takes the bytes of default: the same scans in another order. */
Test(script_builtin, tidy_has_the_scans_of_default)
{
    const struct lod_script *tidy = lod_script_named("tidy"),
                            *standard = lod_script_named("default");

    cr_assert(tidy && standard);
    cr_assert_eq(tidy->count, standard->count);
    for (unsigned i = 0; i < tidy->count; i++) {
        bool found = false;
        for (unsigned j = 0; j < standard->count && !found; j++) {
            struct lod_scan a = tidy->scans[i], b = standard->scans[j];
            a.group = b.group = 0;
            found = memcmp(&a, &b, sizeof(a)) == 0;
        }
        cr_expect(found, "scan %u", i);
    }
}

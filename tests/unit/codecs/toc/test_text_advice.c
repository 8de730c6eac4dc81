/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <string.h>

#include "toc/source/text_advice.h"

static void check(const char *field, const char *words)
{
    const char *advice =
        lod_text_advice((struct lod_span){.at = (const uint8_t *)field, .bytes = strlen(field)});

    if (words) {
        cr_assert(advice && strstr(advice, words), "'%s': %s", field, advice ? advice : "nothing");
    } else {
        cr_assert_null(advice, "'%s': %s", field, advice);
    }
}

Test(text_advice, numbers_of_other_writings_are_told)
{
    check("1,234", "without separators");
    check("1.234.567,5", "without separators");
    check("-1 234 567", "without separators");
    check("1'234.5", "without separators");
    check("2021-03-04", "dates");
    check("03/04/21 12:30", "dates");
    check("2021-03-04T12:30:01.5Z", "dates");
    check("12:30", "dates");
    check("12%", "units");
    check("$12.50", "units");
    check("\xe2\x82\xac"
          "5",
          "units");
}

Test(text_advice, of_other_text_nothing_is_said)
{
    check("", NULL);
    check("red", NULL);
    check("c4097", NULL);
    check("A-1", NULL);
    check("Room 101, left", NULL);
    check("1e5x", NULL);
    check("a long sentence with 1 digit: in all of its words, which are more than are looked at",
          NULL);
}

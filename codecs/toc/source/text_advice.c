/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recognises numbers in other notations: 1,234 and 1.234,5; 2021-03-04 and 12:30; $5 and 5%. See
 * text_advice.h.
 */
#include "toc/source/text_advice.h"

#include <stdbool.h>
#include <string.h>

#define BYTES_EXAMINED 64u
#define SIGN_BYTES     3u /* of a currency sign in UTF-8 */

/* The kinds of characters in a field. */
struct makeup {
    unsigned digits;
    unsigned separators,
        between; /* after a digit: separators of thousands and decimals; of dates and times */
    unsigned others;
};

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_one_of(uint8_t c, const char *set)
{
    return c && strchr(set, c) != NULL;
}

static struct makeup count_characters(struct lod_span field)
{
    struct makeup m = {0};

    for (size_t i = 0; i < field.bytes && i < BYTES_EXAMINED; i++) {
        const uint8_t c = field.at[i];
        const bool inside = i > 0 && is_digit(field.at[i - 1]);
        m.digits += is_digit(c);
        m.separators += is_one_of(c, ",'_ ") && inside;
        m.between += is_one_of(c, "-/:") && inside;
        m.others += !is_digit(c) && !is_one_of(c, ",'_ -/:.+TZ");
    }
    return m;
}

const char *lod_text_advice(struct lod_span field)
{
    const struct makeup m = count_characters(field);

    if (m.digits == 0) {
        return NULL;
    }
    if (m.between && m.others == 0) {
        return "write dates and times as numbers";
    }
    if (m.separators && m.others == 0) {
        return "write numbers as 1234.5, without separators";
    }
    const bool percent = field.at[field.bytes - 1] == '%' && m.others == 1;
    const bool money = (field.at[0] == '$' || field.at[0] >= 0x80) && m.others <= SIGN_BYTES;
    return percent || money ? "write numbers without units" : NULL;
}

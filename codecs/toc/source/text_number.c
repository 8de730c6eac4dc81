/* SPDX-License-Identifier: Apache-2.0 */
/* Converts text to numbers; see text_number.h. */
#include "toc/source/text_number.h"

#include <langinfo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define EXACT_DIGITS 15 /* any number of 15 digits is below 2^53 */
#define EXACT_POWERS 22 /* 10^22 is exact as a double, 10^23 is not */

static struct lod_span trim(struct lod_span text)
{
    while (text.bytes && (text.at[0] == ' ' || text.at[0] == '\t')) {
        text.at++;
        text.bytes--;
    }
    while (text.bytes && (text.at[text.bytes - 1] == ' ' || text.at[text.bytes - 1] == '\t')) {
        text.bytes--;
    }
    return text;
}

static bool is_word(struct lod_span text, const char *word)
{
    return text.bytes == strlen(word) && text.bytes &&
           strncasecmp((const char *)text.at, word, text.bytes) == 0;
}

static bool is_missing(struct lod_span text)
{
    static const char *const words[] = {"na",   "n/a",  "nan", "null", "none",
                                        "#n/a", "<na>", "#na", "-nan", "?"};

    if (text.bytes == 0) {
        return true;
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (is_word(text, words[i])) {
            return true;
        }
    }
    return false;
}

static bool is_infinite(struct lod_span text, double *ret_number)
{
    const bool sign = text.bytes && (text.at[0] == '-' || text.at[0] == '+');
    const struct lod_span word = {.at = text.at + sign, .bytes = text.bytes - sign};

    if (!is_word(word, "inf") && !is_word(word, "infinity")) {
        return false;
    }
    *ret_number = sign && text.at[0] == '-' ? -HUGE_VAL : HUGE_VAL;
    return true;
}

/* A decimal number, parsed. `digits` is valid while it is exact. */
struct decimal {
    uint64_t digits;
    unsigned count;    /* number of digits after leading zeros */
    unsigned fraction; /* number of those after the decimal point */
    bool minus, exponent;
};

/* Returns whether the whole text is a number. */
static bool scan(struct lod_span text, struct decimal *d)
{
    bool point = false, any = false;
    size_t i = 0;

    d->minus = text.bytes && text.at[0] == '-';
    i += text.bytes && (text.at[0] == '-' || text.at[0] == '+');
    for (; i < text.bytes; i++) {
        const uint8_t c = text.at[i];
        if (c == '.' && !point) {
            point = true;
        } else if (c >= '0' && c <= '9') {
            any = true;
            d->count += d->count || c != '0';
            d->fraction += point;
            d->digits = d->digits * 10 + (c - (unsigned)'0');
        } else {
            break;
        }
    }
    if (i < text.bytes && any && (text.at[i] == 'e' || text.at[i] == 'E')) {
        d->exponent = true;
        i++;
        i += i < text.bytes && (text.at[i] == '-' || text.at[i] == '+');
        any = i < text.bytes;
        while (i < text.bytes && text.at[i] >= '0' && text.at[i] <= '9') {
            i++;
        }
    }
    return any && i == text.bytes;
}

/* Both operands are exact, so the division rounds once. */
static double divide(const struct decimal *d)
{
    static const double powers[EXACT_POWERS + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const double number = (double)d->digits / powers[d->fraction];

    return d->minus ? -number : number;
}

/* Converts with strtod in any locale: the point is first replaced by the locale's. */
static double convert(struct lod_span text)
{
    char copy[LOD_NUMBER_TEXT_MAX + 1];
    const char point = nl_langinfo(RADIXCHAR)[0];

    for (size_t i = 0; i < text.bytes; i++) {
        copy[i] = text.at[i] == '.' ? point : (char)text.at[i];
    }
    copy[text.bytes] = '\0';
    return strtod(copy, NULL);
}

/* Whether `number`, which the text was converted to, differs from the integer in the text. */
static bool is_rounded_integer(struct lod_span text, const struct decimal *d, double number)
{
    char digits[LOD_NUMBER_TEXT_MAX + 1];
    const struct lod_span last = {.at = text.at + text.bytes - d->count, .bytes = d->count};

    if (d->exponent || d->fraction || d->count <= EXACT_DIGITS || last.at[d->count - 1] == '.') {
        return false;
    }
    const int bytes = snprintf(digits, sizeof(digits), "%.0f", fabs(number));
    return bytes != (int)d->count || memcmp(digits, last.at, d->count) != 0;
}

enum lod_number lod_text_number(struct lod_span text, double *ret_number)
{
    struct decimal d = {0};

    text = trim(text);
    if (text.bytes > LOD_NUMBER_TEXT_MAX) {
        return LOD_NUMBER_NONE;
    }
    if (scan(text, &d)) {
        const bool exact = !d.exponent && d.count <= EXACT_DIGITS && d.fraction <= EXACT_POWERS;
        *ret_number = exact ? divide(&d) : convert(text);
        return !exact && is_rounded_integer(text, &d, *ret_number) ? LOD_NUMBER_ROUNDED
                                                                   : LOD_NUMBER;
    }
    if (is_missing(text)) {
        *ret_number = NAN;
        return LOD_NUMBER_MISSING;
    }
    return is_infinite(text, ret_number) ? LOD_NUMBER : LOD_NUMBER_NONE;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* See option.h. */
#include "option.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "text.h"

static const char units[] = "KMGT";

static bool is(const char *name, const char *word, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (name[i] == '*') {
            return true;
        }
        if ((name[i] == '-' ? '_' : name[i]) != (word[i] == '-' ? '_' : word[i])) {
            return false;
        }
    }
    return name[bytes] == '\0';
}

static bool has_name(const struct lod_option *row, const char *word, size_t bytes)
{
    bool found = row->name && is(row->name, word, bytes);

    for (unsigned i = 0; !row->name && !found && row->words && row->words[i]; i++) {
        found = is(row->words[i], word, bytes);
    }
    return found;
}

const struct lod_option *lod_option_find(const struct lod_option *table, const char *word)
{
    size_t bytes = strcspn(word, "=");

    for (const struct lod_option *row = table; bytes && row->kind != LOD_OPTION_END; row++) {
        if (row->kind != LOD_OPTION_OPERAND && has_name(row, word, bytes)) {
            return row;
        }
    }
    return NULL;
}

bool lod_option_is_valued(const struct lod_option *option)
{
    return option->kind >= LOD_OPTION_TEXT && option->kind <= LOD_OPTION_OCTAL;
}

const char *lod_option_word(const struct lod_option *option, unsigned index)
{
    unsigned words = 0;

    if (option->kind == LOD_OPTION_FIDELITY) {
        return LOD_Q1 + index <= option->max
                   ? lod_fidelity_name((enum lod_fidelity)(LOD_Q1 + index))
                   : NULL;
    }
    while (option->words && words < index && option->words[words]) {
        words++;
    }
    return option->words ? option->words[words] : NULL;
}

static int choose(const struct lod_option *option, const char *value, uint64_t *ret_number)
{
    const char *word;

    for (unsigned i = 0; (word = lod_option_word(option, i)); i++) {
        if (strcmp(word, value) == 0) {
            *ret_number = option->kind == LOD_OPTION_FIDELITY ? LOD_Q1 + i : i;
            return 0;
        }
    }
    return -EINVAL;
}

/* Parses digits; a size can have a unit after them: "K", "KiB", "kB". */
static int parse_number(const struct lod_option *option, const char *value, uint64_t *ret_number)
{
    if (option->words && strcmp(value, option->words[0]) == 0) {
        *ret_number = LOD_OPTION_AUTO;
        return 0;
    }
    char *end = NULL;
    unsigned shift = 0;

    errno = 0;
    unsigned long long number = strtoull(value, &end, option->kind == LOD_OPTION_OCTAL ? 8 : 10);
    if (errno || *value < '0' || *value > '9') {
        return -EINVAL;
    }
    const char *unit = option->kind == LOD_OPTION_SIZE && *end ? strchr(units, *end & ~0x20) : NULL;
    if (unit && *unit) {
        shift = 10 * (unsigned)(unit - units + 1);
        end += strcmp(end + 1, "iB") == 0 ? 3 : strcmp(end + 1, "B") == 0 ? 2 : 1;
    }
    if (*end || number > option->max >> shift || number << shift < option->min) {
        return -EINVAL;
    }
    *ret_number = (uint64_t)number << shift;
    return 0;
}

static void store(const struct lod_option *option, uint64_t number, void *into)
{
    void *at = (char *)into + (option->field >> 8);

    switch ((option->field & 0xff)) {
    case 1:
        *(uint8_t *)at = (uint8_t)number;
        break;
    case 4:
        *(uint32_t *)at = (uint32_t)number;
        break;
    default:
        *(uint64_t *)at = number;
    }
}

static uint64_t stored(const struct lod_option *option, const void *from)
{
    const void *at = (const char *)from + (option->field >> 8);

    return (option->field & 0xff) == 1   ? *(const uint8_t *)at
           : (option->field & 0xff) == 4 ? *(const uint32_t *)at
                                         : *(const uint64_t *)at;
}

static int append(struct lod_option_list *list, uint64_t max, const char *value)
{
    if (list->preset) {
        list->count = 0;
        list->preset = false;
    }
    if (list->count >= LOD_OPTION_LIST_MAX || list->count >= max) {
        return -E2BIG;
    }
    list->at[list->count++] = value;
    return 0;
}

void lod_option_preset(const struct lod_option *option, void *into)
{
    if (option->kind == LOD_OPTION_LIST) {
        ((struct lod_option_list *)(void *)((char *)into + (option->field >> 8)))->preset = true;
    }
}

/* Millionths of a decimal: ".95", "0.08", "1", with at most one digit before the point. */
static int parse_fraction(const struct lod_option *option, const char *value, uint64_t *ret_number)
{
    uint64_t number = 0, unit = 1000000;
    bool digits = *value >= '0' && *value <= '9';

    if (digits) {
        number = (uint64_t)(*value++ - '0') * unit;
    }
    const bool point = *value == '.';
    for (value += point; point && *value >= '0' && *value <= '9' && unit > 1; value++) {
        unit /= 10;
        number += (uint64_t)(*value - '0') * unit;
        digits = true;
    }
    if (!digits || *value || number < option->min || number > option->max) {
        return -EINVAL;
    }
    *ret_number = number;
    return 0;
}

int lod_option_set(const struct lod_option *option, const char *value, void *into)
{
    uint64_t number = option->max; /* for a flag */
    void *at = (char *)into + (option->field >> 8);
    int error = 0;

    switch (option->kind) {
    case LOD_OPTION_TEXT:
    case LOD_OPTION_OPERAND:
        *(const char **)at = value;
        return 0;
    case LOD_OPTION_LIST:
        return append(at, option->max, value);
    case LOD_OPTION_CHOICE:
    case LOD_OPTION_FIDELITY:
        error = choose(option, value, &number);
        break;
    case LOD_OPTION_FLAG:
        break;
    case LOD_OPTION_FRACTION:
        error = parse_fraction(option, value, &number);
        break;
    default:
        error = parse_number(option, value, &number);
    }
    if (!error) {
        store(option, number, into);
    }
    return error;
}

/* Writes a size as "64K", "512M" or "1000". */
static const char *size_text(uint64_t bytes, char text[32])
{
    unsigned unit = 0;

    while (bytes && bytes % 1024 == 0 && units[unit]) {
        bytes /= 1024;
        unit++;
    }
    snprintf(text, 32, "%llu%.1s", (unsigned long long)bytes, unit ? &units[unit - 1] : "");
    return text;
}

/* Writes "takes a, b or c". */
static void list_words(const struct lod_option *option, struct lod_out *out)
{
    const char *word;

    for (unsigned i = 0; (word = lod_option_word(option, i)); i++) {
        const bool last = !lod_option_word(option, i + 1);
        lod_out_print(out, "%s%s", i == 0 ? "takes " : last ? " or " : ", ", word);
    }
}

const char *lod_option_takes(const struct lod_option *option, char text[LOD_OPTION_TEXT_BYTES])
{
    struct lod_out out = {.text = text, .room = LOD_OPTION_TEXT_BYTES};
    char min[32], max[32];

    lod_out_put(&out, "", 0);
    switch (option->kind) {
    case LOD_OPTION_CHOICE:
        list_words(option, &out);
        break;
    case LOD_OPTION_FIDELITY:
        lod_out_print(&out, "takes q1 .. q10%s",
                      option->max == LOD_ORIGINAL ? ", full or original"
                      : option->max == LOD_FULL   ? " or full"
                                                  : "");
        break;
    case LOD_OPTION_NUMBER:
        lod_out_print(&out, "takes a number from %llu to %llu", (unsigned long long)option->min,
                      (unsigned long long)option->max);
        break;
    case LOD_OPTION_SIZE:
        lod_out_print(&out, "takes %s%sa size from %s to %s", option->words ? option->words[0] : "",
                      option->words ? " or " : "", size_text(option->min, min),
                      size_text(option->max, max));
        break;
    case LOD_OPTION_FRACTION:
        lod_out_print(&out, "takes a number from %g to %g, of at most six decimals",
                      (double)option->min / 1e6, (double)option->max / 1e6);
        break;
    case LOD_OPTION_OCTAL:
        lod_out_print(&out, "takes permissions in octal, up to %llo",
                      (unsigned long long)option->max);
        break;
    case LOD_OPTION_LIST:
        lod_out_print(&out, "may be given %llu times", (unsigned long long)option->max);
        break;
    default:
        lod_out_print(&out, lod_option_is_valued(option) ? "takes a value" : "takes no value");
    }
    return text;
}

/* A text option that was not set is written as empty. */
static const char *text_of(const struct lod_option *option, const void *from)
{
    const char *text =
        *(const char *const *)(const void *)((const char *)from + (option->field >> 8));

    return text ? text : "";
}

void lod_option_json(const struct lod_option *option, const void *from, struct lod_json *json)
{
    const uint64_t number = option->kind == LOD_OPTION_TEXT ? 0 : stored(option, from);
    char octal[32];

    switch (option->kind) {
    case LOD_OPTION_FLAG:
        lod_json_bool(json, option->name, number);
        break;
    case LOD_OPTION_TEXT:
        lod_json_text(json, option->name, text_of(option, from));
        break;
    case LOD_OPTION_FIDELITY:
        lod_json_text(json, option->name, lod_fidelity_name((enum lod_fidelity)number));
        break;
    case LOD_OPTION_CHOICE:
        lod_json_text(json, option->name, option->words[number]);
        break;
    case LOD_OPTION_FRACTION:
        lod_json_number(json, option->name, (double)number / 1e6);
        break;
    case LOD_OPTION_OCTAL:
        snprintf(octal, sizeof(octal), "%04llo", (unsigned long long)number);
        lod_json_text(json, option->name, octal);
        break;
    default:
        lod_json_number(json, option->name, (double)number);
    }
}

/* ------------------------------------------------------------------------------ words of -o */

static bool is_octal(const char *digits)
{
    return digits[0] >= '0' && digits[0] <= '3' && strspn(digits, "01234567") >= 3;
}

/* Ends the word at `at` where its comma is; a backslash, or \ooo, makes any byte part of a word.
 * Returns the start of the next one, NULL behind the last. */
char *lod_option_cut(char *at)
{
    char *to = at;

    for (; *at && *at != ','; at++) {
        if (at[0] == '\\' && is_octal(at + 1)) {
            *to++ = (char)((at[1] - '0') << 6 | (at[2] - '0') << 3 | (at[3] - '0'));
            at += 3;
        } else {
            at += at[0] == '\\' && at[1];
            *to++ = *at;
        }
    }
    char *next = *at ? at + 1 : NULL;
    *to = '\0';
    return next;
}

/* Returns all texts of -o as one text, which the caller cuts in place. NULL: no memory. */
char *lod_option_join(const struct lod_option_list *o)
{
    size_t bytes = 1, used = 0;

    for (unsigned i = 0; i < o->count; i++) {
        bytes += strlen(o->at[i]) + 1;
    }
    char *text = malloc(bytes);
    for (unsigned i = 0; text && i < o->count; i++) {
        used += lod_format(text + used, bytes - used, "%s%s", i ? "," : "", o->at[i]);
    }
    if (text) {
        text[used] = '\0';
    }
    return text;
}

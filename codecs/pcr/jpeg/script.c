/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scan scripts: parsing, printing, and adaptation to an image. FORMAT.md, pcr, Scan scripts. The
 * rules of legality are those of ITU-T T.81 annex G. The built-in scripts are in script_builtin.c.
 */
#include "pcr/jpeg/script.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#define COLOURS   3  /* components of a script */
#define BLOCK     64 /* coefficients of a block */
#define BIT_MAX   10 /* highest bit position in an 8-bit image; libjpeg accepts no higher one */
#define DIGITS    3  /* maximum digits of a number */
#define MCU_LIMIT 10 /* blocks of an interleaved scan's MCU, T.81 B.2.3 */

/* Skips blanks, and comments from '#' to the end of the line. */
static void skip_blanks(struct lod_cursor *c)
{
    while (c->left && (*c->at == ' ' || *c->at == '\t' || *c->at == '\r')) {
        lod_take(c, 1);
    }
    while (c->left && *c->at == '#') {
        const uint8_t *end = memchr(c->at, '\n', c->left);
        lod_take(c, end ? (size_t)(end - c->at) : c->left);
    }
}

/* Returns the next significant byte, or 0 at the end of the text. */
static char peek(struct lod_cursor *c)
{
    skip_blanks(c);
    return c->left ? (char)*c->at : '\0';
}

static bool take_char(struct lod_cursor *c, char wanted)
{
    bool there = peek(c) == wanted;
    if (there) {
        lod_take(c, 1);
    }
    return there;
}

static bool take_number(struct lod_cursor *c, unsigned max, uint8_t *ret_value)
{
    unsigned value = 0, digits = 0;

    skip_blanks(c);
    while (c->left && *c->at >= '0' && *c->at <= '9' && digits < DIGITS) {
        value = value * 10 + lod_take_u8(c) - '0';
        digits++;
    }
    if (!digits || value > max) {
        return false;
    }
    *ret_value = (uint8_t)value;
    return true;
}

/* Parses a scan such as "0,1,2: 0-0, 0, 2". Commas between components may be blanks, as in
 * jpegtran. */
static const char *take_scan(struct lod_cursor *c, struct lod_scan *scan)
{
    while (peek(c) != ':') {
        if (scan->count == COLOURS) {
            return "a scan has more than 3 components";
        }
        if (!take_number(c, COLOURS - 1, &scan->component[scan->count])) {
            return "expected a component, 0, 1 or 2";
        }
        if (scan->count && scan->component[scan->count] <= scan->component[scan->count - 1]) {
            return "the components of a scan must ascend";
        }
        scan->count++;
        take_char(c, ',');
    }
    if (!scan->count || !take_char(c, ':')) {
        return "expected components before ':'";
    }
    if (!take_number(c, BLOCK - 1, &scan->first) || !take_char(c, '-') ||
        !take_number(c, BLOCK - 1, &scan->last)) {
        return "expected a band of coefficients, such as 1-5";
    }
    take_char(c, ',');
    if (!take_number(c, BIT_MAX, &scan->high)) {
        return "expected two bit positions, each 0 to 10";
    }
    take_char(c, ',');
    if (!take_number(c, BIT_MAX, &scan->low)) {
        return "expected two bit positions, each 0 to 10";
    }
    return NULL;
}

/* The lowest bit sent so far of each coefficient; -1: none. */
struct progress {
    int8_t bit[COLOURS][BLOCK];
};

static const char *advance(struct progress *p, const struct lod_scan *scan, unsigned component)
{
    for (unsigned k = scan->first; k <= scan->last; k++) {
        int8_t *bit = &p->bit[component][k];
        if (*bit < 0 && scan->high != 0) {
            return "a refinement of a coefficient that was not sent before";
        }
        if (*bit >= 0 && (scan->high != *bit || scan->low + 1 != scan->high)) {
            return "a coefficient is refined out of order, or not by one bit";
        }
        *bit = (int8_t)scan->low;
    }
    return NULL;
}

static const char *check_scan(struct progress *p, const struct lod_scan *scan)
{
    const char *why = NULL;

    if (scan->last < scan->first || (scan->first == 0 && scan->last != 0)) {
        return "a band must be 0-0 or lie in 1-63";
    }
    if (scan->first != 0 && scan->count != 1) {
        return "a scan of 1-63 has one component only";
    }
    if (scan->first != 0 && p->bit[scan->component[0]][0] < 0) {
        return "a component's 0-0 must come before its 1-63";
    }
    for (unsigned i = 0; i < scan->count && !why; i++) {
        why = advance(p, scan, scan->component[i]);
    }
    return why;
}

/* Checks that group 1, without the others, is an image that every decoder accepts. */
static const char *check_group_1(const struct progress *p)
{
    for (unsigned c = 0; c < COLOURS; c++) {
        if (p->bit[c][0] < 0) {
            return "the first group must hold 0-0 of all three components";
        }
    }
    return NULL;
}

static const char *check_complete(const struct progress *p)
{
    for (unsigned c = 0; c < COLOURS; c++) {
        for (unsigned k = 0; k < BLOCK; k++) {
            if (p->bit[c][k] != 0) {
                return "not every coefficient is sent down to bit 0";
            }
        }
    }
    return NULL;
}

/* Returns the number of scans that lod_script_fit may make of this one: it may split it by
 * component, and adds the fourth like component 0. */
static unsigned fitted_max(const struct lod_scan *scan)
{
    return scan->count + (scan->component[0] == 0 ? 1u : 0u);
}

/* Parses a line: a scan group, or nothing if it is blank. */
static const char *parse_line(struct lod_cursor *c, struct lod_script *script, unsigned group,
                              struct progress *p, unsigned *scans_max)
{
    while (peek(c) != '\n' && peek(c) != '\0') {
        struct lod_scan scan = {.group = (uint8_t)group};
        if (group > LOD_SCRIPT_GROUPS) {
            return "more than 10 scan groups (lines)";
        }
        const char *why = take_scan(c, &scan);
        why = why ? why : check_scan(p, &scan);
        if (why) {
            return why;
        }
        *scans_max += fitted_max(&scan);
        if (*scans_max > LOD_SCRIPT_SCANS_MAX) {
            return "too many scans";
        }
        script->scans[script->count++] = scan;
        if (!take_char(c, ';') && peek(c) != '\n' && peek(c) != '\0') {
            return "expected ';' or the end of the line after a scan";
        }
    }
    return NULL;
}

static const char *parse(struct lod_cursor *c, struct lod_script *script, unsigned *line)
{
    struct progress p;
    unsigned group = 1, scans_max = 0;

    memset(&p, -1, sizeof(p));
    for (*line = 1; c->left; ++*line) {
        unsigned before = script->count;
        const char *why = parse_line(c, script, group, &p, &scans_max);
        if (!why && script->count > before && group++ == 1) {
            why = check_group_1(&p);
        }
        if (!why && c->left && !take_char(c, '\n')) {
            why = "a NUL byte is not allowed in a script"; /* NUL */
        }
        if (why) {
            return why;
        }
    }
    *line -= *line > 1;
    return check_complete(&p);
}

int lod_script_parse(const char *name, struct lod_span text, struct lod_script *ret_script,
                     unsigned *ret_line, const char **ret_why)
{
    struct lod_script script = {0};
    const size_t mark = lod_text_mark(text.at, text.bytes);
    struct lod_cursor c = lod_cursor(text.at + mark, text.bytes - mark);
    unsigned line = 1;
    const char *why = text.bytes > LOD_SCRIPT_TEXT_MAX ? "the script is longer than 8192 bytes"
                                                       : parse(&c, &script, &line);
    if (why) {
        *ret_line = line;
        *ret_why = why;
        return -EILSEQ;
    }
    snprintf(script.name, sizeof(script.name), "%s", name);
    *ret_script = script;
    return 0;
}

/* snprintf into the rest of `text`; `at` may exceed `room`. */
static LOD_PRINTF(4, 5) size_t print(char *text, size_t room, size_t at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int bytes = vsnprintf(at < room ? text + at : NULL, at < room ? room - at : 0, format, args);
    va_end(args);
    assert(bytes >= 0);
    return at + (size_t)bytes;
}

size_t lod_script_print(const struct lod_script *script, char *text, size_t room)
{
    size_t at = print(text, room, 0, "%s", "");

    for (unsigned i = 0; i < script->count; i++) {
        const struct lod_scan *s = &script->scans[i];
        unsigned group = i ? script->scans[i - 1].group : 1;
        at = print(text, room, at, "%s", i && s->group == group ? "; " : "");
        for (; group < s->group; group++) {
            at = print(text, room, at, "\n");
        }
        for (unsigned k = 0; k < s->count; k++) {
            at = print(text, room, at, k ? ",%u" : "%u", s->component[k]);
        }
        at = print(text, room, at, ": %u-%u, %u, %u", s->first, s->last, s->high, s->low);
    }
    return print(text, room, at, "\n");
}

static void add(struct lod_script *script, struct lod_scan scan)
{
    assert(script->count < LOD_SCRIPT_SCANS_MAX); /* parsing ensures it by fitted_max */
    script->scans[script->count++] = scan;
}

/* Returns the scan with the components that the image has; the fourth goes with component 0. */
static struct lod_scan keep_components(const struct lod_scan *scan, unsigned components)
{
    struct lod_scan kept = *scan;

    kept.count = 0;
    memset(kept.component, 0, sizeof(kept.component));
    for (unsigned i = 0; i < scan->count; i++) {
        if (scan->component[i] < components) {
            kept.component[kept.count++] = scan->component[i];
        }
    }
    if (components == 4 && scan->component[0] == 0) {
        kept.component[kept.count++] = 3;
    }
    return kept;
}

static bool interleaves(const struct lod_scan *scan, const uint8_t *blocks)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < scan->count; i++) {
        sum += blocks[scan->component[i]];
    }
    return scan->count == 1 || (scan->first == 0 && sum <= MCU_LIMIT);
}

void lod_script_fit(const struct lod_script *script, unsigned components, const uint8_t *blocks,
                    struct lod_script *ret_fitted)
{
    struct lod_script fitted = {0};

    assert(components >= 1 && components <= LOD_SCRIPT_COMPONENTS);
    memcpy(fitted.name, script->name, sizeof(fitted.name));
    for (unsigned i = 0; i < script->count; i++) {
        struct lod_scan kept = keep_components(&script->scans[i], components);
        if (kept.count && interleaves(&kept, blocks)) {
            add(&fitted, kept);
            continue;
        }
        for (unsigned k = 0; k < kept.count; k++) {
            struct lod_scan one = kept;
            one.count = 1;
            memset(one.component, 0, sizeof(one.component));
            one.component[0] = kept.component[k];
            add(&fitted, one);
        }
    }
    *ret_fitted = fitted;
}

void lod_script_cut(struct lod_script *script, unsigned last)
{
    while (script->count && script->scans[script->count - 1].group > last) {
        script->count--;
    }
}

/*
 * A class is chosen by the sum of the table, in percent of the sum 3688 of the luminance table in
 * T.81 annex K. If that table is scaled as in libjpeg, 10 % is quality 95, 20 % is 90, 30 % is 85,
 * 40 % is 80, 50 % is 75 and 100 % is 50. The bounds are between these, at qualities that are
 * seldom used.
 */
#define ANNEX_K_SUM 3688u
static const unsigned class_percent_max[LOD_QUANT_CLASSES - 1] = {15, 26, 45, 75, 115};

unsigned lod_quant_class(const uint16_t table[64])
{
    unsigned sum = 0, found = 0;

    for (unsigned i = 0; i < BLOCK; i++) {
        sum += table[i];
    }
    while (found < LOD_QUANT_CLASSES - 1 && sum * 100 > class_percent_max[found] * ANNEX_K_SUM) {
        found++;
    }
    return found;
}

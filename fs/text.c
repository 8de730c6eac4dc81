/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See text.h. Each conversion of a format is passed to snprintf separately. Otherwise the arguments
 * after a name could not be reached. Names and strings are copied without a limit.
 */
#include "text.h"

#include <string.h>
#include <sys/types.h>

#define ESCAPE_BYTES 4   /* \xNN */
#define PIECE_BYTES  512 /* limit of one conversion */
#define SPEC_BYTES   32  /* longer than "%-+ #0*.*lld" */

void lod_out_put(struct lod_out *out, const void *bytes, size_t count)
{
    if (out->file) {
        fwrite(bytes, 1, count, out->file);
        return;
    }
    size_t left = out->room > out->used ? out->room - out->used - 1 : 0;
    out->full = out->full || count > left;
    count = count < left ? count : left;
    if (out->room) {
        memcpy(out->text + out->used, bytes, count);
        out->used += count;
        out->text[out->used] = '\0';
    }
}

void lod_out_base64(struct lod_out *out, const uint8_t *bytes, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < count; i += 3) {
        const size_t left = count - i;
        const uint32_t bits = (uint32_t)bytes[i] << 16 |
                              (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0u) |
                              (left > 2 ? bytes[i + 2] : 0u);
        const char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63],
                              left > 1 ? digits[bits >> 6 & 63] : '=',
                              left > 2 ? digits[bits & 63] : '='};
        lod_out_put(out, four, sizeof(four));
    }
}

static bool in(uint32_t value, uint32_t low, uint32_t high)
{
    return value >= low && value <= high;
}

size_t lod_utf8(const uint8_t *at, size_t bytes, uint32_t *ret_character)
{
    const uint8_t c = at[0];
    size_t wanted = c < 0x80            ? 1
                    : in(c, 0xc2, 0xdf) ? 2
                    : in(c, 0xe0, 0xef) ? 3
                    : in(c, 0xf0, 0xf4) ? 4
                                        : 0;
    uint32_t character = wanted == 1 ? c : c & (0x7fu >> wanted);

    if (wanted == 0 || wanted > bytes) {
        return 0;
    }
    for (size_t i = 1; i < wanted; i++) {
        if (!in(at[i], 0x80, 0xbf)) {
            return 0;
        }
        character = character << 6 | (at[i] & 0x3f);
    }
    if ((wanted == 3 && (character < 0x800 || in(character, 0xd800, 0xdfff))) ||
        (wanted == 4 && !in(character, 0x10000, 0x10ffff))) {
        return 0;
    }
    *ret_character = character;
    return wanted;
}

/* Returns whether a character controls the terminal, ends a line, or turns the text behind it
 * around (UAX 9). */
static bool control(uint32_t character)
{
    return character < 0x20 || in(character, 0x7f, 0x9f) || in(character, 0x2028, 0x202e) ||
           in(character, 0x2066, 0x2069);
}

/* Returns the bytes of the UTF-8 sequence at `at` if it is printable; 0 if its first byte must be
 * escaped. */
static size_t printable(const uint8_t *at, size_t bytes)
{
    uint32_t character = 0;
    size_t count = lod_utf8(at, bytes, &character);

    return control(character) ? 0 : count;
}

/* Escapes a name. Truncates neither inside an escape nor inside a UTF-8 sequence. */
static void put_escaped(struct lod_out *out, const uint8_t *name, size_t bytes, bool backslash)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < bytes && !out->full;) {
        char escaped[ESCAPE_BYTES] = {'\\', 'x', digits[name[i] >> 4], digits[name[i] & 15]};
        size_t plain = backslash && name[i] == '\\' ? 0 : printable(name + i, bytes - i);
        size_t count = plain ? plain : ESCAPE_BYTES;
        out->full = !out->file && out->used + count >= out->room;
        if (!out->full) {
            lod_out_put(out, plain ? (const void *)(name + i) : escaped, count);
        }
        i += plain ? plain : 1;
    }
}

char *lod_escape(const void *name, size_t bytes, char *text, size_t room)
{
    struct lod_out out = {.text = text, .room = room};

    lod_out_put(&out, "", 0);
    put_escaped(&out, name, bytes, true);
    return text;
}

char *lod_escape_line(const char *line, char *text, size_t room)
{
    struct lod_out out = {.text = text, .room = room};

    lod_out_put(&out, "", 0);
    put_escaped(&out, (const uint8_t *)line, strlen(line), false);
    return text;
}

/* One conversion of a format, without its argument. */
struct spec {
    char text[SPEC_BYTES]; /* with the values of '*' */
    size_t bytes;          /* in the format */
    char length, letter;   /* 'l' for l, 'L' for ll, z, j, t, h; 0: none */
};

/* Copies the flags, the width, the precision and the length of the conversion at `at`. */
static struct spec parse(const char *at, va_list *args)
{
    struct spec spec = {.bytes = 1};
    size_t used = 1;

    spec.text[0] = '%';
    for (; strchr("-+ #0123456789.*hlzjt", at[spec.bytes]) && at[spec.bytes]; spec.bytes++) {
        const char c = at[spec.bytes];
        const size_t room = SPEC_BYTES - 2 - used;
        if (c == '*') {
            int wrote = snprintf(spec.text + used, room, "%d", va_arg(*args, int));
            used += wrote > 0 && (size_t)wrote < room ? (size_t)wrote : 0;
        } else if (room > 0) {
            spec.text[used++] = c;
        }
        if (strchr("hlzjt", c)) {
            spec.length = spec.length == 'l' && c == 'l' ? 'L' : c;
        }
    }
    spec.letter = at[spec.bytes];
    spec.text[used] = spec.letter;
    spec.bytes += spec.letter != '\0';
    return spec;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the pieces of a format that was checked */

static int convert_integer(const struct spec *spec, char piece[PIECE_BYTES], va_list *args)
{
    switch (spec->length) {
    case 'l':
    case 'z':
    case 'j':
    case 't':
        return snprintf(piece, PIECE_BYTES, spec->text, va_arg(*args, long));
    case 'L':
        return snprintf(piece, PIECE_BYTES, spec->text, va_arg(*args, long long));
    default:
        return snprintf(piece, PIECE_BYTES, spec->text, va_arg(*args, int));
    }
}

_Static_assert(sizeof(long) == sizeof(size_t) && sizeof(long) == sizeof(intmax_t), "z, j, t");

static int convert(const struct spec *spec, char piece[PIECE_BYTES], va_list *args)
{
    switch (spec->letter) {
    case 's':
        return snprintf(piece, PIECE_BYTES, spec->text, va_arg(*args, const char *));
    case 'p':
        return snprintf(piece, PIECE_BYTES, spec->text, va_arg(*args, void *));
    case 'e':
    case 'f':
    case 'g':
        return snprintf(piece, PIECE_BYTES, spec->text, va_arg(*args, double));
    case '%':
        return snprintf(piece, PIECE_BYTES, "%%");
    default:
        return convert_integer(spec, piece, args);
    }
}

#pragma GCC diagnostic pop

/* Writes one conversion; returns its bytes in the format. */
static size_t put_conversion(struct lod_out *out, const char *at, va_list *args)
{
    struct spec spec = parse(at, args);
    char piece[PIECE_BYTES];

    if (spec.letter == 'p' && at[spec.bytes] == 'E') {
        const char *name = va_arg(*args, const char *);
        put_escaped(out, (const uint8_t *)(name ? name : ""), name ? strlen(name) : 0, true);
        return spec.bytes + 1;
    }
    if (strcmp(spec.text, "%s") == 0) { /* of any length */
        const char *text = va_arg(*args, const char *);
        lod_out_put(out, text, strlen(text));
        return spec.bytes;
    }
    int wrote = convert(&spec, piece, args);
    size_t count = wrote < 0 ? 0 : (size_t)wrote;
    lod_out_put(out, piece, count < PIECE_BYTES ? count : PIECE_BYTES - 1);
    return spec.bytes;
}

void lod_out_vprint(struct lod_out *out, const char *format, va_list args)
{
    va_list rest;

    va_copy(rest, args);
    while (*format) {
        size_t plain = strcspn(format, "%");
        lod_out_put(out, format, plain);
        format += plain;
        format += *format ? put_conversion(out, format, &rest) : 0;
    }
    va_end(rest);
}

void lod_out_print(struct lod_out *out, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    lod_out_vprint(out, format, args);
    va_end(args);
}

void lod_print(FILE *file, const char *format, ...)
{
    struct lod_out out = {.file = file};
    va_list args;

    va_start(args, format);
    lod_out_vprint(&out, format, args);
    va_end(args);
}

size_t lod_vformat(char *text, size_t room, const char *format, va_list args)
{
    struct lod_out out = {.text = text, .room = room};

    lod_out_put(&out, "", 0);
    lod_out_vprint(&out, format, args);
    return out.used;
}

size_t lod_format(char *text, size_t room, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    size_t used = lod_vformat(text, room, format, args);
    va_end(args);
    return used;
}

bool lod_ends_with(const char *text, const char *ending)
{
    const size_t bytes = strlen(text), length = strlen(ending);

    return bytes >= length && memcmp(text + bytes - length, ending, length) == 0;
}

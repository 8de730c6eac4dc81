/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Output of text: to files or memory, with names escaped. No locks, no levels. log.h writes log
 * lines, json.h JSON.
 */
#ifndef LOD_TEXT_H
#define LOD_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "compiler.h"

/* The destination of text: `file`, or if that is NULL, the `room` bytes of `text`. */
struct lod_out {
    FILE *file;
    char *text; /* NUL-terminated at all times if room > 0 */
    size_t used, room;
    bool full; /* something did not fit */
};

void lod_out_put(struct lod_out *out, const void *bytes, size_t count);

/* Writes bytes in base64 (RFC 4648, section 4), padded. */
void lod_out_base64(struct lod_out *out, const uint8_t *bytes, size_t count);

/*
 * Formats like printf(3), with one more conversion: %pE takes a name, a const char *, and writes it
 * like lod_escape. Conversions of other types are truncated at 512 bytes; %n is not supported.
 */
void lod_out_print(struct lod_out *out, const char *format, ...) LOD_PRINTF(2, 3);
void lod_out_vprint(struct lod_out *out, const char *format, va_list args) LOD_PRINTF(2, 0);

/* The same to a file. */
void lod_print(FILE *file, const char *format, ...) LOD_PRINTF(2, 3);

/* The same into `text`, NUL-terminated and truncated at `room`. Returns the bytes written. */
size_t lod_format(char *text, size_t room, const char *format, ...) LOD_PRINTF(3, 4);
size_t lod_vformat(char *text, size_t room, const char *format, va_list args) LOD_PRINTF(3, 0);

/*
 * Copies `bytes` bytes of a name into `text` for people: control characters, those that end a
 * line or change the direction of writing, backslash, DEL and bytes that are not UTF-8 become \xNN.
 * NUL-terminated, truncated at `room`. Returns `text`.
 */
char *lod_escape(const void *name, size_t bytes, char *text, size_t room);

/* The same for a whole line whose names may be escaped already: keeps backslashes. */
char *lod_escape_line(const char *line, char *text, size_t room);

/*
 * Returns the bytes of the UTF-8 sequence that begins at `at`, and its character. Returns 0 if none
 * begins there. Overlong forms, surrogates and numbers above U+10FFFF are not valid.
 */
size_t lod_utf8(const uint8_t *at, size_t bytes, uint32_t *ret_character);

/* Returns whether a text ends with another one, or is that. */
bool lod_ends_with(const char *text, const char *ending);

#endif

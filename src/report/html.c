/* SPDX-License-Identifier: Apache-2.0 */
/* See html.h. */
#include "report/html.h"

#include <string.h>

#define CHARACTER_BYTES 17 /* \xNN for each of the 4 bytes of a UTF-8 sequence, and a NUL */

static void put(struct lod_out *out, const char *text)
{
    lod_out_put(out, text, strlen(text));
}

static const char *reference(char character)
{
    switch (character) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void lod_html_text(struct lod_out *out, const char *text)
{
    const size_t bytes = strlen(text);
    char shown[CHARACTER_BYTES];
    uint32_t character;

    for (size_t i = 0, count; i < bytes; i += count) {
        count = lod_utf8((const uint8_t *)text + i, bytes - i, &character);
        count = count ? count : 1;
        const char *known = reference(text[i]);
        put(out, known ? known : lod_escape(text + i, count, shown, sizeof(shown)));
    }
}

void lod_html_name(struct lod_out *out, const char *name)
{
    put(out, "<bdi>");
    lod_html_text(out, name);
    put(out, "</bdi>");
}

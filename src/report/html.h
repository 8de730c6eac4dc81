/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text in HTML. Markup, numbers and words of the program are printed by lod_out_print. Every name
 * or value that comes from a store goes through these two functions.
 */
#ifndef LOD_HTML_H
#define LOD_HTML_H

#include "text.h"

/*
 * Writes a text, also inside a quoted attribute: & < > " ' become references. Control characters,
 * backslash and bytes that are not UTF-8 become \xNN.
 */
void lod_html_text(struct lod_out *out, const char *text);

/* The same as an element of its own, so that its writing direction does not change the text around
 * it. */
void lod_html_name(struct lod_out *out, const char *name);

#endif

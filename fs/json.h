/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only writer of JSON, so there is one layout: two blanks for each level, one member on a line,
 * and each element of an array on one line. Nothing is built in memory. cJSON reads JSON.
 *
 * Strings are UTF-8. In other text, each byte that belongs to no character becomes U+FFFD, and a
 * member KEY_b64 after it has the exact bytes in base64 (see lodfs(1)).
 */
#ifndef LOD_JSON_H
#define LOD_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "text.h"

#define LOD_JSON_DEPTH_MAX 32 /* for lod_json_value: deeper values become null */

struct lod_json {
    struct lod_out out;
    unsigned depth;
    uint32_t arrays;      /* one bit for each level, the lowest is the innermost: it is an array */
    unsigned inline_from; /* from this depth on everything is on one line; 0: nowhere */
    bool filled;          /* the innermost object or array has a member */
    unsigned width;       /* width of numbers, padded with blanks on the left; 0: no padding */
};

/*
 * Each writes a member `key` of the current object, or with NULL an element of the current array.
 */
void lod_json_object(struct lod_json *json, const char *key);
void lod_json_array(struct lod_json *json, const char *key);
void lod_json_end(struct lod_json *json); /* ends the innermost one; a newline after the last */

void lod_json_text(struct lod_json *json, const char *key, const char *text);
/* Writes a text cut to `bytes` bytes, or padded with blanks after it, so that all texts have one
 * width. */
void lod_json_filled(struct lod_json *json, const char *key, const char *text, size_t bytes);
void lod_json_number(struct lod_json *json, const char *key, double value);
void lod_json_bool(struct lod_json *json, const char *key, bool value);

/* Writes a value that cJSON has read, with all its members; NULL: null. */
void lod_json_value(struct lod_json *json, const char *key, const cJSON *value);

#endif

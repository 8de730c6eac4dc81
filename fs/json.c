/* SPDX-License-Identifier: Apache-2.0 */
/* See json.h. */
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INDENT 2u

static void put(struct lod_json *json, const char *text)
{
    lod_out_put(&json->out, text, strlen(text));
}

static bool on_one_line(const struct lod_json *json)
{
    return json->inline_from && json->depth >= json->inline_from;
}

static void begin_line(struct lod_json *json)
{
    lod_out_print(&json->out, "\n%*s", (int)(INDENT * json->depth), "");
}

/* Escapes every byte that JSON or a terminal would interpret. */
static void put_character(struct lod_json *json, const uint8_t *at, size_t bytes,
                          uint32_t character)
{
    static const char short_forms[] = "\bb\ff\nn\rr\tt\"\"\\\\";

    for (const char *form = short_forms; bytes == 1 && *form; form += 2) {
        if ((uint8_t)*form == character) {
            lod_out_print(&json->out, "\\%c", form[1]);
            return;
        }
    }
    if (character < 0x20 || (character >= 0x7f && character <= 0x9f)) {
        lod_out_print(&json->out, "\\u%04x", character);
    } else {
        lod_out_put(&json->out, at, bytes);
    }
}

/* Returns false if it is not all UTF-8. */
static bool put_string(struct lod_json *json, const char *text)
{
    const uint8_t *at = (const uint8_t *)text;
    size_t left = strlen(text);
    bool sound = true;

    put(json, "\"");
    while (left > 0) {
        uint32_t character = 0;
        size_t bytes = lod_utf8(at, left, &character);
        if (bytes) {
            put_character(json, at, bytes, character);
        } else {
            put(json, "\xef\xbf\xbd");
            sound = false;
            bytes = 1;
        }
        at += bytes;
        left -= bytes;
    }
    put(json, "\"");
    return sound;
}

/* Writes the text before a value: comma, line, key. */
static void begin_member(struct lod_json *json, const char *key)
{
    put(json, json->filled ? "," : "");
    if (json->depth && !on_one_line(json)) {
        begin_line(json);
    } else if (json->filled) {
        put(json, " ");
    }
    json->filled = true;
    if (key) {
        put_string(json, key);
        put(json, ": ");
    }
}

static void begin(struct lod_json *json, const char *key, bool array)
{
    begin_member(json, key);
    put(json, array ? "[" : "{");
    json->depth++;
    if ((json->arrays & 1) && !json->inline_from) {
        json->inline_from = json->depth;
    }
    json->arrays = json->arrays << 1 | array;
    json->filled = false;
}

void lod_json_object(struct lod_json *json, const char *key)
{
    begin(json, key, false);
}

void lod_json_array(struct lod_json *json, const char *key)
{
    begin(json, key, true);
}

void lod_json_end(struct lod_json *json)
{
    const bool one_line = on_one_line(json);

    json->depth--;
    if (json->filled && !one_line) {
        begin_line(json);
    }
    put(json, json->arrays & 1 ? "]" : "}");
    json->arrays >>= 1;
    json->inline_from = on_one_line(json) ? json->inline_from : 0;
    json->filled = true;
    put(json, json->depth ? "" : "\n");
}

void lod_json_text(struct lod_json *json, const char *key, const char *text)
{
    char exact[64];

    begin_member(json, key);
    if (!put_string(json, text) && key) {
        lod_format(exact, sizeof(exact), "%s_b64", key);
        begin_member(json, exact);
        put(json, "\"");
        lod_out_base64(&json->out, (const uint8_t *)text, strlen(text));
        put(json, "\"");
    }
}

void lod_json_filled(struct lod_json *json, const char *key, const char *text, size_t bytes)
{
    size_t used = strnlen(text, bytes);

    begin_member(json, key);
    put(json, "\"");
    for (size_t i = 0; i < used; i++) { /* characters of several bytes could exceed the width */
        const bool plain = text[i] >= 0x20 && text[i] < 0x7f && !strchr("\"\\", text[i]);
        lod_out_put(&json->out, plain ? text + i : "?", 1);
    }
    lod_out_print(&json->out, "\"%*s", (int)(bytes - used), "");
}

void lod_json_number(struct lod_json *json, const char *key, double value)
{
    char text[64];

    begin_member(json, key);
    if (!isfinite(value)) {
        put(json, "null");
    } else if (json->width) {
        lod_out_print(&json->out, "%*.*f", (int)json->width, value == floor(value) ? 0 : 9, value);
    } else if (value == floor(value) && fabs(value) < 1e20) {
        lod_out_print(&json->out, "%.0f", value);
    } else {
        snprintf(text, sizeof(text), "%.15g", value);
        lod_out_print(&json->out, "%.*g", strtod(text, NULL) == value ? 15 : 17, value);
    }
}

void lod_json_bool(struct lod_json *json, const char *key, bool value)
{
    begin_member(json, key);
    put(json, value ? "true" : "false");
}

void lod_json_value(struct lod_json *json, const char *key, const cJSON *value)
{
    const cJSON *child;

    if (cJSON_IsString(value)) {
        lod_json_text(json, key, value->valuestring);
    } else if (cJSON_IsNumber(value)) {
        lod_json_number(json, key, value->valuedouble);
    } else if (cJSON_IsBool(value)) {
        lod_json_bool(json, key, cJSON_IsTrue(value));
    } else if ((cJSON_IsArray(value) || cJSON_IsObject(value)) &&
               json->depth < LOD_JSON_DEPTH_MAX) {
        begin(json, key, cJSON_IsArray(value));
        cJSON_ArrayForEach(child, value)
        {
            lod_json_value(json, child->string, child);
        }
        lod_json_end(json);
    } else {
        begin_member(json, key);
        put(json, "null");
    }
}

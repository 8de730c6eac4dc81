/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of JSON, and names that JSON cannot represent. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "json.h"

static char text[4096];
static struct lod_json json;

static void begin(void)
{
    json = (struct lod_json){.out = {.text = text, .room = sizeof(text)}};
}

TestSuite(json, .init = begin);

Test(json, each_member_and_array_element_has_a_line)
{
    lod_json_object(&json, NULL);
    lod_json_text(&json, "name", "a");
    lod_json_object(&json, "part");
    lod_json_number(&json, "n", 1);
    lod_json_bool(&json, "yes", true);
    lod_json_end(&json);
    lod_json_array(&json, "list");
    for (unsigned i = 0; i < 2; i++) {
        lod_json_object(&json, NULL);
        lod_json_number(&json, "i", i);
        lod_json_array(&json, "inner");
        lod_json_number(&json, NULL, 1);
        lod_json_number(&json, NULL, 2.5);
        lod_json_end(&json);
        lod_json_object(&json, "none");
        lod_json_end(&json);
        lod_json_end(&json);
    }
    lod_json_end(&json);
    lod_json_array(&json, "empty");
    lod_json_end(&json);
    lod_json_value(&json, "nothing", NULL);
    lod_json_end(&json);
    cr_assert_str_eq(text, "{\n"
                           "  \"name\": \"a\",\n"
                           "  \"part\": {\n"
                           "    \"n\": 1,\n"
                           "    \"yes\": true\n"
                           "  },\n"
                           "  \"list\": [\n"
                           "    {\"i\": 0, \"inner\": [1, 2.5], \"none\": {}},\n"
                           "    {\"i\": 1, \"inner\": [1, 2.5], \"none\": {}}\n"
                           "  ],\n"
                           "  \"empty\": [],\n"
                           "  \"nothing\": null\n"
                           "}\n");
}

static const char *written(const char *name)
{
    begin();
    lod_json_object(&json, NULL);
    lod_json_text(&json, "k", name);
    lod_json_end(&json);
    return text;
}

Test(json, special_characters_have_json_escapes)
{
    cr_assert_str_eq(written("new\nline"), "{\n  \"k\": \"new\\nline\"\n}\n");
    cr_assert_str_eq(written("\"\\/\t\r\b\f"), "{\n  \"k\": \"\\\"\\\\/\\t\\r\\b\\f\"\n}\n");
    cr_assert_str_eq(written("\x1b[31m\x7f\xc2\x9b"),
                     "{\n  \"k\": \"\\u001b[31m\\u007f\\u009b\"\n}\n");
    cr_assert_str_eq(written("caf\xc3\xa9 \xf0\x9f\x98\x80"),
                     "{\n  \"k\": \"caf\xc3\xa9 \xf0\x9f\x98\x80\"\n}\n");
}

Test(json, text_that_is_not_utf8_is_written_twice)
{
    cr_assert_str_eq(written("caf\xe9.txt"), "{\n  \"k\": \"caf\xef\xbf\xbd.txt\",\n"
                                             "  \"k_b64\": \"Y2Fm6S50eHQ=\"\n}\n");
    cr_assert_str_eq(written("\xff"), "{\n  \"k\": \"\xef\xbf\xbd\",\n  \"k_b64\": \"/w==\"\n}\n");
    cr_assert_str_eq(written("\xed\xa0\x80"),
                     "{\n  \"k\": \"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\","
                     "\n  \"k_b64\": \"7aCA\"\n}\n");
}

Test(json, numbers_parse_to_the_same_value)
{
    static const double numbers[] = {0,
                                     -1,
                                     .1,
                                     1 / 3.,
                                     1e-300,
                                     1e300,
                                     9007199254740991,
                                     1 << 30,
                                     1e19,
                                     -2.5e-7,
                                     18446744073709551615.0,
                                     123456789.123};

    for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        begin();
        lod_json_number(&json, NULL, numbers[i]);
        cr_assert_eq(strtod(text, NULL), numbers[i], "%s", text);
    }
    begin();
    lod_json_number(&json, NULL, NAN);
    cr_assert_str_eq(text, "null");
    begin();
    json.width = 20;
    lod_json_number(&json, NULL, 5);
    cr_assert_str_eq(text, "                   5");
    begin();
    json.width = 20;
    lod_json_number(&json, NULL, .25);
    cr_assert_str_eq(text, "         0.250000000");
}

Test(json, padded_text_has_a_fixed_width)
{
    static const char *const texts[] = {"", "ab", "abcdefghijkl", "\"\\\n\xff\xc3\xa9"};

    for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        begin();
        lod_json_filled(&json, NULL, texts[i], 10);
        cr_assert_eq(strlen(text), 12, "%s", text);
        cJSON *back = cJSON_Parse(text);
        cr_assert(cJSON_IsString(back), "%s", text);
        cJSON_Delete(back);
    }
}

Test(json, a_parsed_value_is_written_unchanged)
{
    static const char source[] =
        "{\"a\": [1, {\"b\": null}, [true, \"x\"]], \"c\": {}, \"d\": -0.5}";
    cJSON *value = cJSON_Parse(source), *back;

    lod_json_value(&json, NULL, value);
    back = cJSON_Parse(text);
    cr_assert(cJSON_Compare(value, back, true), "%s", text);
    cJSON_Delete(back);
    cJSON_Delete(value);
}

Test(json, values_nested_too_deep_become_null)
{
    char deep[401] = "";
    memset(deep, '[', 200);
    memset(deep + 200, ']', 200);
    cJSON *value = cJSON_Parse(deep), *back;

    cr_assert_not_null(value);
    lod_json_value(&json, NULL, value);
    back = cJSON_Parse(text);
    cr_assert_not_null(back, "%s", text);
    cJSON_Delete(back);
    cJSON_Delete(value);
}

Test(json, a_full_buffer_is_reported)
{
    json.out.room = 10;
    written("");
    begin();
    json.out.room = 10;
    lod_json_object(&json, NULL);
    lod_json_text(&json, "key", "value");
    lod_json_end(&json);
    cr_assert(json.out.full);
    cr_assert_lt(strlen(text), 10);
}

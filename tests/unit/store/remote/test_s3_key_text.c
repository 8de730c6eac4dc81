/* SPDX-License-Identifier: Apache-2.0 */
#include "keys/s3_key_text.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct lod_s3_keys keys;
static struct lod_why why = {.text = ""};

static int take(const char *text, bool versioned)
{
    why.text[0] = '\0';
    int error = lod_s3_key_text_take(text, strlen(text), versioned, &keys, &why);
    cr_assert_eq(error != 0, why.text[0] != 0, "%s", why.text);
    cr_assert_null(strstr(why.text, "SECRET"), "%s", why.text);
    return error;
}

Test(s3_key_text, of_a_process)
{
    snprintf(keys.region, sizeof(keys.region), "eu-west-3");
    cr_assert_eq(take("{\"Version\": 1, \"AccessKeyId\": \"id\", \"SecretAccessKey\": \"SECRET\","
                      "\"SessionToken\": \"token\", \"Expiration\": \"2026-11-22T20:00:00Z\"}",
                      true),
                 0);
    cr_assert_str_eq(keys.id, "id");
    cr_assert_str_eq(keys.secret, "SECRET");
    cr_assert_str_eq(keys.token, "token");
    cr_assert_eq(keys.expires_s, 1795377600);
    cr_assert_str_eq(keys.region, "eu-west-3", "other settings stay");
}

Test(s3_key_text, of_a_role)
{
    cr_assert_eq(take("{\"Code\": \"Success\", \"AccessKeyId\": \"id\", \"Token\": \"token\","
                      "\"SecretAccessKey\": \"SECRET\", \"Expiration\": null}",
                      false),
                 0);
    cr_assert_str_eq(keys.token, "token");
    cr_assert_eq(keys.expires_s, 0);
}

Test(s3_key_text, times_have_fractions_and_offsets)
{
    static const char *const times[] = {"2026-11-22T20:00:00.123456Z", "2026-11-22T21:30:00+01:30",
                                        "2026-11-22T18:00:00-02:00"};
    char text[300];

    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        snprintf(text, sizeof(text),
                 "{\"AccessKeyId\": \"i\", \"SecretAccessKey\": \"s\", \"Expiration\": \"%s\"}",
                 times[i]);
        cr_assert_eq(take(text, false), 0);
        cr_assert_eq(keys.expires_s, 1795377600, "%s", times[i]);
    }
}

Test(s3_key_text, anything_else_is_refused_and_changes_nothing)
{
    static const struct {
        const char *text, *says;
        bool versioned;
    } rows[] = {
        {"", "JSON", true},
        {"<html>SECRET</html>", "JSON", false},
        {"[\"SECRET\"]", "JSON", false},
        {"{\"AccessKeyId\": \"id\", \"SecretAccessKey\": \"SECRET\"}", "Version", true},
        {"{\"Version\": 2, \"AccessKeyId\": \"id\", \"SecretAccessKey\": \"SECRET\"}", "Version",
         true},
        {"{\"Code\": \"Failed\", \"AccessKeyId\": \"id\", \"SecretAccessKey\": \"SECRET\"}",
         "no keys now", false},
        {"{\"AccessKeyId\": \"id\"}", "SecretAccessKey", false},
        {"{\"AccessKeyId\": 1, \"SecretAccessKey\": \"SECRET\"}", "AccessKeyId", false},
        {"{\"AccessKeyId\": \"id\\r\\nX: y\", \"SecretAccessKey\": \"SECRET\"}", "AccessKeyId",
         false},
        {"{\"AccessKeyId\": \"i\", \"SecretAccessKey\": \"SECRET\", \"Expiration\": \"soon\"}",
         "no time", false},
        {"{\"AccessKeyId\": \"i\", \"SecretAccessKey\": \"SECRET\","
         "\"Expiration\": \"2026-11-22T20:00:00SECRET\"}",
         "no time", false},
        {"{\"AccessKeyId\": \"i\", \"SecretAccessKey\": \"SECRET\","
         "\"x\": [[[[[[[[[[\"SECRET\"]]]]]]]]]]}",
         "too deep", false},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        snprintf(keys.id, sizeof(keys.id), "before");
        cr_assert_eq(take(rows[i].text, rows[i].versioned), -EINVAL, "%s", rows[i].text);
        cr_assert_not_null(strstr(why.text, rows[i].says), "%s: %s", rows[i].text, why.text);
        cr_assert_str_eq(keys.id, "before");
    }
}

Test(s3_key_text, too_long_a_text_is_refused)
{
    char *text = calloc(1, LOD_S3_KEY_TEXT_MAX + 100);

    memset(text, ' ', LOD_S3_KEY_TEXT_MAX + 10);
    memcpy(text, "{\"AccessKeyId\": \"i\", \"SecretAccessKey\": \"s\"}", 44);
    cr_assert_eq(take(text, false), -EINVAL);
    text[LOD_S3_KEY_TEXT_MAX] = '\0';
    cr_assert_eq(take(text, false), 0);
    free(text);
}

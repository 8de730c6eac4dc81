/* SPDX-License-Identifier: Apache-2.0 */
#include "http/url.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "backend/location.h"

static int take(const char *text, struct lod_url *url)
{
    struct lod_why why = {.text = ""};
    int error = lod_url_take(text, url, &why);

    cr_assert_eq(error != 0, why.text[0] != 0, "%s: %s", text, why.text);
    cr_assert_null(strstr(why.text, "secret"));
    return error;
}

Test(url, is_taken_apart)
{
    struct lod_url url;

    cr_assert_eq(take("s3://bucket//a/b c//", &url), 0);
    cr_assert_eq(url.host_bytes, 6);
    cr_assert_eq(url.path_bytes, 5);
    cr_assert_eq(memcmp(url.path, "a/b c", 5), 0);
    cr_assert_eq(take("https://h:65535/x", &url), 0);
    cr_assert_eq(take("https://[::1]:81", &url), 0);
    cr_assert_eq(url.host_bytes, 8);
    cr_assert_eq(url.path_bytes, 0);
    cr_assert_eq(take("s3://bucket/what?#@:%2F..a", &url), 0);
}

Test(url, that_cannot_name_a_store_is_refused_with_a_reason)
{
    static const char *const bad[] = {
        "s3://",           "http:///x",       "http://u:secret@h/x", "s3://ID:secret@bucket/x",
        "http://h/x?y=1",  "http://h/x#y",    "http://h?x",          "s3://bucket?x",
        "http://h/a b",    "http://h/a\nb",   "s3://b/a\x7f",        "http://h/\xc3\xa4",
        "http://h:99999/", "http://h:0",      "https://h:8x/a",      "http://[::1]:65536",
        "http://::1/x",    "http://h/a/../b", "http://h/./b",        "s3://b/..",
        "s3://b/x/.",
    };
    char large[LOD_URL_GIVEN_MAX + 20] = "http://host/";
    struct lod_url url;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        cr_assert_eq(take(bad[i], &url), -EINVAL, "%s", bad[i]);
    }
    memset(large + strlen(large), 'a', LOD_URL_GIVEN_MAX);
    cr_assert_eq(take(large, &url), -EINVAL);
}

Test(url, bucket_has_the_alphabet_of_host_names)
{
    static const char *const bad[] = {"s3://a%b/x", "s3://a b/x", "s3://.a/x", "s3://a:b/x"};
    struct lod_url url;
    struct lod_why why = {.text = ""};

    cr_assert_eq(take("s3://my-data.sets_1/x", &url), 0);
    cr_assert_eq(lod_url_check_bucket(&url, &why), 0);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        cr_assert_eq(take(bad[i], &url), 0, "%s", bad[i]);
        cr_assert_eq(lod_url_check_bucket(&url, &why), -EINVAL, "%s", bad[i]);
    }
}

Test(url, key_is_encoded_but_for_unreserved_characters)
{
    char text[64] = "/", small[9] = "";

    cr_assert_eq(lod_url_encode("a/B-._~ +%\xff", 11, "/", text, sizeof(text)), 0);
    cr_assert_str_eq(text, "/a/B-._~%20%2B%25%FF");
    cr_assert_eq(lod_url_encode("ab ", 3, "/", small, 6), 0);
    cr_assert_str_eq(small, "ab%20");
    small[0] = '\0';
    cr_assert_eq(lod_url_encode("ab ", 3, "/", small, 5), -ENAMETOOLONG);
    cr_assert_str_eq(small, "");
    cr_assert_eq(lod_url_encode("a/%2", 4, "%", small, sizeof(small)), 0);
    cr_assert_str_eq(small, "a%2F%2");
}

static void shows(const char *location, const char *expected)
{
    char text[100];

    cr_assert_str_eq(lod_location_show(location, text, sizeof(text)), expected);
}

Test(location, is_shown_without_what_may_be_a_secret)
{
    shows("/a/folder?x", "/a/folder?x");
    shows("http://h/x", "http://h/x");
    shows("http://u:secret@h:81/x?sig=secret#secret", "http://h:81/x");
    shows("http://u:sec@ret@h/x", "http://h/x");
    shows("s3://ID:secret@bucket/a@b?c", "s3://bucket/a@b?c");
    shows("./x://u@v", "./x://u@v");
}

Test(location, scheme_is_compared_without_case)
{
    cr_assert(lod_location_has_scheme("S3://b", "s3"));
    cr_assert(!lod_location_has_scheme("s3x://b", "s3"));
    cr_assert(!lod_location_is_url("/s3://b"));
    cr_assert(!lod_location_is_url("3s://b"));
    cr_assert(!lod_location_is_url("://b"));
}

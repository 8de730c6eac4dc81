/* SPDX-License-Identifier: Apache-2.0 */
#include "keys/s3_keys.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], credentials[80], config[80];
static struct lod_s3_keys keys;
static struct lod_why why = {.text = ""};

static void clear(void)
{
    static const char *const names[] = {
        "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",   "AWS_PROFILE",
        "AWS_REGION",        "AWS_DEFAULT_REGION",    "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL",
        "AWS_CA_BUNDLE",     "SSL_CERT_FILE"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        unsetenv(names[i]);
    }
}

static void begin(void)
{
    clear();
    snprintf(folder, sizeof(folder), P_tmpdir "/lodfs-test-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    snprintf(credentials, sizeof(credentials), "%s/credentials", folder);
    snprintf(config, sizeof(config), "%s/config", folder);
    setenv("AWS_SHARED_CREDENTIALS_FILE", credentials, 1);
    setenv("AWS_CONFIG_FILE", config, 1);
}

static void end(void)
{
    unlink(credentials);
    unlink(config);
    rmdir(folder);
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

static int get(const char *profile)
{
    why.text[0] = '\0';
    int error = lod_s3_keys_read(profile, &keys, &why);
    cr_assert_eq(error != 0, why.text[0] != 0, "%s", why.text);
    cr_assert_null(strstr(why.text, "SECRET"));
    return error;
}

TestSuite(s3_keys, .init = begin, .fini = end);

Test(s3_keys, come_from_the_environment_first)
{
    setenv("AWS_ACCESS_KEY_ID", "id", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "SECRET", 1);
    setenv("AWS_REGION", "eu-west-3", 1);
    put(credentials, "[default]\naws_access_key_id=other\naws_session_token=other\n");
    cr_assert_eq(get(NULL), 0);
    cr_assert_str_eq(keys.id, "id");
    cr_assert_str_eq(keys.secret, "SECRET");
    cr_assert_str_eq(keys.token, "", "keys of two sources are not mixed");
    cr_assert_str_eq(keys.region, "eu-west-3");
}

Test(s3_keys, of_a_named_profile_win_over_the_environment)
{
    setenv("AWS_ACCESS_KEY_ID", "id", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "SECRET", 1);
    put(credentials, "[other]\naws_access_key_id=x\n[train] \naws_access_key_id = mine\r\n"
                     "aws_secret_access_key=a=b \n# comment\n[last]\n");
    put(config, "[profile train]\nregion=r1\n nested = x\nendpoint_url = https://h\n[train]\n"
                "region=wrong\n");
    cr_assert_eq(get("train"), 0);
    cr_assert_str_eq(keys.id, "mine");
    cr_assert_str_eq(keys.secret, "a=b");
    cr_assert_str_eq(keys.region, "r1");
    cr_assert_str_eq(keys.endpoint, "https://h");
}

Test(s3_keys, of_the_default_profile_are_used_without_a_name)
{
    put(config, "[default]\naws_access_key_id=a\naws_secret_access_key=SECRET\n");
    cr_assert_eq(get(NULL), 0);
    cr_assert_str_eq(keys.id, "a");
}

Test(s3_keys, need_no_file)
{
    cr_assert_eq(get(NULL), 0);
    cr_assert_str_eq(keys.id, "");
}

Test(s3_keys, that_are_bad_are_refused_with_a_reason)
{
    char large[LOD_S3_VALUE_MAX + 100];

    cr_assert_eq(get("none"), -ENOENT);
    put(credentials, "[a]\naws_access_key_id=x\n");
    cr_assert_eq(get("a"), -EINVAL);
    put(credentials, "[a]\nSECRET\n");
    cr_assert_eq(get("a"), -EINVAL);
    memset(large, 'x', sizeof(large) - 1);
    large[sizeof(large) - 1] = '\0';
    memcpy(large, "[a]\naws_access_key_id=", 22);
    put(credentials, large);
    cr_assert_eq(get("a"), -EINVAL);
    unlink(credentials);
    cr_assert_eq(mkdir(credentials, 0700), 0);
    cr_assert_lt(get("a"), 0);
    rmdir(credentials);
    setenv("AWS_ACCESS_KEY_ID", "id", 1);
    cr_assert_eq(get(NULL), -EINVAL);
}

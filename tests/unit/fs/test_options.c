/* SPDX-License-Identifier: Apache-2.0 */
/* The words of -o: splitting, values, refusals, output. */
#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "log.h"
#include "mount/options.h"
#include "read/devices.h"

static struct lod_fuse_options o;

static int parse_for(const char *text, bool mount8, bool sloppy)
{
    const struct lod_option_list list = {.at = {text}, .count = 1};

    lod_log_setup(LOD_LOG_NONE);
    lod_fuse_options_finish(&o);
    return lod_fuse_options_parse(&list, mount8, sloppy, &o);
}

static int parse(const char *text)
{
    return parse_for(text, false, false);
}

Test(options, each_word_sets_its_field)
{
    cr_assert_eq(parse("cache-size=2GiB,noexec,fidelity=q5,store_cache=private,gpu=opencl"), 0);
    cr_assert_eq(o.cache_bytes, 2ull << 30);
    cr_assert(o.noexec && !o.allow_other);
    cr_assert_eq(o.fidelity, LOD_Q1 + 4);
    cr_assert_eq(o.store_cache, LOD_STORE_CACHE_PRIVATE);
    cr_assert_str_eq(lod_devices_choices[o.gpu], "opencl");
    cr_assert_eq(parse("fsname=one,threads=7,fsname=two"), 0);
    cr_assert_str_eq(o.fsname, "two");
    cr_assert_eq(o.threads, 7);
}

Test(options, fmask_and_dmask_override_umask)
{
    cr_assert_eq(parse("umask=027"), 0);
    cr_assert(o.file_mask == 027 && o.folder_mask == 027);
    cr_assert_eq(parse("fmask=0,umask=027"), 0);
    cr_assert(o.file_mask == 0 && o.folder_mask == 027);
    cr_assert_eq(parse(""), 0);
    cr_assert(o.file_mask == 0 && o.folder_mask == 0);
}

Test(options, several_texts_are_joined)
{
    const struct lod_option_list list = {.at = {"threads=2", "noexec", "threads=3"}, .count = 3};

    cr_assert_eq(lod_fuse_options_parse(&list, false, false, &o), 0);
    cr_assert(o.threads == 3 && o.noexec);
}

Test(options, a_backslash_makes_any_byte_part_of_a_word)
{
    cr_assert_eq(parse("fsname=a\\,b\\\\c\\054d\\x,threads=2"), 0);
    cr_assert_str_eq(o.fsname, "a,b\\c,dx");
    cr_assert_eq(o.threads, 2);
}

Test(options, invalid_words_are_refused)
{
    static const char *const texts[] = {
        "threads=0",
        "threads=65",
        "threads",
        "threads=4M4",
        "threads=1K",
        "uid=-1",
        "fmask=8",
        "uid=4294967295",
        "gpu=fast",
        "fidelity=q11",
        "cache=some",
        "noexec=1",
        "cache_size=1T1",
        "unknown",
        "max_read=4095",
        "cache_size=",
        "fmask=01000",
        "fidelity=original",
        "download_latency=10001",
        "cache_size=65T",
        "=1",
        "ro=1",
        "rw",
        "remount",
        "noauto",
        "x-systemd.automount",
        "tier_dir=/tier",
        "tier_size=1G",
        "tier_free=20",
    };

    for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        cr_assert_eq(parse(texts[i]), -EINVAL, "%s", texts[i]);
    }
}

Test(options, words_of_mount8_are_ignored_if_it_calls)
{
    cr_assert_eq(
        parse_for("rw,noauto,x-systemd.automount,comment=a,user,_netdev,suid", true, false), 0);
    cr_assert_eq(parse_for("remount", true, false), -EINVAL);
    cr_assert_eq(parse_for("unknown", true, false), -EINVAL);
    cr_assert_eq(parse_for("unknown,threads=5", true, true), 0);
    cr_assert_eq(o.threads, 5);
    cr_assert_eq(parse("lazytime,atime,ro,default-permissions"), 0, "always so");
}

Test(options, each_word_is_shown_once)
{
    static char text[8192];
    struct lod_json json = {.out = {.text = text, .room = sizeof(text)}};

    cr_assert_eq(parse("threads=7,fmask=022,fsname=a\nb,allow_root,uid=5"), 0);
    lod_json_object(&json, NULL);
    lod_fuse_options_json(&o, "/a/store", &json);
    lod_json_end(&json);
    cJSON *object = cJSON_Parse(text);
    cr_assert_not_null(object, "%s", text);
    cr_assert_eq(cJSON_GetNumberValue(cJSON_GetObjectItem(object, "threads")), 7);
    cr_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(object, "fmask")), "0022");
    cr_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(object, "dmask")), "0000");
    cr_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(object, "fsname")), "a\nb");
    cr_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(object, "subtype")), "lodfs");
    cr_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(object, "fidelity")), "full");
    cr_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(object, "cache")), "kernel");
    cr_assert(cJSON_IsTrue(cJSON_GetObjectItem(object, "allow_root")));
    cr_assert(cJSON_IsFalse(cJSON_GetObjectItem(object, "allow_other")));
    cr_assert_null(cJSON_GetObjectItem(object, "umask"));
    cr_assert_null(cJSON_GetObjectItem(object, "ro"));
    cJSON_Delete(object);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fuse/option_words.h"

Test(option_words, say_what_they_are_for)
{
    static const struct {
        const char *arg;
        enum lod_word_use use;
    } args[] = {
        {"allow_other", LOD_WORD_ALONE},
        {"allow-other", LOD_WORD_ALONE},
        {"ro", LOD_WORD_ALONE},
        {"cache_size=1G", LOD_WORD_VALUED},
        {"umask", LOD_WORD_VALUED},
        {"noauto", LOD_WORD_MOUNT8},
        {"x-systemd.automount", LOD_WORD_MOUNT8},
        {"rw", LOD_WORD_WRITES},
        {"lazytime", LOD_WORD_ALONE},
        {"remount", LOD_WORD_CHANGES},
        {"allow", LOD_WORD_UNKNOWN},
        {"=1", LOD_WORD_UNKNOWN},
        {"", LOD_WORD_UNKNOWN},
    };

    for (unsigned i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
        cr_assert_eq(lod_option_use(args[i].arg), args[i].use, "%s", args[i].arg);
    }
}

Test(option_words, set_their_own_field)
{
    struct lod_fuse_options o = {0};

    cr_assert_eq(lod_option_set("cache-size=2G", &o), 0);
    cr_assert_eq(o.cache_bytes, 2ull << 30);
    cr_assert_eq(lod_option_set("noexec", &o), 0);
    cr_assert(o.noexec && !o.allow_other);
    cr_assert_eq(lod_option_set("umask=027", &o), 0);
    cr_assert(o.file_mask == 027 && o.folder_mask == 027);
    cr_assert_eq(lod_option_set("fidelity=q5", &o), 0);
    cr_assert_eq(o.fidelity, 5);
    cr_assert_eq(lod_option_set("fsname=one", &o), 0);
    cr_assert_eq(lod_option_set("fsname=two", &o), 0);
    cr_assert_str_eq(o.fsname, "two");
    cr_assert_eq(lod_option_set("store_cache=none", &o), 0);
    cr_assert_eq(o.store_cache, LOD_CACHE_NONE);
    free(o.fsname);
}

Test(option_words, refuse_what_they_cannot_be)
{
    static const char *const args[] = {
        "threads=0",   "threads=65",     "threads",        "threads=4M4",
        "uid=-1",      "uid=4294967295", "fmask=8",        "fidelity=q11",
        "gpu=fast",    "cache=some",     "cache_size=1T1", "max_read=4095",
        "noexec=1",    "unknown",        "cache_size=",    "download_latency=10001",
        "fmask=01000",
    };
    struct lod_fuse_options o = {0}, before = {0};

    for (unsigned i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
        cr_assert_eq(lod_option_set(args[i], &o), -EINVAL, "%s", args[i]);
        cr_assert_eq(memcmp(&o, &before, sizeof(o)), 0, "%s", args[i]);
    }
}

Test(option_words, say_what_they_take)
{
    cr_assert_str_eq(lod_option_takes("fidelity=q11"), "takes q1 .. q10 or full");
    cr_assert(strstr(lod_option_takes("cache-size=x"), "K, M or G"));
    cr_assert_str_eq(lod_option_takes("ro=1"), "takes no value");
    for (const char *const *word =
             (const char *const[]){"fsname", "gpu", "cache", "uid", "fmask", "umask", NULL};
         *word; word++) {
        cr_assert(strstr(lod_option_takes(*word), "takes "), "%s", *word);
    }
}

Test(option_words, show_each_word_with_a_value_once)
{
    struct lod_fuse_options o = {.threads = 7,
                                 .file_mask = 0022,
                                 .gpu = "auto",
                                 .fidelity = LOD_FULL,
                                 .fsname = (char *)(uintptr_t) "a\nb",
                                 .subtype = (char *)(uintptr_t) "lodfs"};
    cJSON *object = cJSON_CreateObject();

    cr_assert_eq(lod_option_show(&o, object), 0);
    cr_assert_eq(cJSON_GetNumberValue(cJSON_GetObjectItem(object, "threads")), 7);
    cr_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(object, "fmask")), "0022");
    cr_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(object, "fsname")), "a\\x0ab");
    cr_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(object, "fidelity")), "full");
    cr_assert_null(cJSON_GetObjectItem(object, "umask"));
    cr_assert_null(cJSON_GetObjectItem(object, "ro"));
    cJSON_Delete(object);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* fuse_opt splits the text (commas, backslashes); option_words.c knows the words. */
#define FUSE_USE_VERSION 314
#include "fuse/options.h"

#include <errno.h>
#include <fuse_opt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "devices.h"
#include "fuse/option_words.h"
#include "log.h"
#include "reader.h"

struct parse {
    struct lod_fuse_options options;
    bool mount8, sloppy;
    int error;
};

static int refuse(struct parse *parse, const char *arg, const char *why)
{
    char shown[256];

    lod_escape(arg, strlen(arg), shown, sizeof(shown));
    lod_log(LOD_LOG_ERROR, "-o %s: %s", shown, why);
    parse->error = -EINVAL;
    return -1;
}

static int refuse_unknown(struct parse *parse, const char *arg)
{
    char shown[256];

    if (!parse->sloppy) {
        return refuse(parse, arg, "unknown option; mount.lodfs(8) lists them");
    }
    lod_escape(arg, strlen(arg), shown, sizeof(shown));
    lod_log(LOD_LOG_WARNING, "-o %s: unknown option, left out", shown);
    return 0;
}

/* fuse_opt's callback: 0 takes the word, -1 stops. */
static int take(void *data, const char *arg, int key, struct fuse_args *out)
{
    struct parse *parse = data;
    const enum lod_word_use use = key == FUSE_OPT_KEY_OPT ? lod_option_use(arg) : LOD_WORD_UNKNOWN;

    (void)out;
    if (parse->mount8 && (use == LOD_WORD_MOUNT8 || use == LOD_WORD_WRITES)) {
        return 0; /* among them rw, which mount(8) adds to whatever does not say ro */
    }
    if (use == LOD_WORD_WRITES) {
        return refuse(parse, arg, "a store is never written to; mount it without rw");
    }
    if (use == LOD_WORD_CHANGES) {
        return refuse(parse, arg, "a mount keeps its options; unmount it and mount it again");
    }
    if (use == LOD_WORD_UNKNOWN || use == LOD_WORD_MOUNT8 ||
        (use == LOD_WORD_ALONE && strchr(arg, '='))) {
        return refuse_unknown(parse, arg);
    }
    parse->error = lod_option_set(arg, &parse->options);
    if (parse->error == -EINVAL) {
        return refuse(parse, arg, lod_option_takes(arg));
    }
    return parse->error ? -1 : 0;
}

int lod_fuse_options_parse(const char *o, bool mount8, bool sloppy,
                           struct lod_fuse_options *ret_options)
{
    struct parse parse = {
        .options = {.fidelity = LOD_FULL,
                    .gpu = lod_devices_choice(0),
                    .cache_bytes = LOD_CACHE_SIZE_DEFAULT,
                    .store_cache = LOD_CACHE_NONE,
                    .threads = 4,
                    .read_bytes_max = LOD_READ_BYTES_MAX,
                    .uid = getuid(),
                    .gid = getgid()},
        .mount8 = mount8,
        .sloppy = sloppy,
    };
    struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
    int failed = fuse_opt_add_arg(&args, "lodfs");

    if (!failed && o && *o) {
        failed = fuse_opt_add_arg(&args, "-o") || fuse_opt_add_arg(&args, o);
    }
    if (!failed) {
        failed = fuse_opt_parse(&args, &parse, NULL, take);
    }
    fuse_opt_free_args(&args);
    if (failed) {
        lod_fuse_options_finish(&parse.options);
        return parse.error ? parse.error : -ENOMEM;
    }
    *ret_options = parse.options;
    return 0;
}

void lod_fuse_options_finish(struct lod_fuse_options *options)
{
    free(options->fsname);
    free(options->subtype);
    options->fsname = options->subtype = NULL;
}

int lod_fuse_options_show(const struct lod_fuse_options *options, const char *store, cJSON *object)
{
    struct lod_fuse_options all = *options;

    all.fsname = all.fsname ? all.fsname : (char *)(uintptr_t)store; /* it is only shown */
    all.subtype = all.subtype ? all.subtype : (char *)(uintptr_t) "lodfs";
    return lod_option_show(&all, object);
}

int lod_fuse_options_text(const struct lod_fuse_options *options, const char *store,
                          char **ret_text)
{
    char *text = NULL, word[PATH_MAX + 16];
    int failed = fuse_opt_add_opt(&text, "ro,nosuid,nodev,default_permissions");

    snprintf(word, sizeof(word), "max_read=%llu", (unsigned long long)options->read_bytes_max);
    failed = failed || fuse_opt_add_opt(&text, word);
    snprintf(word, sizeof(word), "fsname=%s", options->fsname ? options->fsname : store);
    failed = failed || fuse_opt_add_opt_escaped(&text, word);
    snprintf(word, sizeof(word), "subtype=%s", options->subtype ? options->subtype : "lodfs");
    failed = failed || fuse_opt_add_opt_escaped(&text, word) ||
             (options->allow_other && fuse_opt_add_opt(&text, "allow_other")) ||
             (options->allow_root && fuse_opt_add_opt(&text, "allow_root")) ||
             (options->noexec && fuse_opt_add_opt(&text, "noexec"));
    if (failed) {
        free(text);
        return -ENOMEM;
    }
    *ret_text = text;
    return 0;
}

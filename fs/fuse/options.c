/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuse_opt splits the text (commas, backslashes); the words are looked up in the table below, with
 * '-' and '_' the same. What is always so (ro, nosuid, nodev, default_permissions) is accepted and
 * changes nothing.
 */
#define FUSE_USE_VERSION 314
#include "fuse/options.h"

#include <errno.h>
#include <fuse_opt.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control.h"
#include "devices.h"
#include "log.h"
#include "reader.h"

#define WORD_BYTES_MAX 64
#define READ_BYTES_MIN 4096u
#define LATENCY_MAX_MS 10000u
#define CACHE_MAX      (1ull << 46) /* far above any memory, far below an overflow */

struct parse {
    struct lod_fuse_options options;
    bool mount8, sloppy;
    int error;
};

enum kind { FLAG, TEXT, FIDELITY, GPU, CACHE, BYTES, NUMBER, OCTAL, MASKS, ALWAYS, MOUNT8, NOT_RO };

struct word {
    const char *name; /* with '_'; a value follows '=' for TEXT .. MASKS; "x_*": a prefix */
    enum kind kind;
    size_t at; /* in struct lod_fuse_options */
    uint64_t min, max;
};

#define AT(field) offsetof(struct lod_fuse_options, field)

static const struct word words[] = {
    {"allow_other", FLAG, AT(allow_other), 0, 0},
    {"allow_root", FLAG, AT(allow_root), 0, 0},
    {"noexec", FLAG, AT(noexec), 0, 0},
    {"nonempty", FLAG, AT(nonempty), 0, 0},
    {"fsname", TEXT, AT(fsname), 0, 0},
    {"subtype", TEXT, AT(subtype), 0, 0},
    {"cache_size", BYTES, AT(cache_bytes), 0, CACHE_MAX},
    {"cache", CACHE, AT(cache), 0, 0},
    {"store_cache", CACHE, AT(store_cache), 0, 0},
    {"download_limit", BYTES, AT(download_limit), LOD_SLOW_RATE_MIN, CACHE_MAX},
    {"download_latency", NUMBER, AT(download_latency), 0, LATENCY_MAX_MS},
    {"max_read", BYTES, AT(read_bytes_max), READ_BYTES_MIN, LOD_READ_BYTES_MAX},
    {"threads", BYTES, AT(threads), 1, LOD_MOUNT_THREADS_MAX},
    {"fidelity", FIDELITY, AT(fidelity), 0, 0},
    {"gpu", GPU, AT(gpu), 0, 0},
    {"uid", NUMBER, AT(uid), 0, UINT32_MAX - 1},
    {"gid", NUMBER, AT(gid), 0, UINT32_MAX - 1},
    {"fmask", OCTAL, AT(file_mask), 0, 0777},
    {"dmask", OCTAL, AT(folder_mask), 0, 0777},
    {"umask", MASKS, 0, 0, 0777},
    {"ro", ALWAYS, 0, 0, 0},
    {"default_permissions", ALWAYS, 0, 0, 0},
    {"nosuid", ALWAYS, 0, 0, 0},
    {"nodev", ALWAYS, 0, 0, 0},
    {"exec", ALWAYS, 0, 0, 0},
    {"async", ALWAYS, 0, 0, 0},
    {"atime", ALWAYS, 0, 0, 0},
    {"noatime", ALWAYS, 0, 0, 0},
    {"relatime", ALWAYS, 0, 0, 0},
    {"norelatime", ALWAYS, 0, 0, 0},
    {"diratime", ALWAYS, 0, 0, 0},
    {"nodiratime", ALWAYS, 0, 0, 0},
    {"suid", MOUNT8, 0, 0, 0}, /* mount.fuse3 adds it; the mount is nosuid all the same */
    {"dev", MOUNT8, 0, 0, 0},
    {"defaults", MOUNT8, 0, 0, 0},
    {"user", MOUNT8, 0, 0, 0},
    {"nouser", MOUNT8, 0, 0, 0},
    {"users", MOUNT8, 0, 0, 0},
    {"owner", MOUNT8, 0, 0, 0},
    {"group", MOUNT8, 0, 0, 0},
    {"auto", MOUNT8, 0, 0, 0},
    {"noauto", MOUNT8, 0, 0, 0},
    {"nofail", MOUNT8, 0, 0, 0},
    {"_netdev", MOUNT8, 0, 0, 0},
    {"x_*", MOUNT8, 0, 0, 0},
    {"X_*", MOUNT8, 0, 0, 0},
    {"comment", MOUNT8, 0, 0, 0},
    {"rw", NOT_RO, 0, 0, 0},
};

static bool is(const struct word *word, const char *name)
{
    size_t bytes = strlen(word->name);

    return word->name[bytes - 1] == '*' ? strncmp(word->name, name, bytes - 1) == 0
                                        : strcmp(word->name, name) == 0;
}

/* The row of the word before '=', '-' taken as '_'. NULL: unknown. */
static const struct word *find(const char *arg)
{
    char name[WORD_BYTES_MAX];
    size_t bytes = strcspn(arg, "=");

    if (bytes == 0 || bytes >= sizeof(name)) {
        return NULL;
    }
    for (size_t i = 0; i < bytes; i++) {
        name[i] = arg[i] == '-' ? '_' : arg[i];
    }
    name[bytes] = '\0';
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (is(&words[i], name)) {
            return &words[i];
        }
    }
    return NULL;
}

/* Digits, and for sizes one of K M G after them. */
static int number(const struct word *word, const char *value, uint64_t *ret_number)
{
    static const char units[] = "KMG";
    bool octal = word->kind == OCTAL || word->kind == MASKS;
    char *end = NULL;

    errno = 0;
    unsigned long long n = strtoull(value, &end, octal ? 8 : 10);
    if (errno || end == value || *value < '0' || *value > '9') {
        return -EINVAL;
    }
    const char *unit = word->kind == BYTES && *end ? strchr(units, *end & ~0x20) : NULL;
    unsigned shift = unit && *unit ? 10 * (unsigned)(unit - units + 1) : 0;
    end += shift ? 1 : 0;
    if (*end || n > CACHE_MAX >> shift || n << shift < word->min || n << shift > word->max) {
        return -EINVAL;
    }
    *ret_number = (uint64_t)n << shift;
    return 0;
}

static int set_text(char **at, const char *value)
{
    char *copy = strdup(value);

    if (!copy) {
        return -ENOMEM;
    }
    free(*at);
    *at = copy;
    return 0;
}

static int set_fidelity(enum lod_fidelity *at, const char *value)
{
    enum lod_fidelity fidelity = lod_fidelity_parse(value, strlen(value));

    if (!lod_control_may_be(fidelity)) {
        return -EINVAL;
    }
    *at = fidelity;
    return 0;
}

static const char *const cache_names[] = {
    [LOD_CACHE_KERNEL] = "kernel",
    [LOD_CACHE_NONE] = "none",
};

static int choose_cache(const char *value, uint64_t *ret_number)
{
    for (unsigned i = 0; i < sizeof(cache_names) / sizeof(cache_names[0]); i++) {
        if (strcmp(value, cache_names[i]) == 0) {
            *ret_number = i;
            return 0;
        }
    }
    return -EINVAL;
}

static int set_gpu(const char **at, const char *value)
{
    for (unsigned i = 0; lod_devices_choice(i); i++) {
        if (strcmp(value, lod_devices_choice(i)) == 0) {
            *at = lod_devices_choice(i);
            return 0;
        }
    }
    return -EINVAL;
}

static int set(struct parse *parse, const struct word *word, const char *value)
{
    void *at = (char *)&parse->options + word->at;
    uint64_t n = 0;
    int error = word->kind == CACHE                          ? choose_cache(value, &n)
                : word->kind >= BYTES && word->kind <= MASKS ? number(word, value, &n)
                                                             : 0;

    if (error) {
        return error;
    }
    switch (word->kind) {
    case FLAG:
        *(bool *)at = true;
        return 0;
    case TEXT:
        return set_text(at, value);
    case FIDELITY:
        return set_fidelity(at, value);
    case GPU:
        return set_gpu(at, value);
    case BYTES:
        *(uint64_t *)at = n;
        return 0;
    case CACHE:
    case NUMBER: /* uid_t, gid_t and mode_t are 32 bits wide each */
    case OCTAL:
        *(uint32_t *)at = (uint32_t)n;
        return 0;
    case MASKS:
        parse->options.file_mask = parse->options.folder_mask = (mode_t)n;
        return 0;
    default:
        return 0;
    }
}

_Static_assert(sizeof(uid_t) == 4 && sizeof(gid_t) == 4 && sizeof(mode_t) == 4, "NUMBER, OCTAL");

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
    const struct word *word = key == FUSE_OPT_KEY_OPT ? find(arg) : NULL;
    const char *value = strchr(arg, '=');
    bool valued = word && word->kind >= TEXT && word->kind <= MASKS;

    (void)out;
    if (word && word->kind >= MOUNT8 && parse->mount8) {
        return 0; /* among them rw, which mount(8) adds to whatever does not say ro */
    }
    if (word && word->kind == NOT_RO) {
        return refuse(parse, arg, "a store is never written to; mount it without rw");
    }
    if (!word || word->kind == MOUNT8 || (!valued && value)) {
        return refuse_unknown(parse, arg);
    }
    parse->error = valued && !value ? -EINVAL : set(parse, word, value ? value + 1 : "");
    if (parse->error == -EINVAL) {
        return refuse(parse, arg, "not a value this option can have");
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

static cJSON *add_text(const struct word *word, const char *text, cJSON *object)
{
    char shown[4 * PATH_MAX + 1];

    lod_escape(text, strlen(text), shown, sizeof(shown));
    return cJSON_AddStringToObject(object, word->name, shown);
}

/* NULL: no memory. */
static cJSON *add_value(const struct word *word, const void *at, cJSON *object)
{
    char octal[16];

    switch (word->kind) {
    case FLAG:
        return cJSON_AddBoolToObject(object, word->name, *(const bool *)at);
    case TEXT:
    case GPU:
        return add_text(word, *(const char *const *)at, object);
    case FIDELITY:
        return cJSON_AddStringToObject(object, word->name,
                                       lod_fidelity_name(*(const enum lod_fidelity *)at));
    case CACHE:
        return cJSON_AddStringToObject(object, word->name, cache_names[*(const uint32_t *)at]);
    case BYTES:
        return cJSON_AddNumberToObject(object, word->name, (double)*(const uint64_t *)at);
    case OCTAL:
        snprintf(octal, sizeof(octal), "%04o", *(const uint32_t *)at);
        return cJSON_AddStringToObject(object, word->name, octal);
    default: /* NUMBER */
        return cJSON_AddNumberToObject(object, word->name, *(const uint32_t *)at);
    }
}

int lod_fuse_options_show(const struct lod_fuse_options *options, const char *store, cJSON *object)
{
    struct lod_fuse_options all = *options;
    bool good = true;

    all.fsname = all.fsname ? all.fsname : (char *)(uintptr_t)store; /* it is only shown */
    all.subtype = all.subtype ? all.subtype : (char *)(uintptr_t) "lodfs";
    for (size_t i = 0; good && i < sizeof(words) / sizeof(words[0]) && words[i].kind < MASKS; i++) {
        good = add_value(&words[i], (const char *)&all + words[i].at, object);
    }
    return good ? 0 : -ENOMEM;
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

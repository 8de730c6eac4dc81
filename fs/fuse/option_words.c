/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of words, looked up with '-' and '_' the same, and the kinds of values they have. What
 * is always so (ro, nosuid, nodev, default_permissions) is accepted and changes nothing.
 */
#include "fuse/option_words.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "devices.h"
#include "log.h"
#include "reader.h"

#define WORD_BYTES_MAX 64
#define READ_BYTES_MIN 4096u
#define LATENCY_MAX_MS 10000u
#define CACHE_MAX      (1ull << 46) /* far above any memory, far below an overflow */

enum kind {
    FLAG,
    TEXT,
    FIDELITY,
    GPU,
    CACHE,
    BYTES,
    NUMBER,
    OCTAL,
    MASKS,
    ALWAYS,
    REMOUNT,
    MOUNT8,
    NOT_RO
};

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
    {"strictatime", ALWAYS, 0, 0, 0},
    {"nostrictatime", ALWAYS, 0, 0, 0},
    {"lazytime", ALWAYS, 0, 0, 0},
    {"nolazytime", ALWAYS, 0, 0, 0},
    {"sync", ALWAYS, 0, 0, 0},
    {"dirsync", ALWAYS, 0, 0, 0},
    {"iversion", ALWAYS, 0, 0, 0},
    {"noiversion", ALWAYS, 0, 0, 0},
    {"loud", ALWAYS, 0, 0, 0},
    {"silent", ALWAYS, 0, 0, 0},
    {"remount", REMOUNT, 0, 0, 0},
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

static int set(struct lod_fuse_options *options, const struct word *word, const char *value)
{
    void *at = (char *)options + word->at;
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
        options->file_mask = options->folder_mask = (mode_t)n;
        return 0;
    default:
        return 0;
    }
}

_Static_assert(sizeof(uid_t) == 4 && sizeof(gid_t) == 4 && sizeof(mode_t) == 4, "NUMBER, OCTAL");

static bool is_valued(const struct word *word)
{
    return word->kind >= TEXT && word->kind <= MASKS;
}

enum lod_word_use lod_option_use(const char *arg)
{
    const struct word *word = find(arg);

    return !word                   ? LOD_WORD_UNKNOWN
           : word->kind == REMOUNT ? LOD_WORD_CHANGES
           : word->kind == MOUNT8  ? LOD_WORD_MOUNT8
           : word->kind == NOT_RO  ? LOD_WORD_WRITES
           : is_valued(word)       ? LOD_WORD_VALUED
                                   : LOD_WORD_ALONE;
}

const char *lod_option_takes(const char *arg)
{
    static const char *const takes[] = {
        [TEXT] = "takes a name",
        [FIDELITY] = "takes q1 .. q10 or full",
        [GPU] = "takes auto, off, opencl or cuda",
        [CACHE] = "takes kernel or none",
        [BYTES] = "takes a number, with K, M or G for bytes, in the limits of mount.lodfs(8)",
        [NUMBER] = "takes a number, in the limits of mount.lodfs(8)",
        [OCTAL] = "takes permissions in octal, up to 777",
        [MASKS] = "takes permissions in octal, up to 777",
    };
    const struct word *word = find(arg);

    return word && is_valued(word) ? takes[word->kind] : "takes no value";
}

int lod_option_set(const char *arg, struct lod_fuse_options *options)
{
    const struct word *word = find(arg);
    const char *value = strchr(arg, '=');

    return word && is_valued(word) == (value != NULL) ? set(options, word, value ? value + 1 : "")
                                                      : -EINVAL;
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

int lod_option_show(const struct lod_fuse_options *options, cJSON *object)
{
    bool good = true;

    for (size_t i = 0; good && i < sizeof(words) / sizeof(words[0]) && words[i].kind < MASKS; i++) {
        good = add_value(&words[i], (const char *)options + words[i].at, object);
    }
    return good ? 0 : -ENOMEM;
}

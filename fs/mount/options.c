/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of -o: their table, the parser of the text, and refused options. Options that always
 * hold (ro, nosuid, nodev, default_permissions) are accepted and change nothing.
 */
#include "mount/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "read/devices.h"
#include "read/reader.h"
#include "store_words.h"
#include "tier/tier.h"

#define READ_BYTES_MIN 4096u
#define LATENCY_MAX_MS 10000u
#define NAME_BYTES_MAX 4000u
#define CACHE_MAX      (1ull << 46) /* larger than any memory, far from an overflow */
#define MASK_UNSET     ((mode_t)-1) /* for fmask, dmask: as umask */

#define FIELD(member) LOD_FIELD(struct lod_fuse_options, member)
#define ID(member, help)                                                                           \
    LOD_ROW_NUMBER(LOD_OPTION_NUMBER, FIELD(member), 0, #member, "ID", 0, UINT32_MAX - 1, help)
#define MASK(word, member, help)                                                                   \
    LOD_ROW_NUMBER(LOD_OPTION_OCTAL, FIELD(member), 0, word, "MODE", 0, 0777, help)
#define SIZE(word, member, min, max, help)                                                         \
    LOD_ROW_NUMBER(LOD_OPTION_SIZE, FIELD(member), 0, word, "SIZE", min, max, help)

static const char *const caches[] = {
    [LOD_CACHE_KERNEL] = "kernel",
    [LOD_CACHE_NONE] = "none",
    NULL,
};

static const char *const store_caches[] = {
    [LOD_STORE_CACHE_SHARED] = "shared",
    [LOD_STORE_CACHE_PRIVATE] = "private",
    NULL,
};

static const char *const automatic[] = {"auto", NULL};

/* These hold for every mount, or have no meaning without writes. */
/* clang-format off */
static const char *const always[] = {
    "ro", "default_permissions", "nosuid", "nodev", "exec", "async", "sync", "dirsync", "atime",
    "noatime", "relatime", "norelatime", "diratime", "nodiratime", "strictatime", "nostrictatime",
    "lazytime", "nolazytime", "iversion", "noiversion", "loud", "silent", NULL,
};
/* clang-format on */

/* mount.fuse3 adds suid and dev; the mount is nosuid and nodev nevertheless. */
static const char *const of_mount8[] = {
    "suid", "dev",    "defaults", "user",    "nouser",  "users", "owner", "group",
    "auto", "noauto", "nofail",   "_netdev", "comment", "x_*",   "X_*",   NULL,
};

/* Options of libfuse that lodfs decides itself or has no use for. */
/* clang-format off */
static const char *const of_libfuse[] = {
    "ac_attr_timeout", "async_read", "atomic_o_trunc", "attr_timeout", "auto_cache",
    "auto_unmount", "big_writes", "blksize", "clone_fd", "congestion_threshold",
    "entry_timeout", "hard_remove", "idle_threads", "intr", "intr_signal", "kernel_cache",
    "large_read", "max_background", "max_idle_threads", "max_readahead", "max_threads",
    "negative_timeout", "no_remote_*", "no_splice_*", "noauto_cache", "noforget",
    "parallel_direct_writes", "readdir_ino", "remember", "splice_*", "sync_read", "use_ino", NULL,
};
/* clang-format on */

const struct lod_option lod_mount_words[] = {
    LOD_ROW_FLAG(FIELD(allow_other), 0, "allow_other", "all users may use the mount"),
    LOD_ROW_FLAG(FIELD(allow_root), 0, "allow_root",
                 "only root and the user who mounts may use it"),
    LOD_ROW_FIDELITY(FIELD(fidelity), "fidelity", LOD_FULL,
                     "initial fidelity of auto: q1 .. q10 or full (default)"),
    {.kind = LOD_OPTION_SIZE,
     .field = FIELD(cache_bytes),
     .max = CACHE_MAX,
     .name = "cache_size",
     .value = "SIZE",
     .words = automatic,
     .help = "memory for stored and decoded bytes; auto (default): a quarter of the available "
             "memory, less while memory is short"},
    LOD_ROW_CHOICE(FIELD(cache), "cache", caches,
                   "kernel (default): the kernel caches bytes that were read; none: it does not"),
    LOD_ROW_CHOICE(FIELD(store_cache), "store_cache", store_caches,
                   "where prefetched bytes are kept: shared (default), in the kernel's page "
                   "cache, for all mounts of the store; private, in this mount's cache"),
    LOD_ROW_NUMBER(LOD_OPTION_NUMBER, FIELD(threads), 0, "threads", "N", 1, LOD_MOUNT_THREADS_MAX,
                   "threads that answer requests (default 4)"),
    LOD_ROW_FLAG(FIELD(io_uring), 0, "io_uring",
                 "requests come through io_uring, for stores on fast disks (libfuse 3.18)"),
    LOD_ROW_CHOICE(FIELD(gpu), "gpu", lod_devices_choices,
                   "the device that decodes lossless images (default auto)"),
    SIZE("download_limit", download_limit, LOD_SLOW_RATE_MIN, CACHE_MAX,
         "read at most this many bytes per second from the store"),
    LOD_ROW_NUMBER(LOD_OPTION_NUMBER, FIELD(download_latency), 0, "download_latency", "MS", 0,
                   LATENCY_MAX_MS, "delay each request to the store by this many milliseconds"),
    LOD_ROW_NUMBER(LOD_OPTION_NUMBER, FIELD(download_parallel), 0, "download_parallel", "N", 1,
                   LOD_SLOW_PARALLEL_MAX, "requests that are delayed at one time (default 1)"),
    LOD_ROW_NUMBER(LOD_OPTION_NUMBER, FIELD(request_limit), 0, "request_limit", "N", 1,
                   LOD_SLOW_REQUESTS_MAX,
                   "send at most this many requests per second to the store"),
    LOD_ROW_TEXT(LOD_OPTION_TEXT, FIELD(tier.folder), 0, "tier_dir", "FOLDER", 0,
                 "keep loaded bytes in this folder of yours, on a fast local disk"),
    SIZE("tier_size", tier.bytes_max, LOD_TIER_BYTES_MIN, CACHE_MAX,
         "with tier_dir: use at most this many bytes there"),
    LOD_ROW_NUMBER(LOD_OPTION_NUMBER, FIELD(tier.free_percent), 0, "tier_free", "PERCENT", 0,
                   LOD_TIER_FREE_MAX,
                   "with tier_dir: leave this percentage of its disk free (default 10)"),
    SIZE("max_read", read_bytes_max, READ_BYTES_MIN, LOD_READ_BYTES_MAX,
         "largest read request of the kernel (default 1M)"),
    LOD_STORE_WORDS(struct lod_fuse_options, settings.),
    ID(uid, "owner of all files (default: the user who mounts)"),
    ID(gid, "group of all files"),
    MASK("umask", umask, "permission bits to clear, in octal"),
    MASK("fmask", file_mask, "the same, for files only"),
    MASK("dmask", folder_mask, "the same, for folders only"),
    LOD_ROW_TEXT(LOD_OPTION_TEXT, FIELD(fsname), 0, "fsname", "NAME", 0,
                 "name shown as the device (default: the store)"),
    LOD_ROW_TEXT(LOD_OPTION_TEXT, FIELD(subtype), 0, "subtype", "NAME", 0,
                 "type shown after 'fuse.' (default lodfs)"),
    LOD_ROW_FLAG(FIELD(noexec), 0, "noexec", "programs in the mount cannot be run"),
    LOD_ROW_FLAG(FIELD(nonempty), 0, "nonempty",
                 "mount over a store that is already mounted there"),
    LOD_ROW_FLAG(FIELD(xattr), 0, "xattr", "files have attributes user.lodfs.*; see getfattr"),
    LOD_ROW_TEXT(LOD_OPTION_TEXT, FIELD(subdir), 0, "subdir", "FOLDER", 0,
                 "mount only this folder of the mount, such as q5/train"),
    LOD_ROW_TEXT(LOD_OPTION_TEXT, FIELD(setuid), 0, "setuid", "USER", 0,
                 "mount and serve as this user, by name or number"),
    {.kind = LOD_OPTION_IGNORED, .words = always},
    {.kind = LOD_OPTION_NEEDLESS, .words = of_libfuse},
    {.kind = LOD_OPTION_MOUNT8, .words = of_mount8},
    {.kind = LOD_OPTION_MOUNT8,
     .name = "rw", /* mount(8) adds it unless ro is given */
     .help = "a mount is always read-only; mount without rw"},
    {.kind = LOD_OPTION_REFUSED,
     .name = "remount",
     .help = "the options of a mount cannot be changed; unmount it and mount it again"},
    LOD_ROW_END,
};

struct parse {
    struct lod_fuse_options options;
    bool mount8, sloppy;
};

static int refuse(const char *word, const char *why)
{
    lod_log(LOD_LOG_ERROR, "-o %pE: %s", word, why);
    return -EINVAL;
}

static int refuse_unknown(const struct parse *parse, const char *word)
{
    if (!parse->sloppy) {
        return refuse(word, "unknown option; mount.lodfs(8) lists them");
    }
    lod_log(LOD_LOG_WARNING, "-o %pE: unknown option, ignored", word);
    return 0;
}

static int take(struct parse *parse, const char *word)
{
    const struct lod_option *option = lod_option_find(lod_mount_words, word);
    const char *value = strchr(word, '=');
    const unsigned kind = option ? option->kind : LOD_OPTION_END;
    char takes[LOD_OPTION_TEXT_BYTES];

    if (kind == LOD_OPTION_MOUNT8 && parse->mount8) {
        return 0;
    }
    if (kind == LOD_OPTION_NEEDLESS) {
        lod_log(LOD_LOG_WARNING, "-o %pE: an option of libfuse, without effect here", word);
        return 0;
    }
    if (kind == LOD_OPTION_REFUSED || (kind == LOD_OPTION_MOUNT8 && option->help)) {
        return refuse(word, option->help);
    }
    if (kind == LOD_OPTION_END || kind == LOD_OPTION_MOUNT8) {
        return refuse_unknown(parse, word);
    }
    if (lod_option_is_valued(option) != (value != NULL) ||
        (kind != LOD_OPTION_IGNORED &&
         lod_option_set(option, value ? value + 1 : "", &parse->options))) {
        return refuse(word, lod_option_takes(option, takes));
    }
    return 0;
}

/* Reads the environment variables, then the words of -o, which replace them. */
static int take_all(struct parse *parse)
{
    char message[LOD_OPTION_MESSAGE_BYTES];

    if (lod_option_environment("mount", lod_mount_words, &parse->options, message)) {
        lod_log(LOD_LOG_ERROR, "%s", message);
        return -EINVAL;
    }
    for (char *word = parse->options.text, *next; word; word = next) {
        next = lod_option_cut(word);
        int error = *word ? take(parse, word) : 0;
        if (error) {
            return error;
        }
    }
    return 0;
}

static int check_tier(const struct lod_fuse_options *options)
{
    const struct lod_tier_settings *tier = &options->tier;

    if (tier->folder) {
        return tier->bytes_max
                   ? 0
                   : refuse("tier_dir", "needs tier_size=SIZE, the bytes that it may take");
    }
    if (tier->bytes_max) {
        return refuse("tier_size", "needs tier_dir=FOLDER");
    }
    return tier->free_percent == LOD_TIER_FREE_DEFAULT
               ? 0
               : refuse("tier_free", "needs tier_dir=FOLDER");
}

/* mount(2) takes names of at most a page. */
static int check_name(const char *option, const char *name)
{
    return name && (!*name || strlen(name) > NAME_BYTES_MAX)
               ? refuse(option, "takes a name of 1 to 4,000 bytes")
               : 0;
}

int lod_fuse_options_parse(const struct lod_option_list *o, bool mount8, bool sloppy,
                           struct lod_fuse_options *ret_options)
{
    struct parse parse = {
        .options = {.fidelity = LOD_FULL,
                    .cache_bytes = LOD_OPTION_AUTO,
                    .threads = 4,
                    .settings.warn = lod_log_warning,
                    .tier.free_percent = LOD_TIER_FREE_DEFAULT,
                    .read_bytes_max = LOD_READ_BYTES_MAX,
                    .uid = LOD_ID_OF_MOUNTER,
                    .gid = LOD_ID_OF_MOUNTER,
                    .file_mask = MASK_UNSET,
                    .folder_mask = MASK_UNSET,
                    .text = lod_option_join(o)},
        .mount8 = mount8,
        .sloppy = sloppy,
    };
    struct lod_fuse_options *options = &parse.options;
    int error = options->text ? 0 : -ENOMEM;

    error = error ? error : take_all(&parse);
    error = error ? error : check_tier(options);
    error = error ? error : check_name("fsname", options->fsname);
    error = error ? error : check_name("subtype", options->subtype);
    if (error) {
        lod_fuse_options_finish(options);
        return error;
    }
    options->file_mask = options->file_mask == MASK_UNSET ? options->umask : options->file_mask;
    options->folder_mask =
        options->folder_mask == MASK_UNSET ? options->umask : options->folder_mask;
    *ret_options = parse.options;
    return 0;
}

void lod_fuse_options_finish(struct lod_fuse_options *options)
{
    free(options->text);
    options->text = NULL;
}

struct lod_open_options lod_fuse_options_open(const struct lod_fuse_options *options)
{
    return (struct lod_open_options){.settings = &options->settings,
                                     .index_copy = true,
                                     .slow = {.bytes_per_second = options->download_limit,
                                              .latency_ms = options->download_latency,
                                              .parallel = options->download_parallel,
                                              .requests_per_second = options->request_limit},
                                     .tier = options->tier,
                                     .exactly = true};
}

void lod_fuse_options_json(const struct lod_fuse_options *options, const char *store,
                           struct lod_json *json)
{
    struct lod_fuse_options all = *options;

    all.fsname = all.fsname ? all.fsname : store;
    all.subtype = all.subtype ? all.subtype : "lodfs";
    for (const struct lod_option *word = lod_mount_words; word->kind != LOD_OPTION_END; word++) {
        if (word->kind < LOD_OPTION_OPERAND && strcmp(word->name, "umask") != 0) {
            lod_option_json(word, &all, json);
        }
    }
}

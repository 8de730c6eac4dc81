/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the -o options of a mount: those of lodfs, of libfuse, and those that mount(8) passes. */
#ifndef LOD_OPTIONS_H
#define LOD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "codec.h"
#include "compiler.h"
#include "backend/store_settings.h"
#include "dataset/dataset.h"
#include "option.h"
#include "tier/tier.h"

#define LOD_MOUNT_THREADS_MAX 64
#define LOD_ID_OF_MOUNTER     UINT32_MAX

enum lod_mount_cache { LOD_CACHE_KERNEL, LOD_CACHE_NONE };
enum lod_store_cache { LOD_STORE_CACHE_SHARED, LOD_STORE_CACHE_PRIVATE };

struct lod_fuse_options {
    uint64_t cache_bytes; /* LOD_OPTION_AUTO: by the memory that is available */
    uint32_t threads;
    uint32_t read_bytes_max;
    enum lod_fidelity fidelity; /* initial fidelity of auto */
    uint64_t download_limit;    /* bytes a second; 0: none */
    uint32_t download_latency;  /* ms */
    uint32_t download_parallel; /* 0 means 1 */
    uint32_t request_limit;     /* requests a second; 0: none */
    uint32_t cache;             /* enum lod_mount_cache */
    uint32_t store_cache;       /* enum lod_store_cache */
    uint32_t gpu;               /* index in lod_devices_choices */
    uid_t uid;                  /* LOD_ID_OF_MOUNTER, here and in gid: that of the process */
    gid_t gid;
    mode_t umask, file_mask, folder_mask;
    bool allow_other, allow_root, io_uring, noexec, nonempty, xattr;
    const char *subdir;                 /* in `text`; NULL: the whole mount */
    const char *setuid;                 /* in `text`; NULL: the user stays */
    struct lod_store_settings settings; /* strings are in `text` */
    struct lod_tier_settings tier;      /* its folder is in `text` */
    const char *fsname, *subtype;       /* in `text`; NULL: default */
    char *text;                         /* owned: the text of the options */
};

/* One row for each option, including those of mount(8). */
extern const struct lod_option lod_mount_words[];

/*
 * Takes variables LODFS_MOUNT_NAME, then parses `o`; a later value replaces an earlier one.
 * `mount8`: options that concern only mount(8) are ignored. `sloppy`: unknown ones too. Returns
 * -EINVAL after a printed line that names the option, or -ENOMEM.
 */
LOD_MUST_CHECK int lod_fuse_options_parse(const struct lod_option_list *o, bool mount8, bool sloppy,
                                          struct lod_fuse_options *ret_options);
void lod_fuse_options_finish(struct lod_fuse_options *options);

/* Returns how a store is opened with these options, which have to outlive its use. The index is
 * copied, and `shared` is left to the caller. */
struct lod_open_options lod_fuse_options_open(const struct lod_fuse_options *options);

/* Writes a member for each option that can be set: its value in force, for a store at `store`. */
void lod_fuse_options_json(const struct lod_fuse_options *options, const char *store,
                           struct lod_json *json);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The -o words of a mount, parsed: ours, libfuse's and those mount(8) passes. */
#ifndef LOD_OPTIONS_H
#define LOD_OPTIONS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "codec.h"
#include "compiler.h"

#define LOD_MOUNT_THREADS_MAX 64

enum lod_mount_cache { LOD_CACHE_KERNEL, LOD_CACHE_NONE };

struct lod_fuse_options {
    uint64_t cache_bytes;
    uint64_t threads;
    uint64_t read_bytes_max;
    enum lod_fidelity fidelity; /* that auto leads to at first */
    uint64_t download_limit;    /* bytes a second; 0: none */
    uint32_t download_latency;  /* ms */
    uint32_t cache;             /* enum lod_mount_cache */
    uint32_t store_cache;       /* the same, for what is read of the store in prefixes */
    const char *gpu;            /* one of lod_devices_choice */
    uid_t uid;
    gid_t gid;
    mode_t file_mask, folder_mask;
    bool allow_other, allow_root, noexec, nonempty;
    char *fsname, *subtype; /* owned; NULL: the defaults */
};

/*
 * Parses `o` (NULL: no words; the same word again replaces). `mount8`: the words mount(8) means for
 * itself are dropped; `sloppy`: unknown ones too. -EINVAL after a printed line that names the word;
 * -ENOMEM.
 */
LOD_MUST_CHECK int lod_fuse_options_parse(const char *o, bool mount8, bool sloppy,
                                          struct lod_fuse_options *ret_options);
void lod_fuse_options_finish(struct lod_fuse_options *options);

/* object[word] = what is in force of a store at `store`, for each word that is not always so.
 * -ENOMEM. */
LOD_MUST_CHECK int lod_fuse_options_show(const struct lod_fuse_options *options, const char *store,
                                         cJSON *object);

/* libfuse's own "-o" text of these options: a store at `store`, always read-only. *ret_text is the
 * caller's to free. */
LOD_MUST_CHECK int lod_fuse_options_text(const struct lod_fuse_options *options, const char *store,
                                         char **ret_text);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The settings with which `warmup` opens a store: the options of -o, and those of its mount. */
#ifndef LOD_WARMUP_SETTINGS_H
#define LOD_WARMUP_SETTINGS_H

#include <cjson/cJSON.h>
#include <limits.h>

#include "mount/options.h"

struct lod_warmup_settings {
    const char *location; /* of the store */
    struct lod_fuse_options options;
    char *behind;         /* owned; the location of the store behind the mount, if one was named */
    char mount[PATH_MAX]; /* of that mount, absolute; empty: none */
    cJSON *config;        /* owned; `options` points to texts in it */
};

/*
 * `given` is a store or a mount. Settings that `words` does not give are those of the mount.
 * Returns LOD_EXIT_OK, or another exit code after a message on stderr; also if there is no tier.
 */
int lod_warmup_settings_take(const char *given, const struct lod_option_list *words,
                             struct lod_warmup_settings *ret_settings);
void lod_warmup_settings_finish(struct lod_warmup_settings *settings);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* See store_layers.h. */
#include "dataset/store_layers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "log.h"

/* With a tier, loads bypass the page cache even if `shared` is set: the tier keeps the bytes. */
int lod_store_layers_open(const char *location, const struct lod_open_options *options,
                          struct lod_store **ret_store, struct lod_why *why)
{
    struct lod_store *store = NULL;

    int error = lod_store_open_with(location, options->settings, &store, why);
    if (!error && options->exactly) {
        lod_store_read_exactly(store, options->shared && !options->tier.folder);
    }
    if (error || !lod_slow_is(&options->slow)) {
        *ret_store = store;
        return error == -ENOTDIR ? -ENOENT : error;
    }
    error = lod_slow_create(&options->slow, store, ret_store);
    if (error) {
        lod_store_close(store);
    }
    return error;
}

static void log_line(const char *folder, const char *line)
{
    lod_log(LOD_LOG_WARNING, "tier %pE: %s", folder, line);
}

int lod_store_layers_add_tier(const struct lod_tier_settings *tier, struct lod_id store_id,
                              struct lod_store **store, struct lod_why *why)
{
    struct lod_tier_settings settings = *tier;

    settings.log_line = log_line;
    return settings.folder ? lod_tier_create(&settings, store_id, *store, store, why) : 0;
}

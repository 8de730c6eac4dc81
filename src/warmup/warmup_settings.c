/* SPDX-License-Identifier: Apache-2.0 */
/* See warmup_settings.h. MOUNT/.lodfs/config has a member for each option. */
#include "warmup/warmup_settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mount/mountpoint.h"
#include "terminal/cmd.h"
#include "terminal/mount_client.h"
#include "terminal/open_store.h"

#define NO_TIER "-o tier_dir=FOLDER,tier_size=SIZE"

static const char *text_of(const cJSON *config, const char *name, const char *set)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(config, name));

    return set || !text || !*text ? set : text;
}

static uint64_t number_of(const cJSON *config, const char *name, uint64_t set)
{
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(config, name);

    return set || !cJSON_IsNumber(number) || number->valuedouble < 0
               ? set
               : (uint64_t)number->valuedouble;
}

static bool flag_of(const cJSON *config, const char *name, bool set)
{
    return set || cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(config, name));
}

/* Takes settings that the command line did not give from the mount's settings. */
static void take_config(const cJSON *config, struct lod_fuse_options *options)
{
    struct lod_store_settings *settings = &options->settings;

    if (!options->tier.folder) {
        options->tier.folder = text_of(config, "tier_dir", NULL);
        options->tier.bytes_max = number_of(config, "tier_size", 0);
        options->tier.free_percent = (uint32_t)number_of(config, "tier_free", 0);
    }
    options->download_limit = number_of(config, "download_limit", options->download_limit);
    options->download_latency =
        (uint32_t)number_of(config, "download_latency", options->download_latency);
    options->download_parallel =
        (uint32_t)number_of(config, "download_parallel", options->download_parallel);
    options->request_limit = (uint32_t)number_of(config, "request_limit", options->request_limit);
    settings->endpoint = text_of(config, "endpoint", settings->endpoint);
    settings->region = text_of(config, "region", settings->region);
    settings->profile = text_of(config, "profile", settings->profile);
    settings->ca_file = text_of(config, "ca_file", settings->ca_file);
    settings->anonymous = flag_of(config, "anonymous", settings->anonymous);
    settings->virtual_host = flag_of(config, "virtual_host", settings->virtual_host);
    settings->connections = (uint32_t)number_of(config, "connections", settings->connections);
}

static int take_mount(const char *mount, struct lod_warmup_settings *settings)
{
    char *text = NULL;

    if (lod_mount_client_text(mount, "config", &text) ||
        lod_mountpoint_resolve(mount, settings->mount)) {
        free(text);
        return LOD_EXIT_FAILED;
    }
    settings->config = cJSON_Parse(text);
    free(text);
    if (!settings->config) {
        return lod_fail(LOD_EXIT_FAILED, "%pE: its .lodfs/config is not JSON", mount);
    }
    take_config(settings->config, &settings->options);
    return LOD_EXIT_OK;
}

static int check_tier(const char *given, const struct lod_warmup_settings *settings)
{
    return settings->options.tier.folder ? LOD_EXIT_OK
           : settings->behind
               ? lod_fail(LOD_EXIT_FAILED, "'%pE' has no tier to warm up: mount it with " NO_TIER,
                          given)
               : lod_fail(LOD_EXIT_USAGE, "there is no tier to warm up: name one with " NO_TIER);
}

int lod_warmup_settings_take(const char *given, const struct lod_option_list *words,
                             struct lod_warmup_settings *ret_settings)
{
    int error = lod_fuse_options_parse(words, false, false, &ret_settings->options);
    if (error) {
        return error == -EINVAL ? LOD_EXIT_USAGE : LOD_EXIT_FAILED;
    }
    int code = lod_store_behind(given, &ret_settings->behind);
    code = code || !ret_settings->behind ? code : take_mount(given, ret_settings);
    ret_settings->location = ret_settings->behind ? ret_settings->behind : given;
    return code ? code : check_tier(given, ret_settings);
}

void lod_warmup_settings_finish(struct lod_warmup_settings *settings)
{
    lod_fuse_options_finish(&settings->options);
    cJSON_Delete(settings->config);
    free(settings->behind);
}

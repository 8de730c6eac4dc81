/* SPDX-License-Identifier: Apache-2.0 */
/* See warmup_how.h. MOUNT/.lodfs/config has a member for each option. */
#include "warmup/warmup_how.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
    struct lod_store_how *how = &options->how;

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
    how->endpoint = text_of(config, "endpoint", how->endpoint);
    how->region = text_of(config, "region", how->region);
    how->profile = text_of(config, "profile", how->profile);
    how->ca_file = text_of(config, "ca_file", how->ca_file);
    how->anonymous = flag_of(config, "anonymous", how->anonymous);
    how->virtual_host = flag_of(config, "virtual_host", how->virtual_host);
    how->connections = (uint32_t)number_of(config, "connections", how->connections);
}

static int take_mount(const char *mount, struct lod_warmup_how *how)
{
    char *text = NULL;

    if (lod_mount_client_text(mount, "config", &text)) {
        return LOD_EXIT_FAILED;
    }
    how->config = cJSON_Parse(text);
    free(text);
    if (!how->config) {
        return lod_fail(LOD_EXIT_FAILED, "%pE: its .lodfs/config is not JSON", mount);
    }
    take_config(how->config, &how->options);
    return LOD_EXIT_OK;
}

static int check_tier(const char *given, const struct lod_warmup_how *how)
{
    return how->options.tier.folder ? LOD_EXIT_OK
           : how->behind
               ? lod_fail(LOD_EXIT_FAILED, "'%pE' has no tier to warm up: mount it with " NO_TIER,
                          given)
               : lod_fail(LOD_EXIT_USAGE, "there is no tier to warm up: name one with " NO_TIER);
}

int lod_warmup_how_take(const char *given, const struct lod_option_list *words,
                        struct lod_warmup_how *ret_how)
{
    int error = lod_fuse_options_parse(words, false, false, &ret_how->options);
    if (error) {
        return error == -EINVAL ? LOD_EXIT_USAGE : LOD_EXIT_FAILED;
    }
    int code = lod_store_behind(given, &ret_how->behind);
    code = code || !ret_how->behind ? code : take_mount(given, ret_how);
    ret_how->location = ret_how->behind ? ret_how->behind : given;
    return code ? code : check_tier(given, ret_how);
}

void lod_warmup_how_finish(struct lod_warmup_how *how)
{
    lod_fuse_options_finish(&how->options);
    cJSON_Delete(how->config);
    free(how->behind);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The -o options of back ends: settings for a store that is behind a URL. */
#ifndef LOD_STORE_SETTINGS_H
#define LOD_STORE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#define LOD_CONNECTIONS_DEFAULT 16u
#define LOD_CONNECTIONS_MAX     64u

/* All zero: the settings of the environment and of the files of the AWS tools. Strings are
 * borrowed. */
struct lod_store_settings {
    const char *endpoint; /* for S3: https://HOST[:PORT] */
    const char *region;
    const char *profile;  /* of ~/.aws/config and ~/.aws/credentials */
    const char *ca_file;  /* trusted certificates, instead of the system's */
    bool anonymous;       /* requests are not signed */
    bool virtual_host;    /* the bucket is part of the host's name */
    uint32_t connections; /* at one time; 0: LOD_CONNECTIONS_DEFAULT */
    /* Called twice a second; true cancels requests in flight; may be NULL. */
    bool (*is_over)(void *ctx);
    void *over_ctx;
    /* Called with a sentence for the user that is no error; may be NULL. */
    void (*warn)(const char *sentence);
    bool own_process; /* the process may be made undumpable, since it holds keys */
};

/*
 * The message if a setting for S3 is given with another kind of location: often "s3://" was
 * forgotten.
 */
#define LOD_ONLY_S3 "endpoint, region, profile and virtual_host are for s3://BUCKET/KEY only"

/* Returns whether a setting for S3 alone is given; `settings` may be NULL. */
static inline bool lod_store_settings_for_s3(const struct lod_store_settings *settings)
{
    return settings &&
           (settings->endpoint || settings->region || settings->profile || settings->virtual_host);
}

#endif

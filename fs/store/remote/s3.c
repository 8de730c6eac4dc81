/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores on S3 and servers with its protocol: the back end for s3://BUCKET/KEY. It knows names,
 * regions and keys; libcurl signs (AWS Signature Version 4). A process that holds keys writes no
 * core file, so that they are in no file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <time.h>

#include "backend/location.h"
#include "clock.h"
#include "remote/remote.h"
#include "remote/remote_object.h"
#include "keys/s3_chain.h"
#include "keys/s3_key_text.h"
#include "http/url.h"

#define REGION_DEFAULT "us-east-1"
#define REGION_MAX     64u

/* The settings from which the site is made. */
struct s3 {
    char *profile; /* NULL: none was named */
    char bucket[LOD_URL_BUCKET_MAX + 1];
    char path[LOD_URL_BYTES]; /* of the store's folder in the bucket, encoded; may be empty */
    char endpoint[LOD_URL_BYTES];
    char region[REGION_MAX];
    bool anonymous, virtual_host, moved;
};

static int matches(const char *location)
{
    return lod_location_has_scheme(location, "s3");
}

/* ---------------------------------------------------------------------------------- the site */

/* "https://HOST/BUCKET/PATH", or the bucket in front of the host. */
static int make_base(const struct s3 *s3, struct lod_remote_site *site)
{
    char endpoint[LOD_URL_BYTES];
    const bool https = lod_location_has_scheme(s3->endpoint, "https") || !s3->endpoint[0];

    snprintf(endpoint, sizeof(endpoint), "%s", s3->endpoint);
    if (!endpoint[0]) {
        snprintf(endpoint, sizeof(endpoint), "https://s3.%s.amazonaws.com", s3->region);
    }
    const char *host = strstr(endpoint, "://") + 3;
    const char *slash = s3->path[0] ? "/" : "";
    int bytes = s3->virtual_host
                    ? snprintf(site->base, sizeof(site->base), "%s://%s.%s%s%s",
                               https ? "https" : "http", s3->bucket, host, slash, s3->path)
                    : snprintf(site->base, sizeof(site->base), "%s://%s/%s%s%s",
                               https ? "https" : "http", host, s3->bucket, slash, s3->path);
    site->http.https = https;
    site->bucket_bytes = (size_t)bytes - strlen(s3->path) - strlen(slash);
    return bytes > (int)sizeof(site->base) - LOD_OBJECT_NAME_MAX - 2 ? -ENAMETOOLONG : 0;
}

/* The provider is left as it is. */
static int take_keys(const struct lod_s3_keys *read, struct lod_http_keys *keys,
                     struct lod_why *why)
{
    const bool fits =
        snprintf(keys->id, sizeof(keys->id), "%s", read->id) < (int)sizeof(keys->id) &&
        snprintf(keys->secret, sizeof(keys->secret), "%s", read->secret) <
            (int)sizeof(keys->secret) &&
        snprintf(keys->token, sizeof(keys->token), "%s", read->token) < (int)sizeof(keys->token);
    const bool plain = lod_s3_key_is_plain(read->id) && lod_s3_key_is_plain(read->secret) &&
                       lod_s3_key_is_plain(read->token);

    return fits && plain
               ? 0
               : lod_refuse(why, -EINVAL,
                            "the keys are too long, or have characters that keys cannot have");
}

/* The monotonic time at which the keys are read again. */
static uint64_t renew_at(const struct lod_s3_keys *read)
{
    const uint64_t seconds = lod_s3_chain_seconds(read->expires_s, (int64_t)time(NULL));

    return seconds ? lod_clock_ns() + seconds * LOD_SECOND_NS : 0;
}

static bool is_region(const char *text)
{
    return text[0] && strlen(text) < REGION_MAX &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") ==
               strlen(text);
}

/* ---------------------------------------------------------------------------------- amending */

static int renew(void *ctx, const struct lod_s3_wait *wait, struct lod_http_keys *ret_keys,
                 uint64_t *ret_renew_ns, struct lod_why *why)
{
    const struct s3 *s3 = ctx;
    struct lod_s3_keys *read = s3->anonymous ? NULL : calloc(1, sizeof(*read));

    if (!read) {
        return s3->anonymous ? -EACCES : -ENOMEM;
    }
    int error = lod_s3_chain_read(s3->profile, wait, read, why);
    error = error ? error : take_keys(read, ret_keys, why);
    *ret_renew_ns = error ? 0 : renew_at(read);
    explicit_bzero(read, sizeof(*read));
    free(read);
    return error;
}

/* The bucket's own region is taken once. */
static bool move(struct lod_remote_site *site, const struct lod_http_answer *answer)
{
    struct s3 *s3 = site->ctx;

    if (s3->moved || !is_region(answer->region) || strcmp(answer->region, s3->region) == 0) {
        return false;
    }
    s3->moved = true;
    snprintf(s3->region, sizeof(s3->region), "%s", answer->region);
    if (site->keys.provider[0]) {
        snprintf(site->keys.provider, sizeof(site->keys.provider), "aws:amz:%s:s3", s3->region);
    }
    return !make_base(s3, site);
}

static void finish(void *ctx)
{
    struct s3 *s3 = ctx;

    if (s3) {
        free(s3->profile);
    }
    free(s3);
}

/* ---------------------------------------------------------------------------------- opening */

static int take_names(struct s3 *s3, const char *location, struct lod_why *why)
{
    struct lod_url url = {0};
    int error = lod_url_take(location, &url, why);

    error = error ? error : lod_url_check_bucket(&url, why);
    if (error) {
        return error;
    }
    snprintf(s3->bucket, sizeof(s3->bucket), "%.*s", (int)url.host_bytes, url.host);
    return lod_url_encode(url.path, url.path_bytes, "/", s3->path, sizeof(s3->path))
               ? lod_refuse(why, -EINVAL, "the URL is too long")
               : 0;
}

static int take_region(struct s3 *s3, const char *region, struct lod_why *why)
{
    if (!is_region(region)) {
        return lod_refuse(
            why, -EINVAL,
            "region is not the name of a region: give one such as us-east-1, of letters, "
            "digits, '-' and '_'");
    }
    snprintf(s3->region, sizeof(s3->region), "%s", region);
    return 0;
}

static int take_endpoint(struct s3 *s3, const char *endpoint, struct lod_why *why)
{
    const bool is_web =
        lod_location_has_scheme(endpoint, "https") || lod_location_has_scheme(endpoint, "http");
    struct lod_url url = {0};

    if (!is_web || lod_url_take(endpoint, &url, why) || url.path_bytes) {
        return lod_refuse(why, -EINVAL,
                          "endpoint is not the URL of a server: give https://HOST[:PORT] or "
                          "http://HOST[:PORT], with no path and a port of 1 to 65535");
    }
    snprintf(s3->endpoint, sizeof(s3->endpoint), "%.*s",
             (int)(url.host + url.host_bytes - endpoint), endpoint);
    return 0;
}

/* Takes the settings that options give, before keys are read. */
static int take_words(struct s3 *s3, const struct lod_store_settings *settings, struct lod_why *why)
{
    int error = settings->region ? take_region(s3, settings->region, why) : 0;

    return !error && settings->endpoint ? take_endpoint(s3, settings->endpoint, why) : error;
}

/* Takes settings that no option gave from the environment or the profile. */
static int take_settings(struct s3 *s3, const struct lod_store_settings *settings,
                         const struct lod_s3_keys *read, struct lod_why *why)
{
    int error = 0;

    if (!settings->region) {
        error = take_region(s3, read->region[0] ? read->region : REGION_DEFAULT, why);
    }
    if (!error && !settings->endpoint && read->endpoint[0]) {
        error = take_endpoint(s3, read->endpoint, why);
    }
    /* On AWS the bucket is in the host name. It is in the path if it has a dot, since a certificate
     * for *.HOST does not cover it, and on other servers, since those support paths. */
    s3->virtual_host = settings->virtual_host || (!s3->endpoint[0] && !strchr(s3->bucket, '.'));
    return error;
}

static int fill(struct s3 *s3, const struct lod_store_settings *settings,
                struct lod_remote_site *site, struct lod_why *why)
{
    const struct lod_s3_wait wait = {
        .is_over = settings->is_over, .ctx = settings->over_ctx, .seconds = LOD_S3_WAIT_SECONDS};
    struct lod_s3_keys *read = calloc(1, sizeof(*read));

    if (!read) {
        return -ENOMEM;
    }
    int error = s3->anonymous ? lod_s3_keys_read(s3->profile, read, why)
                              : lod_s3_chain_read(s3->profile, &wait, read, why);
    if (error == -ENOENT) {
        error = -EINVAL; /* -ENOENT would mean a missing store; here a profile is missing */
    }
    error = error ? error : take_settings(s3, settings, read, why);
    error = error ? error : make_base(s3, site);
    if (!error && !s3->anonymous) {
        error = take_keys(read, &site->keys, why);
        snprintf(site->keys.provider, sizeof(site->keys.provider), "aws:amz:%s:s3", s3->region);
        site->renew_ns = renew_at(read);
    }
    const char *ca_file = settings->ca_file ? settings->ca_file : read->ca_file;
    if (!error && ca_file[0] && !(site->ca_file = strdup(ca_file))) {
        error = -ENOMEM;
    }
    site->http.ca_file = site->ca_file;
    explicit_bzero(read, sizeof(*read));
    free(read);
    return error;
}

/* Warns if signed requests go over plain HTTP. The signature hides only the secret key: all
 * else can be read on the way. */
static void warn_of_http(const struct s3 *s3, const struct lod_store_settings *settings)
{
    struct lod_url url = {0};
    struct lod_why why = {.text = ""};

    if (settings->warn && !s3->anonymous && lod_location_has_scheme(s3->endpoint, "http") &&
        !lod_url_take(s3->endpoint, &url, &why) && !lod_url_is_near(&url)) {
        settings->warn(
            "the endpoint is http://, so data and session tokens can be read on their way; "
            "use https://");
    }
}

static int create_s3(const char *location, const struct lod_store_settings *settings,
                     struct s3 **ret_s3, struct lod_why *why)
{
    struct s3 *s3 = calloc(1, sizeof(*s3));

    if (!s3 || (settings->profile && !(s3->profile = strdup(settings->profile)))) {
        finish(s3);
        return -ENOMEM;
    }
    s3->anonymous = settings->anonymous;
    int error = take_names(s3, location, why);
    error = error ? error : take_words(s3, settings, why);
    if (error) {
        finish(s3);
        return error;
    }
    *ret_s3 = s3;
    return 0;
}

static int s3_open(const char *location, const struct lod_store_settings *given, void **ret_state,
                   struct lod_why *why)
{
    const struct lod_store_settings nothing = {0}, *settings = given ? given : &nothing;
    struct lod_remote_site site = {.move = move, .renew = renew, .finish = finish};
    struct s3 *s3 = NULL;

    int error = create_s3(location, settings, &s3, why);
    site.ctx = s3;
    if (!error && !s3->anonymous && settings->own_process) {
        prctl(PR_SET_DUMPABLE, 0); /* before there are keys */
    }
    error = error ? error : fill(s3, settings, &site, why);
    if (!error) {
        warn_of_http(s3, settings);
    }
    return lod_remote_open(&site, error, settings, ret_state, why);
}

const struct lod_store_backend lod_store_s3 = {
    .name = "s3",
    .matches = matches,
    .open = s3_open,
    LOD_REMOTE_MEMBERS,
};

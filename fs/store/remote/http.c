/* SPDX-License-Identifier: Apache-2.0 */
/* Stores on web servers that serve ranges of files: the back end for http:// and https://. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/location.h"
#include "http/home.h"
#include "remote/remote.h"
#include "remote/remote_object.h"
#include "http/url.h"

static int matches(const char *location)
{
    return lod_location_has_scheme(location, "http") || lod_location_has_scheme(location, "https");
}

static char *netrc(void)
{
    char *path = lod_home_path(".netrc");

    if (path && access(path, R_OK)) {
        free(path);
        return NULL;
    }
    return path;
}

static int fill(struct lod_remote_site *site, const char *location,
                const struct lod_store_settings *settings, struct lod_why *why)
{
    const char *ca_file =
        settings && settings->ca_file ? settings->ca_file : getenv("SSL_CERT_FILE");
    struct lod_url url = {0};

    int error = lod_url_take(location, &url, why);
    if (error) {
        return error;
    }
    site->http.https = lod_location_has_scheme(location, "https");
    site->http.redirects = true;
    snprintf(site->base, sizeof(site->base), "%s://%.*s%s%.*s", site->http.https ? "https" : "http",
             (int)url.host_bytes, url.host, url.path_bytes ? "/" : "", (int)url.path_bytes,
             url.path);
    if (ca_file && !(site->ca_file = strdup(ca_file))) {
        return -ENOMEM;
    }
    site->netrc_file = netrc();
    site->http.ca_file = site->ca_file;
    site->http.netrc_file = site->netrc_file;
    return 0;
}

static int http_open(const char *location, const struct lod_store_settings *settings,
                     void **ret_state, struct lod_why *why)
{
    struct lod_remote_site site = {.finish = NULL};

    if (lod_store_settings_for_s3(settings)) {
        return lod_refuse(why, -EINVAL, "%s", LOD_ONLY_S3);
    }
    int error = fill(&site, location, settings, why);
    return lod_remote_open(&site, error, settings, ret_state, why);
}

const struct lod_store_backend lod_store_http = {
    .name = "http",
    .matches = matches,
    .open = http_open,
    LOD_REMOTE_MEMBERS,
};

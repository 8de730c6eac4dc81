/* SPDX-License-Identifier: Apache-2.0 */
/* The row for URLs that no other back end accepts; its message names an alternative. */
#include "backend/location.h"
#include "backend/store.h"

#include <errno.h>
#include <stdio.h>

static int matches(const char *location)
{
    return lod_location_is_url(location);
}

static const struct {
    const char *scheme, *advice;
} known[] = {
    {"s3", LOD_NO_CURL},
    {"http", LOD_NO_CURL},
    {"https", LOD_NO_CURL},
    {"gs", "use s3://BUCKET/KEY with endpoint=https://storage.googleapis.com and HMAC keys"},
    {"file", "name the folder itself"},
};

static int refuse(const char *location, const struct lod_store_settings *settings, void **ret_state,
                  struct lod_why *why)
{
    const char *advice = "a store is a folder or a URL of s3://, https:// or http://";

    (void)settings;
    (void)ret_state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (lod_location_has_scheme(location, known[i].scheme)) {
            advice = known[i].advice;
        }
    }
    return lod_refuse(why, -EINVAL, "%s", advice);
}

const struct lod_store_backend lod_store_url = {
    .name = "url",
    .matches = matches,
    .open = refuse,
};

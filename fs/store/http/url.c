/* SPDX-License-Identifier: Apache-2.0 */
/* See url.h. */
#include "http/url.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backend/location.h"

#define PORT_MAX   65535
#define UNRESERVED "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"

/* Returns whether a text has a control character, or a blank that is not allowed (`blanks`). Only
 * keys of S3 may contain blanks. */
static bool has_control(const char *text, bool blanks)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < ' ' || c == 0x7f || (!blanks && (c == ' ' || c > 0x7e))) {
            return true;
        }
    }
    return false;
}

/* Returns whether a name between slashes is "." or "..". */
static bool has_dots(const char *path, size_t bytes)
{
    for (size_t at = 0, end; at < bytes; at = end + 1) {
        for (end = at; end < bytes && path[end] != '/';) {
            end++;
        }
        if (end > at && end - at <= 2 && strspn(path + at, ".") >= end - at) {
            return true;
        }
    }
    return false;
}

static void trim(struct lod_url *url)
{
    while (url->path_bytes && url->path[0] == '/') {
        url->path++;
        url->path_bytes--;
    }
    while (url->path_bytes && url->path[url->path_bytes - 1] == '/') {
        url->path_bytes--;
    }
}

/* Returns the length of the host's name, without a port. */
static size_t name_bytes(const struct lod_url *url)
{
    const char *from = url->host[0] == '[' ? memchr(url->host, ']', url->host_bytes) : url->host;

    from = from ? from : url->host;
    const size_t before = (size_t)(from - url->host);
    const char *colon = memchr(from, ':', url->host_bytes - before);
    return colon ? (size_t)(colon - url->host) : url->host_bytes;
}

/* Returns whether the port is valid. Both "host" and "host:" have none, which is valid. */
static bool has_good_port(const struct lod_url *url)
{
    const size_t name = name_bytes(url), rest = url->host_bytes - name;
    const char *digits = url->host + name + 1;

    if (rest <= 1) {
        return true;
    }
    const long port = strtol(digits, NULL, 10);
    return strspn(digits, "0123456789") == rest - 1 && port > 0 && port <= PORT_MAX;
}

int lod_url_take(const char *location, struct lod_url *ret_url, struct lod_why *why)
{
    const bool s3 = lod_location_has_scheme(location, "s3");
    const char *host = strstr(location, "://");
    struct lod_url url = {.host = host ? host + 3 : ""};

    if (strlen(location) > LOD_URL_GIVEN_MAX) {
        return lod_refuse(why, -EINVAL, "the URL is too long");
    }
    if (has_control(location, s3)) {
        return lod_refuse(why, -EINVAL, "the URL has a character that must be percent-encoded");
    }
    url.host_bytes = strcspn(url.host, "/?#");
    url.path = url.host + url.host_bytes;
    url.path_bytes = strlen(url.path);
    if (memchr(url.host, '@', url.host_bytes)) {
        return lod_refuse(why, -EINVAL,
                          s3 ? "a URL holds no keys; give them by the environment or a profile"
                             : "a URL cannot contain user and password; put them into ~/.netrc");
    }
    if (url.host_bytes == 0 || url.host_bytes > LOD_URL_HOST_MAX) {
        return lod_refuse(why, -EINVAL,
                          s3 ? "it names no bucket: s3://BUCKET/KEY" : "the URL names no host");
    }
    if (!s3 && !has_good_port(&url)) {
        return lod_refuse(
            why, -EINVAL,
            "the URL's port is not a number from 1 to 65535: correct it, or leave it out");
    }
    if (*url.path && *url.path != '/' ? true : !s3 && strpbrk(url.path, "?#")) {
        return lod_refuse(why, -EINVAL, "a URL with a query or a fragment cannot name a store");
    }
    trim(&url);
    if (has_dots(url.path, url.path_bytes)) {
        return lod_refuse(why, -EINVAL, "the URL has '.' or '..' as a name; leave it out");
    }
    *ret_url = url;
    return 0;
}

int lod_url_check_bucket(const struct lod_url *url, struct lod_why *why)
{
    const size_t bytes = url->host_bytes;
    const size_t good = strspn(url->host, UNRESERVED "/");

    if (bytes > LOD_URL_BUCKET_MAX || good < bytes || url->host[0] == '.') {
        return lod_refuse(
            why, -EINVAL,
            "this is not the name of a bucket: names have letters, digits, '-', '.' and '_'");
    }
    return 0;
}

int lod_url_encode(const char *plain, size_t bytes, const char *keep, char *text, size_t room)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t used = strlen(text), before = used;

    for (size_t i = 0; i < bytes; i++) {
        const unsigned char c = (unsigned char)plain[i];
        const bool same = c && (strchr(UNRESERVED, c) || strchr(keep, c));
        if (used + (same ? 1 : 3) >= room) {
            text[before] = '\0';
            return -ENAMETOOLONG;
        }
        text[used++] = same ? (char)c : '%';
        if (!same) {
            text[used++] = digits[c >> 4];
            text[used++] = digits[c & 15];
        }
    }
    text[used] = '\0';
    return 0;
}

bool lod_url_is_near(const struct lod_url *url)
{
    static const char *const hosts[] = {"localhost", "[::1]", "169.254.170.2", "169.254.170.23",
                                        "[fd00:ec2::23]"};
    const size_t bytes = name_bytes(url);
    bool is = bytes > 4 && strncmp(url->host, "127.", 4) == 0 &&
              strspn(url->host, "0123456789.") == bytes;
    for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
        is = is || (strlen(hosts[i]) == bytes && strncasecmp(url->host, hosts[i], bytes) == 0);
    }
    return is;
}

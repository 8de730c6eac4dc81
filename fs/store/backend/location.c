/* SPDX-License-Identifier: Apache-2.0 */
/* See location.h. */
#include "backend/location.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define SCHEME_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define SCHEME_OTHERS  "0123456789+.-"

/* Returns the bytes of the scheme; 0 if it is not a URL. */
static size_t scheme_bytes(const char *location)
{
    size_t bytes = strspn(location, SCHEME_LETTERS SCHEME_OTHERS);

    return bytes && strchr(SCHEME_LETTERS, location[0]) && strncmp(location + bytes, "://", 3) == 0
               ? bytes
               : 0;
}

bool lod_location_is_url(const char *location)
{
    return scheme_bytes(location);
}

bool lod_location_has_scheme(const char *location, const char *scheme)
{
    size_t bytes = scheme_bytes(location);

    return bytes && bytes == strlen(scheme) && strncasecmp(location, scheme, bytes) == 0;
}

/* S3 keys can contain any character, so only user and password are removed from their URLs. */
char *lod_location_show(const char *location, char *text, size_t room)
{
    size_t scheme = scheme_bytes(location), start = scheme ? scheme + 3 : 0;

    if (!scheme) {
        snprintf(text, room, "%s", location);
        return text;
    }
    const char *host = location + start, *path = host + strcspn(host, "/?#");
    for (const char *at = host; (at = memchr(host, '@', (size_t)(path - host)));) {
        host = at + 1;
    }
    size_t bytes = lod_location_has_scheme(location, "s3") ? strlen(host) : strcspn(host, "?#");
    snprintf(text, room, "%.*s%.*s", (int)start, location, (int)bytes, host);
    return text;
}

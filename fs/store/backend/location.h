/* SPDX-License-Identifier: Apache-2.0 */
/* Locations of stores as users write them: a folder, or a URL. Opens nothing. */
#ifndef LOD_LOCATION_H
#define LOD_LOCATION_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether it is "SCHEME://...". "./x://y" is a folder. */
bool lod_location_is_url(const char *location);

/* Returns whether the URL has this scheme, in upper or lower case. */
bool lod_location_has_scheme(const char *location, const char *scheme);

/* The message of a build without libcurl, such as the static program, to a user of URLs. */
#define LOD_NO_CURL                                                                                \
    "this lodfs opens no URLs, since it has no libcurl; install the Debian package or the wheel, " \
    "which use it"

/*
 * Writes the location for display: a URL without user, password and query, which may be secret.
 * NUL-terminated, truncated at `room`. Returns `text`.
 */
char *lod_location_show(const char *location, char *text, size_t room);

#endif

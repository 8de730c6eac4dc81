/* SPDX-License-Identifier: Apache-2.0 */
/* Parses and builds URLs of stores (RFC 3986). No I/O. */
#ifndef LOD_URL_H
#define LOD_URL_H

#include <stdbool.h>
#include <stddef.h>

#include "backend/why.h"
#include "compiler.h"

#define LOD_URL_BYTES      2048 /* of a URL with the name of an object, NUL included */
#define LOD_URL_GIVEN_MAX  1024 /* of a store's URL as the user writes it */
#define LOD_URL_BUCKET_MAX 255
#define LOD_URL_HOST_MAX   300

/* The parts of a URL; they point into its text. */
struct lod_url {
    const char *host; /* with its port, if any; for s3:// the bucket */
    size_t host_bytes;
    const char *path; /* without slashes at its ends; may be empty */
    size_t path_bytes;
};

/*
 * Parses "SCHEME://HOST/PATH". Returns -EINVAL, with a sentence in `why`, for users, passwords,
 * wrong ports, queries, fragments, control characters, "." and ".." as names, and more than
 * LOD_URL_GIVEN_MAX bytes. A path of s3 is any text (it is encoded later); another one has no '?'
 * and no '#'.
 */
LOD_MUST_CHECK int lod_url_take(const char *location, struct lod_url *ret_url, struct lod_why *why);

/* Returns -EINVAL if a bucket cannot have the name of the host. */
LOD_MUST_CHECK int lod_url_check_bucket(const struct lod_url *url, struct lod_why *why);

/*
 * Appends `bytes` bytes of `plain` to the text, percent-encoded but for unreserved characters and
 * those of `keep`: "/" for a path. Returns -ENAMETOOLONG, and leaves the text as it was, if not all
 * of it fits `room`.
 */
LOD_MUST_CHECK int lod_url_encode(const char *plain, size_t bytes, const char *keep, char *text,
                                  size_t room);

/* Returns whether the host is reached without a network: this machine, or the role services of
 * Amazon's containers. Its port may be any. */
bool lod_url_is_near(const struct lod_url *url);

#endif

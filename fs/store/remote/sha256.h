/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256 by libcrypto, which is opened when the first store is written: libcurl brings it along.
 */
#ifndef LOD_SHA256_H
#define LOD_SHA256_H

#include <stdint.h>

#include "compiler.h"
#include "http/http_request.h"

#define LOD_SHA256_HEX 64u

struct lod_sha256; /* the functions of the library */

/* -ENOSYS: there is no libcrypto.so.3 that has them. */
LOD_MUST_CHECK int lod_sha256_open(struct lod_sha256 **ret_sha256);
struct lod_sha256 *lod_sha256_close(struct lod_sha256 *sha256);

/* Writes the hash of a whole body in hexadecimal. Returns an error of its `read`, -ENOMEM or -EIO.
 * Any thread. */
LOD_MUST_CHECK int lod_sha256_body(const struct lod_sha256 *sha256,
                                   const struct lod_http_body *body,
                                   char ret_hex[LOD_SHA256_HEX + 1]);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a store to S3, object by object. An object is created with the condition If-None-Match: *,
 * and never replaced. The server checks the SHA-256 of each body.
 *
 * An object of more than LOD_UPLOAD_PARTS_FROM parts is created as a claim, an empty object with
 * the hash of its contents, and then filled by an upload in parts, for which servers support no
 * condition. Only a claim of the same contents is ever filled.
 */
#ifndef LOD_UPLOAD_H
#define LOD_UPLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/store_settings.h"
#include "backend/why.h"
#include "compiler.h"

#define LOD_UPLOAD_PARTS_FROM 4u /* parts of an object that is still sent in one request */
#define LOD_UPLOAD_PART_BYTES (64ull << 20) /* the usual size of a part */
#define LOD_UPLOAD_PART_MIN   (5ull << 20)  /* the limits of S3: of a part but the last, */
#define LOD_UPLOAD_PART_MAX   (1ull << 30)  /* and of a request, 5 GiB */

struct lod_upload;

/* The contents of an object. */
struct lod_upload_file {
    const char *name; /* a valid object name: see lod_object_open */
    uint64_t bytes;
    uint64_t content_hash; /* a hash that covers the contents; stored as metadata of the object */
    /* Reads exactly `bytes` bytes, the same ones at each call. Returns 0 or a negative errno. */
    int (*read)(void *ctx, uint64_t offset, void *into, size_t bytes);
    void *ctx;
};

/*
 * Prepares uploads to `location`, s3://BUCKET/KEY, without sending a request. Returns -EINVAL for a
 * location that is not of S3 or malformed, -EACCES if there are no keys, -ENOSYS if a library is
 * missing. `why` gets a sentence on error. `part_bytes`: the size of parts, LOD_UPLOAD_PART_MIN ..
 * LOD_UPLOAD_PART_MAX.
 */
LOD_MUST_CHECK int lod_upload_open(const char *location, const struct lod_store_settings *settings,
                                   uint64_t part_bytes, struct lod_upload **ret_upload,
                                   struct lod_why *why);
struct lod_upload *lod_upload_close(struct lod_upload *upload);

/*
 * Any thread may call the functions below. On error `why` gets a sentence. They return -EINTR when
 * `is_over` of lod_store_settings returns true.
 */

/* Checks that the object exists with this size and hash. Returns -ENOENT if there is no object, or
 * a claim of this one, -EEXIST if it is another one. */
LOD_MUST_CHECK int lod_upload_stat(struct lod_upload *upload, const struct lod_upload_file *file,
                                   struct lod_why *why);

/* The same for a small object, which is compared byte by byte. */
LOD_MUST_CHECK int lod_upload_compare(struct lod_upload *upload, const struct lod_upload_file *file,
                                      struct lod_why *why);

/* Tells what is missing of a file that was not found, since only the answer to GET says it: returns
 * -EREMOTEIO for the bucket, else -ENOENT. */
LOD_MUST_CHECK int lod_upload_find_bucket(struct lod_upload *upload,
                                          const struct lod_upload_file *file, struct lod_why *why);

/* Creates the object, or fills a claim of it. Returns -EEXIST if another one exists, which is left
 * unchanged. */
LOD_MUST_CHECK int lod_upload_create(struct lod_upload *upload, const struct lod_upload_file *file,
                                     struct lod_why *why);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing a store to S3, object by object. An object is created, never replaced: the condition
 * If-None-Match: * holds for each. The server checks the SHA-256 of each body that it takes.
 */
#ifndef LOD_UPLOAD_H
#define LOD_UPLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/store_settings.h"
#include "compiler.h"

#define LOD_UPLOAD_WHY 512
#define LOD_UPLOAD_MAX (5ull << 30) /* bytes of an object: of one PUT to S3 */

struct lod_upload;

/* The contents of an object. */
struct lod_upload_file {
    const char *name; /* of characters that object names have */
    uint64_t bytes;
    uint64_t mark; /* a hash that covers the contents; kept with the object */
    /* Fills all of `bytes`, always with the same. 0 or a negative errno. */
    int (*read)(void *ctx, uint64_t offset, void *into, size_t bytes);
    void *ctx;
};

/*
 * `location` is s3://BUCKET/KEY; nothing is sent yet. -EINVAL: not of S3, or malformed. -EACCES:
 * there are no keys. -ENOSYS: a library is missing. `why` gets a sentence.
 */
LOD_MUST_CHECK int lod_upload_open(const char *location, const struct lod_store_settings *settings,
                                   struct lod_upload **ret_upload, char *why, size_t why_room);
struct lod_upload *lod_upload_close(struct lod_upload *upload);

/*
 * The functions below may be called by any thread. `why` gets a sentence on an error. They fail
 * with -EINTR when `is_over` of lod_store_settings says so.
 */

/* Is the object there, with this size and mark? -ENOENT: no object. -EEXIST: another one. */
LOD_MUST_CHECK int lod_upload_stat(struct lod_upload *upload, const struct lod_upload_file *file,
                                   char why[LOD_UPLOAD_WHY]);

/* Compares a small object byte by byte: results as of lod_upload_stat. */
LOD_MUST_CHECK int lod_upload_compare(struct lod_upload *upload, const struct lod_upload_file *file,
                                      char why[LOD_UPLOAD_WHY]);

/* Creates the object, of LOD_UPLOAD_MAX bytes at most. -EEXIST: there is one already,
 * which stays. */
LOD_MUST_CHECK int lod_upload_create(struct lod_upload *upload, const struct lod_upload_file *file,
                                     char why[LOD_UPLOAD_WHY]);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The multipart upload of S3: one object sent in many requests. The object appears when the last
 * request is answered, and replaces what has its name: the caller makes sure that it may.
 */
#ifndef LOD_MULTIPART_H
#define LOD_MULTIPART_H

#include <stdint.h>

#include "backend/why.h"
#include "compiler.h"
#include "remote/remote.h"
#include "remote/sha256.h"
#include "remote/upload.h"

struct lod_multipart {
    struct lod_remote *remote;
    const struct lod_sha256 *sha256;
    const struct lod_upload_file *file;
    uint64_t part_bytes;        /* of all parts but the last; more where S3 allows no more parts */
    const char *const *headers; /* of the object, ended by NULL */
};

/* Returns the size of the parts of an object: `part_bytes`, or more to need at most 10,000 parts.
 */
uint64_t lod_multipart_step(uint64_t bytes, uint64_t part_bytes);

/*
 * Sends the object, and ends all other unfinished uploads of its name: those of killed pushes. An
 * upload that fails is ended. Returns 0, -ENOENT if the server does not say that the object is
 * complete, an error of the file's `read`, or an error of lod_remote_send; then `why` gets a
 * sentence. Any thread.
 */
LOD_MUST_CHECK int lod_multipart_send(const struct lod_multipart *multipart, struct lod_why *why);

#endif

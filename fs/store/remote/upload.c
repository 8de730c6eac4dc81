/* SPDX-License-Identifier: Apache-2.0 */
/* See upload.h. */
#include "remote/upload.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/location.h"
#include "remote/remote_send.h"
#include "remote/sha256.h"

#define CONTENT_HASH_HEADER "x-amz-meta-lodfs: %016" PRIx64
#define CREATE_ONLY         "if-none-match: *"

struct lod_upload {
    struct lod_remote *remote;
    struct lod_sha256 *sha256;
};

int lod_upload_open(const char *location, const struct lod_store_settings *settings,
                    struct lod_upload **ret_upload, char *why, size_t why_room)
{
    struct lod_upload *upload = calloc(1, sizeof(*upload));
    void *state = NULL;
    int error = upload ? 0 : -ENOMEM;

    if (!error && !lod_location_has_scheme(location, "s3")) {
        snprintf(why, why_room, "only s3://BUCKET/KEY can be written to");
        error = -EINVAL;
    }
    error = error ? error : lod_sha256_open(&upload->sha256);
    if (error == -ENOSYS) {
        snprintf(why, why_room, "libcrypto.so.3 cannot be opened; install libssl3");
    }
    error = error ? error : lod_store_s3.open(location, settings, &state, why, why_room);
    if (error) {
        lod_upload_close(upload);
        return error;
    }
    upload->remote = state;
    *ret_upload = upload;
    return 0;
}

struct lod_upload *lod_upload_close(struct lod_upload *upload)
{
    if (upload && upload->remote) {
        lod_remote_close(upload->remote);
    }
    if (upload) {
        lod_sha256_close(upload->sha256);
    }
    free(upload);
    return NULL;
}

static int refuse(const struct lod_upload_file *file, int error, const char *sentence,
                  char why[LOD_UPLOAD_WHY])
{
    snprintf(why, LOD_UPLOAD_WHY, "%s: %s", file->name, sentence);
    return error;
}

static int send(struct lod_upload *upload, const struct lod_upload_file *file,
                struct lod_remote_exchange *exchange, char why[LOD_UPLOAD_WHY])
{
    int error = lod_remote_send(upload->remote, exchange);

    return error ? refuse(file, error, exchange->why, why) : 0;
}

/* ---------------------------------------------------------------------------------- looking */

#define OTHER_IS_THERE                                                                             \
    "another object has this name, of another store or of another program; remove it, or push to " \
    "another key"

/* To users who may not list the bucket, S3 answers 403 for a missing object. That counts as
 * missing: if an object is there after all, creating it fails. */
int lod_upload_stat(struct lod_upload *upload, const struct lod_upload_file *file,
                    char why[LOD_UPLOAD_WHY])
{
    struct lod_remote_exchange exchange = {.name = file->name, .method = LOD_HTTP_HEAD};
    char content_hash[17];

    int error = send(upload, file, &exchange, why);
    if (error) {
        return error == -EACCES && exchange.verdict == LOD_HTTP_DENIED ? -ENOENT : error;
    }
    snprintf(content_hash, sizeof(content_hash), "%016" PRIx64, file->content_hash);
    return exchange.answer.has_length && exchange.answer.length == file->bytes &&
                   strcmp(exchange.answer.content_hash, content_hash) == 0
               ? 0
               : refuse(file, -EEXIST, OTHER_IS_THERE, why);
}

/* Returns whether the object has exactly the bytes of the file. */
static bool is_same(const struct lod_upload_file *file, const uint8_t *there, size_t bytes)
{
    uint8_t *ours = malloc(file->bytes + 1);
    const bool same = ours && bytes == file->bytes && !file->read(file->ctx, 0, ours, bytes) &&
                      memcmp(ours, there, bytes) == 0;

    free(ours);
    return same;
}

int lod_upload_compare(struct lod_upload *upload, const struct lod_upload_file *file,
                       char why[LOD_UPLOAD_WHY])
{
    /* A longer document does not fit, and counts as a broken answer. */
    struct lod_remote_exchange exchange = {
        .name = file->name, .method = LOD_HTTP_HEAD, .room = file->bytes};
    int error = send(upload, file, &exchange, why);

    if (error) {
        return error == -EACCES && exchange.verdict == LOD_HTTP_DENIED ? -ENOENT : error;
    }
    if (!exchange.answer.has_length || exchange.answer.length != file->bytes) {
        return refuse(file, -EEXIST, "another store is there; push to another key", why);
    }
    exchange.method = LOD_HTTP_GET;
    exchange.into = malloc(file->bytes + 1);
    error = exchange.into ? send(upload, file, &exchange, why) : -ENOMEM;
    if (!error && !is_same(file, exchange.into, exchange.got)) {
        error = refuse(file, -EEXIST, "another store is there; push to another key", why);
    }
    free(exchange.into);
    return error;
}

/* ---------------------------------------------------------------------------------- creating */

int lod_upload_create(struct lod_upload *upload, const struct lod_upload_file *file,
                      char why[LOD_UPLOAD_WHY])
{
    char sha256[LOD_SHA256_HEX + 1] = "", content_hash[40];
    const char *const headers[] = {CREATE_ONLY, content_hash, NULL};
    struct lod_http_body body = {.bytes = file->bytes, .read = file->read, .ctx = file->ctx};
    struct lod_remote_exchange exchange = {
        .name = file->name, .method = LOD_HTTP_PUT, .body = &body, .headers = headers};

    if (file->bytes > LOD_UPLOAD_MAX) {
        return refuse(file, -EFBIG, "it is above 5 GiB", why);
    }
    snprintf(content_hash, sizeof(content_hash), CONTENT_HASH_HEADER, file->content_hash);
    int error = lod_sha256_body(upload->sha256, &body, sha256);
    if (error) {
        return refuse(file, error, "the file cannot be read", why);
    }
    body.sha256 = sha256;
    error = send(upload, file, &exchange, why);
    return error == -ESTALE   ? refuse(file, -EEXIST, OTHER_IS_THERE, why)
           : error == -ENOENT ? -EREMOTEIO /* the bucket, not the object */
                              : error;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* See upload.h. */
#include "remote/upload.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/location.h"
#include "remote/multipart.h"
#include "remote/remote_send.h"
#include "remote/sha256.h"

#define CONTENT_HASH_HEADER "x-amz-meta-lodfs: %016" PRIx64
#define CREATE_ONLY         "if-none-match: *"

struct lod_upload {
    struct lod_remote *remote;
    struct lod_sha256 *sha256;
    uint64_t part_bytes;
};

int lod_upload_open(const char *location, const struct lod_store_settings *settings,
                    uint64_t part_bytes, struct lod_upload **ret_upload, struct lod_why *why)
{
    struct lod_upload *upload = calloc(1, sizeof(*upload));
    void *state = NULL;
    int error = upload ? 0 : -ENOMEM;

    if (!error && !lod_location_has_scheme(location, "s3")) {
        error = lod_refuse(why, -EINVAL, "only s3://BUCKET/KEY can be written to");
    }
    error = error ? error : lod_sha256_open(&upload->sha256);
    if (error == -ENOSYS) {
        lod_refuse(why, error, "libcrypto.so.3 cannot be opened; install libssl3");
    }
    error = error ? error : lod_store_s3.open(location, settings, &state, why);
    if (error) {
        lod_upload_close(upload);
        return error;
    }
    upload->remote = state;
    upload->part_bytes = part_bytes;
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
                  struct lod_why *why)
{
    return lod_refuse(why, error, "%s: %s", file->name, sentence);
}

static int send(struct lod_upload *upload, const struct lod_upload_file *file,
                struct lod_remote_exchange *exchange, struct lod_why *why)
{
    int error = lod_remote_send(upload->remote, exchange);

    return error ? refuse(file, error, exchange->why, why) : 0;
}

/* ---------------------------------------------------------------------------------- looking */

#define OTHER_IS_THERE                                                                             \
    "another object has this name, of another store or of another program; remove it, or push to " \
    "another key"

/* Returns whether an object has `bytes` bytes and the hash of the file. */
static bool has(const struct lod_http_answer *answer, const struct lod_upload_file *file,
                uint64_t bytes)
{
    char content_hash[17];

    snprintf(content_hash, sizeof(content_hash), "%016" PRIx64, file->content_hash);
    return answer->has_length && answer->length == bytes &&
           strcmp(answer->content_hash, content_hash) == 0;
}

/* To users who may not list the bucket, S3 answers 403 for a missing object. That counts as
 * missing: if an object is there after all, creating it fails. */
int lod_upload_stat(struct lod_upload *upload, const struct lod_upload_file *file,
                    struct lod_why *why)
{
    struct lod_remote_exchange exchange = {.name = file->name, .method = LOD_HTTP_HEAD};

    int error = send(upload, file, &exchange, why);
    if (error) {
        return error == -EACCES && exchange.verdict == LOD_HTTP_DENIED ? -ENOENT : error;
    }
    return has(&exchange.answer, file, file->bytes) ? 0
           : has(&exchange.answer, file, 0)         ? -ENOENT /* a claim */
                                                    : refuse(file, -EEXIST, OTHER_IS_THERE, why);
}

/* Returns whether the object is a claim of this file, and nothing else. */
static bool is_claimed(struct lod_upload *upload, const struct lod_upload_file *file)
{
    struct lod_remote_exchange exchange = {.name = file->name, .method = LOD_HTTP_HEAD};

    return lod_remote_send(upload->remote, &exchange) == 0 && has(&exchange.answer, file, 0);
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
                       struct lod_why *why)
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

int lod_upload_find_bucket(struct lod_upload *upload, const struct lod_upload_file *file,
                           struct lod_why *why)
{
    uint8_t text[4096];
    struct lod_remote_exchange exchange = {
        .name = file->name, .method = LOD_HTTP_GET, .into = text, .room = sizeof(text)};
    const int error = lod_remote_send(upload->remote, &exchange);

    return error == -ENOENT && strcmp(exchange.answer.code, "NoSuchBucket") == 0
               ? refuse(file, -EREMOTEIO, exchange.why, why)
               : -ENOENT;
}

/* ---------------------------------------------------------------------------------- creating */

/* Creates the object with the first `bytes` bytes of the file. */
static int put(struct lod_upload *upload, const struct lod_upload_file *file, uint64_t bytes,
               const char *const *headers, struct lod_why *why)
{
    char sha256[LOD_SHA256_HEX + 1] = "";
    struct lod_http_body body = {.bytes = bytes, .read = file->read, .ctx = file->ctx};
    struct lod_remote_exchange exchange = {
        .name = file->name, .method = LOD_HTTP_PUT, .body = &body, .headers = headers};

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

/* Replaces a claim of this file by its contents. */
static int fill(struct lod_upload *upload, const struct lod_upload_file *file,
                const char *const *headers, struct lod_why *why)
{
    const struct lod_multipart multipart = {.remote = upload->remote,
                                            .sha256 = upload->sha256,
                                            .file = file,
                                            .part_bytes = upload->part_bytes,
                                            .headers = headers};
    struct lod_why unused;
    int error = lod_multipart_send(&multipart, why);

    if (error == -ENOENT) { /* perhaps it is complete, and the answer was lost */
        error = lod_upload_stat(upload, file, &unused) == 0 ? 0 : -EREMOTEIO;
    }
    return error;
}

/* A large object begins as a claim: an empty object with the hash of its contents. */
int lod_upload_create(struct lod_upload *upload, const struct lod_upload_file *file,
                      struct lod_why *why)
{
    char content_hash[40];
    const char *const headers[] = {content_hash, CREATE_ONLY, NULL};
    const char *const unconditional[] = {content_hash, NULL};
    bool large = file->bytes / LOD_UPLOAD_PARTS_FROM > upload->part_bytes;

    snprintf(content_hash, sizeof(content_hash), CONTENT_HASH_HEADER, file->content_hash);
    int error = put(upload, file, large ? 0 : file->bytes, headers, why);
    if (error == -EEXIST && is_claimed(upload, file)) { /* by an earlier push */
        large = true;
        error = 0;
    }
    return error || !large ? error : fill(upload, file, unconditional, why);
}

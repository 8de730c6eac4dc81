/* SPDX-License-Identifier: Apache-2.0 */
/* See multipart.h. Parts are sent one after the other; a push has several objects in flight. */
#include "remote/multipart.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "remote/remote_send.h"

#define PARTS_MAX      10000u /* of an object: the limit of S3 */
#define ROUND_BYTES    (1ull << 20)
#define ID_MAX         3072u /* of an upload's ID, encoded */
#define ANSWER_BYTES   (64u << 10)
#define LISTING_BYTES  (1u << 20)
#define LISTING_QUERY  "max-uploads=100&prefix="
#define LISTINGS_MAX   10u
#define COMPLETE_TRIES 3u
#define ENDED                                                                                      \
    "the upload was ended, by another push or by a rule of the bucket; run the same command again"

struct sending {
    const struct lod_multipart *multipart;
    char id[ID_MAX + 1]; /* percent-encoded */
    FILE *list;          /* the parts sent so far, for the last request */
    char *list_text;
    size_t list_bytes;
    struct lod_why *why;
};

static int refuse(struct sending *sending, int error, const char *sentence)
{
    return lod_refuse(sending->why, error, "%s: %s", sending->multipart->file->name, sentence);
}

/* ---------------------------------------------------------------------------------- requests */

/* Sends a request about the object, with the hash of its body if there is one. `room` is that of
 * the answer, which `*ret_text` gets as a text if it is not NULL; the caller frees it. */
static int ask(struct sending *sending, struct lod_remote_exchange *exchange,
               struct lod_http_body *body, size_t room, char **ret_text)
{
    char sha256[LOD_SHA256_HEX + 1] = "";

    int error = body ? lod_sha256_body(sending->multipart->sha256, body, sha256) : 0;
    if (error) {
        return refuse(sending, error, "the file cannot be read");
    }
    if (body) {
        body->sha256 = sha256;
    }
    char *text = malloc(room + 1);
    exchange->name = sending->multipart->file->name;
    exchange->body = body;
    exchange->into = (uint8_t *)text;
    exchange->room = room;
    error = text ? lod_remote_send(sending->multipart->remote, exchange) : -ENOMEM;
    if (error) {
        error = refuse(sending, error, text ? exchange->why : "out of memory");
    } else {
        text[exchange->got] = '\0';
    }
    if (ret_text && !error) {
        *ret_text = text;
    } else {
        free(text);
    }
    return error;
}

/* Finds the next <UploadId> of a document, and encodes it. Returns the rest of the document, or
 * NULL if there is none that fits. */
static const char *take_id(const char *text, char id[ID_MAX + 1])
{
    static const char tag[] = "<UploadId>";
    const char *from = strstr(text, tag);

    from = from ? from + strlen(tag) : "";
    const size_t bytes = strcspn(from, "<");
    id[0] = '\0';
    return bytes && lod_url_encode(from, bytes, "", id, ID_MAX + 1) == 0 ? from + bytes : NULL;
}

/* ---------------------------------------------------------------------------------- bodies */

struct slice {
    const struct lod_upload_file *file;
    uint64_t start;
};

static int read_slice(void *ctx, uint64_t offset, void *into, size_t bytes)
{
    const struct slice *slice = ctx;

    return slice->file->read(slice->file->ctx, slice->start + offset, into, bytes);
}

static int read_text(void *ctx, uint64_t offset, void *into, size_t bytes)
{
    memcpy(into, (const char *)ctx + offset, bytes);
    return 0;
}

/* ---------------------------------------------------------------------------------- steps */

static int begin(struct sending *sending)
{
    struct lod_http_body nothing = {.read = read_text};
    struct lod_remote_exchange exchange = {
        .query = "uploads=", .method = LOD_HTTP_POST, .headers = sending->multipart->headers};
    char *text = NULL;

    int error = ask(sending, &exchange, &nothing, ANSWER_BYTES, &text);
    if (!error && !take_id(text, sending->id)) {
        sending->id[0] = '\0';
        error = refuse(sending, -EREMOTEIO, "the server gives no ID for an upload in parts");
    }
    free(text);
    return error;
}

/* Ends an upload of this object: an ID of another object is unknown under this name. */
static int end(struct sending *sending, const char *id)
{
    struct lod_remote_exchange exchange = {.method = LOD_HTTP_DELETE};
    char query[sizeof("uploadId=") + ID_MAX];

    snprintf(query, sizeof(query), "uploadId=%s", id);
    exchange.query = query;
    return ask(sending, &exchange, NULL, ANSWER_BYTES, NULL);
}

/* Lists the unfinished uploads of this object, and of those whose names begin with its name. Where
 * the server does not list them, or not for this user, they stay. */
static int list(struct sending *sending, char **ret_text)
{
    struct lod_remote *remote = sending->multipart->remote;
    struct lod_remote_exchange exchange = {.method = LOD_HTTP_GET, .of_bucket = true};
    char key[LOD_URL_BYTES], query[LOD_REMOTE_QUERY_BYTES] = LISTING_QUERY;

    pthread_mutex_lock(&remote->lock);
    snprintf(key, sizeof(key), "%s/%s", remote->site.base + remote->site.bucket_bytes,
             sending->multipart->file->name);
    pthread_mutex_unlock(&remote->lock);
    /* The key is encoded already but for its slashes, and begins with one that is no part of it. */
    if (lod_url_encode(key + 1, strlen(key + 1), "%", query, sizeof(query) - sizeof("&uploads="))) {
        return refuse(sending, -ENAMETOOLONG, "the URL is too long");
    }
    strcat(query, "&uploads=");
    exchange.query = query;
    int error = ask(sending, &exchange, NULL, LISTING_BYTES, ret_text);
    return error == -EINTR || error == -ENOMEM ? error : 0;
}

/* Ends the listed uploads but this one. Adds to `*count` how many were ended. */
static int end_listed(struct sending *sending, const char *text, unsigned *count)
{
    char id[ID_MAX + 1];
    int error = 0;

    while (!error && (text = take_id(text, id))) {
        if (strcmp(id, sending->id) != 0) {
            error = end(sending, id);
            *count += !error;
            error = error == -ENOENT || error == -EACCES ? 0 : error;
        }
    }
    return error;
}

/* One listing may not have all, so another one follows if any was ended. */
static int end_others(struct sending *sending)
{
    unsigned count = 1;
    int error = 0;

    for (unsigned i = 0; !error && count && i < LISTINGS_MAX; i++) {
        char *text = NULL;
        count = 0;
        error = list(sending, &text);
        error = error || !text ? error : end_listed(sending, text, &count);
        free(text);
    }
    return error;
}

static int send_part(struct sending *sending, unsigned number, uint64_t start, uint64_t bytes)
{
    const struct lod_multipart *multipart = sending->multipart;
    struct slice slice = {multipart->file, start};
    char query[ID_MAX + 64];
    struct lod_http_body body = {.bytes = bytes, .read = read_slice, .ctx = &slice};
    struct lod_remote_exchange exchange = {.query = query, .method = LOD_HTTP_PUT};

    if (lod_remote_is_over(multipart->remote)) {
        return refuse(sending, -EINTR, "stopped");
    }
    snprintf(query, sizeof(query), "partNumber=%u&uploadId=%s", number, sending->id);
    int error = ask(sending, &exchange, &body, ANSWER_BYTES, NULL);
    if (error) {
        return error == -ENOENT ? refuse(sending, -EREMOTEIO, ENDED) : error;
    }
    if (!exchange.answer.etag[0] || strpbrk(exchange.answer.etag, "<&")) {
        return refuse(sending, -EREMOTEIO, "the server gives no ETag for a part");
    }
    fprintf(sending->list, "<Part><PartNumber>%u</PartNumber><ETag>%s</ETag></Part>", number,
            exchange.answer.etag);
    return 0;
}

uint64_t lod_multipart_step(uint64_t bytes, uint64_t part_bytes)
{
    const uint64_t least = bytes / PARTS_MAX;

    return part_bytes > least ? part_bytes : (least / ROUND_BYTES + 1) * ROUND_BYTES;
}

static int send_parts(struct sending *sending)
{
    const uint64_t bytes = sending->multipart->file->bytes;
    const uint64_t step = lod_multipart_step(bytes, sending->multipart->part_bytes);
    unsigned number = 1;
    int error = 0;

    fprintf(sending->list, "<CompleteMultipartUpload>");
    for (uint64_t at = 0; !error && at < bytes; at += step) {
        error = send_part(sending, number++, at, bytes - at < step ? bytes - at : step);
    }
    fprintf(sending->list, "</CompleteMultipartUpload>");
    if (fflush(sending->list) && !error) {
        error = refuse(sending, -ENOMEM, "out of memory");
    }
    return error;
}

/* The server may answer 200 and then write an error, or the answer to an earlier try was lost. */
static int complete(struct sending *sending)
{
    struct lod_http_body body = {
        .bytes = sending->list_bytes, .read = read_text, .ctx = sending->list_text};
    char query[ID_MAX + 64];
    struct lod_remote_exchange exchange = {.query = query, .method = LOD_HTTP_POST};
    bool done = false;

    snprintf(query, sizeof(query), "uploadId=%s", sending->id);
    int error = 0;
    for (unsigned i = 0; !error && !done && i < COMPLETE_TRIES; i++) {
        char *text = NULL;
        error = ask(sending, &exchange, &body, ANSWER_BYTES, &text);
        done = !error && strstr(text, "<CompleteMultipartUploadResult");
        free(text);
    }
    return error || done ? error : -ENOENT;
}

/* ---------------------------------------------------------------------------------- the whole */

static int run(struct sending *sending)
{
    int error = begin(sending);

    error = error ? error : end_others(sending);
    error = error ? error : send_parts(sending);
    error = error ? error : complete(sending);
    return error == -ENOENT ? refuse(sending, -ENOENT, ENDED) : error;
}

int lod_multipart_send(const struct lod_multipart *multipart, struct lod_why *why)
{
    struct sending *sending = calloc(1, sizeof(*sending));
    struct lod_why unused;

    if (!sending) {
        return -ENOMEM;
    }
    sending->multipart = multipart;
    sending->why = why;
    sending->list = open_memstream(&sending->list_text, &sending->list_bytes);
    int error = sending->list ? run(sending) : refuse(sending, -ENOMEM, "out of memory");
    if (error && sending->id[0]) {
        sending->why = &unused; /* the first error is told */
        (void)end(sending, sending->id);
    }
    if (sending->list) {
        (void)fclose(sending->list);
    }
    free(sending->list_text);
    free(sending);
    return error;
}

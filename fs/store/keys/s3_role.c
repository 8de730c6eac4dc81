/* SPDX-License-Identifier: Apache-2.0 */
/* See s3_role.h. */
#include "keys/s3_role.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "backend/file_io.h"
#include "clock.h"
#include "http/http_lane.h"
#include "http/url.h"
#include "keys/s3_key_text.h"

#define ANSWER_NS       (5 * LOD_SECOND_NS)
#define CHECK_NS        (LOD_SECOND_NS / 5)
#define CONTAINER       "http://169.254.170.2"
#define INSTANCE        "http://169.254.169.254"
#define ROLE_PATH       "/latest/meta-data/iam/security-credentials/"
#define ROLE_MAX        128u /* IAM allows 64 characters */
#define TOKEN_MAX       2048u
#define HEADER_MAX      (TOKEN_MAX + 64u)
#define ROLE_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+=,.@_-"

/* A conversation with one service. */
struct service {
    const struct lod_s3_wait *wait;
    const char *name; /* for messages */
    char base[LOD_URL_BYTES];
    struct lod_http_settings http;
    struct lod_http_lane *lane;
    struct lod_why *why;
    char text[LOD_S3_KEY_TEXT_MAX + 1]; /* the last answer */
    size_t bytes;
};

static int refuse(struct service *service, int error, const char *sentence)
{
    return lod_refuse(service->why, error, "the %s %s", service->name, sentence);
}

/* ---------------------------------------------------------------------------------- asking */

static void await(struct service *service, struct lod_http_request *request)
{
    const uint64_t end = lod_clock_ns() + ANSWER_NS;

    while (!request->over) {
        lod_http_lane_wait(service->lane, lod_clock_ns() + CHECK_NS);
        const bool stopped = lod_s3_wait_is_over(service->wait);
        if (!request->over && (stopped || lod_clock_ns() > end)) {
            lod_http_lane_cancel(service->lane, request, stopped ? -EINTR : -ETIMEDOUT);
        }
    }
}

/* Sends a request to the service and puts the document of the answer into service->text. `header`
 * is empty, or "NAME: VALUE". */
static int ask(struct service *service, enum lod_http_method method, const char *path,
               const char *header)
{
    static const struct lod_http_body empty = {0};
    const char *const headers[] = {header[0] ? header : NULL, NULL};
    char url[2 * LOD_URL_BYTES], text[200];
    struct lod_http_request request = {.url = url,
                                       .method = method,
                                       .headers = headers,
                                       .body = method == LOD_HTTP_PUT ? &empty : NULL,
                                       .into = (uint8_t *)service->text,
                                       .room = sizeof(service->text) - 1};

    snprintf(url, sizeof(url), "%s%s", service->base, path);
    int error = lod_http_lane_start(service->lane, &request);
    if (error) {
        return refuse(service, error, "cannot be asked: out of memory");
    }
    await(service, &request);
    service->bytes = request.verdict == LOD_HTTP_RIGHT && !request.error ? request.got : 0;
    service->text[service->bytes] = '\0';
    if (request.error) {
        return refuse(service, request.error,
                      request.error == -ETIMEDOUT ? "does not answer in time"
                                                  : "cannot be reached");
    }
    if (request.verdict != LOD_HTTP_RIGHT) {
        snprintf(text, sizeof(text), "answers with HTTP %u", request.answer.status);
        return refuse(service, request.verdict == LOD_HTTP_MISSING ? -ENXIO : -EACCES, text);
    }
    return 0;
}

static int take_keys(struct service *service, struct lod_s3_keys *keys)
{
    struct lod_why why = {.text = ""};
    int error = lod_s3_key_text_take(service->text, service->bytes, false, keys, &why);

    return error
               ? refuse(service, -EACCES, why.text[0] ? why.text : "cannot be read: out of memory")
               : 0;
}

static int open_service(struct service *service)
{
    int error = lod_http_lane_create(&service->http, &service->lane);

    return error ? refuse(service, error, "cannot be asked: there is no libcurl.so.4") : 0;
}

static void close_service(struct service *service)
{
    lod_http_lane_destroy(service->lane);
    explicit_bzero(service->text, sizeof(service->text));
}

/* ---------------------------------------------------------------------------------- container */

/* The header by which the container's service knows the container; it may be in a file. */
static int authorization(struct service *service, char header[HEADER_MAX])
{
    const char *file = getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
    const char *given = getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN");
    char token[TOKEN_MAX + 1] = "";

    if (file) {
        const int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        const ssize_t got = fd < 0 ? -1 : read(fd, token, TOKEN_MAX);
        lod_file_close(fd);
        if (got < 0) {
            return refuse(service, -EACCES,
                          "needs AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE, which cannot be read");
        }
        token[got] = '\0';
    } else if (given) {
        snprintf(token, sizeof(token), "%s", given);
    }
    token[strcspn(token, "\r\n")] = '\0';
    header[0] = '\0';
    if (token[0]) {
        snprintf(header, HEADER_MAX, "Authorization: %s", token);
    }
    explicit_bzero(token, sizeof(token));
    return 0;
}

static int name_container(struct service *service, const char *relative, const char *full)
{
    struct lod_url url = {0};
    struct lod_why why = {.text = ""};

    service->name = "container's role service";
    if (relative) {
        snprintf(service->base, sizeof(service->base), CONTAINER "%s%s",
                 relative[0] == '/' ? "" : "/", relative);
    } else {
        snprintf(service->base, sizeof(service->base), "%s", full);
    }
    service->http = (struct lod_http_settings){
        .direct = true, .https = strncasecmp(service->base, "https://", 8) == 0};
    if ((!service->http.https && strncasecmp(service->base, "http://", 7) != 0) ||
        lod_url_take(service->base, &url, &why) ||
        (!service->http.https && !lod_url_is_near(&url))) {
        return refuse(service, -EINVAL,
                      "has no usable URL in AWS_CONTAINER_CREDENTIALS_FULL_URI: https, or http to "
                      "this machine");
    }
    return 0;
}

static int read_container(struct service *service, const char *relative, const char *full,
                          struct lod_s3_keys *keys)
{
    char header[HEADER_MAX];
    int error = name_container(service, relative, full);

    error = error ? error : authorization(service, header);
    error = error ? error : open_service(service);
    if (!error) {
        error = ask(service, LOD_HTTP_GET, "", header);
        error = error ? error : take_keys(service, keys);
        explicit_bzero(header, sizeof(header));
    }
    close_service(service);
    return error;
}

/* ---------------------------------------------------------------------------------- instance */

/* The token that all other requests carry. No answer, or a refusal: there is no such service. */
static int take_token(struct service *service, char header[HEADER_MAX])
{
    int error =
        ask(service, LOD_HTTP_PUT, "/latest/api/token", "X-aws-ec2-metadata-token-ttl-seconds: 60");

    if (error && error != -ENOMEM && error != -EINTR) {
        return -ENOENT;
    }
    if (!error && (service->bytes > TOKEN_MAX || !lod_s3_key_is_plain(service->text))) {
        error = refuse(service, -EACCES, "gives no token");
    }
    snprintf(header, HEADER_MAX, "X-aws-ec2-metadata-token: %.*s", (int)TOKEN_MAX, service->text);
    return error;
}

static int take_role(struct service *service, const char *header, char path[])
{
    int error = ask(service, LOD_HTTP_GET, ROLE_PATH, header);

    if (error) {
        return error == -ENXIO ? refuse(service, -EACCES, "has no role for this instance") : error;
    }
    service->text[strcspn(service->text, "\r\n")] = '\0';
    const size_t bytes = strlen(service->text);
    if (!bytes || bytes > ROLE_MAX || strspn(service->text, ROLE_CHARACTERS) != bytes) {
        return refuse(service, -EACCES, "has no role for this instance");
    }
    snprintf(path, sizeof(ROLE_PATH) + ROLE_MAX, ROLE_PATH "%.*s", (int)ROLE_MAX, service->text);
    return 0;
}

static int read_instance(struct service *service, struct lod_s3_keys *keys)
{
    const char *given = getenv("AWS_EC2_METADATA_SERVICE_ENDPOINT");
    const char *disabled = getenv("AWS_EC2_METADATA_DISABLED");
    char header[HEADER_MAX], path[sizeof(ROLE_PATH) + ROLE_MAX];

    if (disabled && strcasecmp(disabled, "true") == 0) {
        return -ENOENT;
    }
    service->name = "instance's role service";
    service->http.direct = true;
    snprintf(service->base, sizeof(service->base), "%s", given && given[0] ? given : INSTANCE);
    size_t bytes = strlen(service->base);
    if (service->base[bytes - 1] == '/') {
        service->base[bytes - 1] = '\0';
    }
    int error = open_service(service);
    error = error ? error : take_token(service, header);
    error = error ? error : take_role(service, header, path);
    error = error ? error : ask(service, LOD_HTTP_GET, path, header);
    error = error ? error : take_keys(service, keys);
    close_service(service);
    explicit_bzero(header, sizeof(header));
    return error;
}

int lod_s3_role_read(const struct lod_s3_wait *wait, struct lod_s3_keys *keys, struct lod_why *why)
{
    const char *relative = getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    const char *full = getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI");
    struct service *service = calloc(1, sizeof(*service));

    if (!service) {
        return -ENOMEM;
    }
    service->wait = wait;
    service->why = why;
    int error = relative || full ? read_container(service, relative, full, keys)
                                 : read_instance(service, keys);
    free(service);
    return error;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See http_setup.h. HTTP/1.1: S3 speaks nothing else, and HTTP/2 would put all loads on one TCP
 * connection. libcurl signs the headers that are added here.
 */
#include "http/http_setup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"

#define CONNECT_MS      5000L
#define CONNECT_NEAR_MS 1000L
#define REDIRECTS_MAX   4L
#define RECEIVE_BYTES   (512L << 10) /* 530 ms of processor time a GB; 970 with curl's 16 KiB */
#define SEND_BYTES      (512L << 10)
/* SHA-256 of an empty body. */
#define EMPTY_SHA256 "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

/* ---------------------------------------------------------------------------------- callbacks */

static size_t on_header(char *line, size_t size, size_t bytes, void *ctx)
{
    struct lod_http_request *request = ctx;

    (void)size; /* always 1 */
    return lod_http_answer_line(&request->answer, line, bytes) ? bytes : 0;
}

enum lod_http_verdict lod_http_request_judge(const struct lod_http_request *request)
{
    return request->method == LOD_HTTP_RANGE
               ? lod_http_answer_judge(&request->answer, &request->range)
               : lod_http_answer_judge_whole(&request->answer);
}

static size_t room_of(const struct lod_http_request *request)
{
    return request->method == LOD_HTTP_RANGE
               ? (size_t)(request->range.last - request->range.first + 1)
               : request->room;
}

/* Ends the transfer if more arrives than was requested, or something else than the range. curl then
 * reports an error. */
static size_t on_body(char *data, size_t size, size_t bytes, void *ctx)
{
    struct lod_http_request *request = ctx;

    (void)size;
    if (!request->first_ns) {
        request->first_ns = lod_clock_ns();
        request->verdict = lod_http_request_judge(request);
    }
    if (request->verdict == LOD_HTTP_RIGHT) {
        if (bytes > room_of(request) - request->got) {
            request->verdict = LOD_HTTP_BROKEN;
            return 0;
        }
        memcpy(request->into + request->got, data, bytes);
        request->got += bytes;
        return bytes;
    }
    const size_t left = sizeof(request->text) - request->text_bytes;
    const size_t take = bytes < left ? bytes : left;
    memcpy(request->text + request->text_bytes, data, take);
    request->text_bytes += take;
    return request->answer.status >= 300 && take == bytes ? bytes : 0;
}

static int on_sent(void *ctx, char *to, char *from, int to_port, int from_port)
{
    struct lod_http_request *request = ctx;

    (void)to;
    (void)from;
    (void)to_port;
    (void)from_port;
    request->sent_ns = lod_clock_ns();
    return CURL_PREREQFUNC_OK;
}

static size_t on_read(char *into, size_t size, size_t room, void *ctx)
{
    struct lod_http_request *request = ctx;
    const uint64_t left = request->body->bytes - request->put;
    const size_t bytes = size * room < left ? size * room : (size_t)left;

    request->put_error =
        bytes ? request->body->read(request->body->ctx, request->put, into, bytes) : 0;
    if (request->put_error) {
        return CURL_READFUNC_ABORT;
    }
    request->put += bytes;
    return bytes;
}

/* Called if the connection had been closed while it was idle: the body is sent again from its
 * start. */
static int on_seek(void *ctx, curl_off_t offset, int origin)
{
    struct lod_http_request *request = ctx;

    if (origin != SEEK_SET || offset < 0 || (uint64_t)offset > request->body->bytes) {
        return CURL_SEEKFUNC_FAIL;
    }
    request->put = (uint64_t)offset;
    return CURL_SEEKFUNC_OK;
}

/* ---------------------------------------------------------------------------------- headers */

/* Names are in lower case: libcurl 7.88.1 sorts the lines that it signs before it lowers them. */

static int add_line(const struct lod_curl_api *curl, struct curl_slist **headers, const char *line)
{
    struct curl_slist *more = curl->curl_slist_append(*headers, line);

    *headers = more ? more : *headers;
    return more ? 0 : -ENOMEM;
}

static int add_header(const struct lod_curl_api *curl, struct curl_slist **headers,
                      const char *name, const char *value)
{
    char line[sizeof(((struct lod_http_keys *)0)->token) + 64];

    snprintf(line, sizeof(line), "%s: %s", name, value);
    int error = add_line(curl, headers, line);
    explicit_bzero(line, sizeof(line));
    return error;
}

static int add_headers(const struct lod_curl_api *curl, const struct lod_http_request *request,
                       struct curl_slist **headers)
{
    const char *sha256 =
        request->body && request->body->sha256 ? request->body->sha256 : EMPTY_SHA256;
    int error = 0;

    if (!error && request->method == LOD_HTTP_RANGE && request->range.etag[0]) {
        error = add_header(curl, headers, "if-match", request->range.etag);
    }
    if (!error && request->keys && request->keys->provider[0]) {
        error = add_header(curl, headers, "x-amz-content-sha256", sha256);
        if (!error && request->keys->token[0]) {
            error = add_header(curl, headers, "x-amz-security-token", request->keys->token);
        }
    }
    for (unsigned i = 0; !error && request->headers && request->headers[i]; i++) {
        error = add_line(curl, headers, request->headers[i]);
    }
    return error;
}

/* ---------------------------------------------------------------------------------- options */

/* Sets an option by the short form of its name. */
#define SET(option, value)                                                                         \
    error = error ? error : curl->curl_easy_setopt(easy, CURLOPT_##option, value)

static int set_connection(const struct lod_curl_api *curl, const struct lod_http_settings *settings,
                          CURL *easy)
{
    CURLcode error = CURLE_OK;

    SET(PROTOCOLS_STR, settings->https ? "https" : "http");
    SET(REDIR_PROTOCOLS_STR, settings->https ? "https" : "http,https");
    SET(FOLLOWLOCATION, settings->redirects ? 1L : 0L);
    SET(MAXREDIRS, REDIRECTS_MAX);
    SET(HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    SET(CONNECTTIMEOUT_MS, settings->direct ? CONNECT_NEAR_MS : CONNECT_MS);
    SET(NOSIGNAL, 1L);
    SET(PATH_AS_IS, 1L);
    SET(BUFFERSIZE, RECEIVE_BYTES);
    SET(USERAGENT, "lodfs/" LODFS_VERSION);
    if (settings->direct) {
        SET(PROXY, "");
    }
    if (settings->ca_file) {
        SET(CAINFO, settings->ca_file);
        SET(CAPATH, NULL);
    }
    if (settings->netrc_file) {
        SET(NETRC, (long)CURL_NETRC_OPTIONAL);
        SET(NETRC_FILE, settings->netrc_file);
    }
    return error ? -ENOMEM : 0;
}

static CURLcode set_body(const struct lod_curl_api *curl, CURL *easy,
                         struct lod_http_request *request)
{
    CURLcode error = CURLE_OK;

    SET(UPLOAD, 1L);
    SET(INFILESIZE_LARGE, (curl_off_t)request->body->bytes);
    SET(UPLOAD_BUFFERSIZE, SEND_BYTES);
    SET(READFUNCTION, on_read);
    SET(READDATA, request);
    SET(SEEKFUNCTION, on_seek);
    SET(SEEKDATA, request);
    return error;
}

static CURLcode set_method(const struct lod_curl_api *curl, CURL *easy,
                           struct lod_http_request *request)
{
    CURLcode error = CURLE_OK;
    char range[64];

    switch (request->method) {
    case LOD_HTTP_RANGE:
        snprintf(range, sizeof(range), "%llu-%llu", (unsigned long long)request->range.first,
                 (unsigned long long)request->range.last);
        SET(RANGE, range);
        break;
    case LOD_HTTP_GET:
        break;
    case LOD_HTTP_HEAD:
        SET(NOBODY, 1L);
        break;
    case LOD_HTTP_DELETE:
        SET(CUSTOMREQUEST, "DELETE");
        break;
    case LOD_HTTP_POST:
        SET(CUSTOMREQUEST, "POST");
        return error ? error : set_body(curl, easy, request);
    case LOD_HTTP_PUT:
        return set_body(curl, easy, request);
    }
    return error;
}

int lod_http_setup(const struct lod_curl_api *curl, const struct lod_http_settings *settings,
                   CURL *easy, struct lod_http_request *request, struct curl_slist **ret_headers)
{
    const struct lod_http_keys *keys = request->keys;

    if (add_headers(curl, request, ret_headers) || set_connection(curl, settings, easy)) {
        return -ENOMEM;
    }
    CURLcode error = set_method(curl, easy, request);
    SET(URL, request->url);
    SET(HTTPHEADER, *ret_headers);
    SET(HEADERFUNCTION, on_header);
    SET(HEADERDATA, request);
    SET(WRITEFUNCTION, on_body);
    SET(WRITEDATA, request);
    SET(PREREQFUNCTION, on_sent);
    SET(PREREQDATA, request);
    if (keys && keys->provider[0]) {
        SET(AWS_SIGV4, keys->provider);
        SET(USERNAME, keys->id);
        SET(PASSWORD, keys->secret);
    }
    return error ? -ENOMEM : 0;
}

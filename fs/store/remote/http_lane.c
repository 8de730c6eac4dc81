/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One CURLM and its easy handles. HTTP/1.1: S3 speaks nothing else, and HTTP/2 would put all loads
 * on one TCP connection. A thread that writes to a closed connection would get SIGPIPE, so the
 * signal is blocked in it meanwhile.
 */
#include "remote/http_lane.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "remote/curl_api.h"

#define CONNECT_MS       5000L
#define REDIRECTS_MAX    4L
#define RECEIVE_BYTES    (512L << 10) /* 530 ms of processor time a GB; 970 with curl's 16 KiB */
#define CONNECTIONS_KEPT 12L
#define MS_NS            1000000ull
/* SHA-256 of an empty body, which every GET has. */
#define EMPTY_SHA256 "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

struct exchange {
    CURL *easy;
    struct curl_slist *headers;
    struct lod_http_request *request; /* NULL: idle */
    char failure[CURL_ERROR_SIZE];
};

struct lod_http_lane {
    const struct lod_curl_api *curl;
    const struct lod_http_way *way;
    CURLM *multi;
    struct exchange exchanges[LOD_HTTP_LANE_MAX];
};

/* ---------------------------------------------------------------------------------- SIGPIPE */

struct held_signal {
    sigset_t before;
    bool pending; /* before, for another reason */
};

static void hold_sigpipe(struct held_signal *held)
{
    sigset_t pipe, pending;

    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    held->pending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe, &held->before);
}

static void release_sigpipe(const struct held_signal *held)
{
    const struct timespec now = {0};
    sigset_t pipe;

    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    while (!held->pending && sigtimedwait(&pipe, NULL, &now) == SIGPIPE) {
    }
    pthread_sigmask(SIG_SETMASK, &held->before, NULL);
}

/* ---------------------------------------------------------------------------------- callbacks */

static size_t on_header(char *line, size_t size, size_t bytes, void *ctx)
{
    struct lod_http_request *request = ctx;

    (void)size; /* always 1 */
    return lod_http_answer_line(&request->answer, line, bytes) ? bytes : 0;
}

/* More than was asked for, or anything but the range, ends the transfer: curl calls it an error. */
static size_t on_body(char *data, size_t size, size_t bytes, void *ctx)
{
    struct lod_http_request *request = ctx;
    const size_t room = (size_t)(request->asked.last - request->asked.first + 1) - request->got;

    (void)size;
    if (!request->first_ns) {
        request->first_ns = lod_clock_ns();
        request->verdict = lod_http_answer_judge(&request->answer, &request->asked);
    }
    if (request->verdict == LOD_HTTP_RIGHT) {
        if (bytes > room) {
            request->verdict = LOD_HTTP_BROKEN;
            return 0;
        }
        memcpy(request->into + request->got, data, bytes);
        request->got += bytes;
        return bytes;
    }
    const size_t left = sizeof(request->body) - request->body_bytes;
    const size_t take = bytes < left ? bytes : left;
    memcpy(request->body + request->body_bytes, data, take);
    request->body_bytes += take;
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

/* ---------------------------------------------------------------------------------- options */

static int add_header(struct lod_http_lane *lane, struct exchange *exchange, const char *name,
                      const char *value)
{
    char line[sizeof(((struct lod_http_keys *)0)->token) + 64];

    snprintf(line, sizeof(line), "%s: %s", name, value);
    struct curl_slist *more = lane->curl->curl_slist_append(exchange->headers, line);
    memset(line, 0, sizeof(line));
    if (!more) {
        return -ENOMEM;
    }
    exchange->headers = more;
    return 0;
}

static int add_headers(struct lod_http_lane *lane, struct exchange *exchange)
{
    const struct lod_http_request *request = exchange->request;
    int error = 0;

    if (request->asked.etag[0]) {
        error = add_header(lane, exchange, "If-Match", request->asked.etag);
    }
    if (!error && request->keys && request->keys->provider[0]) {
        error = add_header(lane, exchange, "x-amz-content-sha256", EMPTY_SHA256);
        if (!error && request->keys->token[0]) {
            error = add_header(lane, exchange, "x-amz-security-token", request->keys->token);
        }
    }
    return error;
}

/* Names of the options, shorter. */
#define SET(option, value)                                                                         \
    error = error ? error : lane->curl->curl_easy_setopt(easy, CURLOPT_##option, value)

static int set_way(struct lod_http_lane *lane, CURL *easy)
{
    const struct lod_http_way *way = lane->way;
    CURLcode error = CURLE_OK;

    SET(PROTOCOLS_STR, way->https ? "https" : "http");
    SET(REDIR_PROTOCOLS_STR, way->https ? "https" : "http,https");
    SET(FOLLOWLOCATION, way->redirects ? 1L : 0L);
    SET(MAXREDIRS, REDIRECTS_MAX);
    SET(HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    SET(CONNECTTIMEOUT_MS, CONNECT_MS);
    SET(NOSIGNAL, 1L);
    SET(PATH_AS_IS, 1L);
    SET(BUFFERSIZE, RECEIVE_BYTES);
    SET(USERAGENT, "lodfs/" LODFS_VERSION);
    if (way->ca_file) {
        SET(CAINFO, way->ca_file);
        SET(CAPATH, NULL);
    }
    if (way->netrc_file) {
        SET(NETRC, (long)CURL_NETRC_OPTIONAL);
        SET(NETRC_FILE, way->netrc_file);
    }
    return error ? -ENOMEM : 0;
}

static int set_request(struct lod_http_lane *lane, struct exchange *exchange)
{
    struct lod_http_request *request = exchange->request;
    const struct lod_http_keys *keys = request->keys;
    CURL *easy = exchange->easy;
    CURLcode error = CURLE_OK;
    char range[64];

    snprintf(range, sizeof(range), "%llu-%llu", (unsigned long long)request->asked.first,
             (unsigned long long)request->asked.last);
    SET(URL, request->url);
    SET(RANGE, range);
    SET(HTTPHEADER, exchange->headers);
    SET(HEADERFUNCTION, on_header);
    SET(HEADERDATA, request);
    SET(WRITEFUNCTION, on_body);
    SET(WRITEDATA, request);
    SET(PREREQFUNCTION, on_sent);
    SET(PREREQDATA, request);
    SET(PRIVATE, (void *)exchange);
    SET(ERRORBUFFER, exchange->failure);
    if (keys && keys->provider[0]) {
        SET(AWS_SIGV4, keys->provider);
        SET(USERNAME, keys->id);
        SET(PASSWORD, keys->secret);
    }
    return error ? -ENOMEM : 0;
}

/* ---------------------------------------------------------------------------------- the end of one
 */

static const struct {
    CURLcode code;
    int error;
    bool certificate;
} failures[] = {
    {CURLE_OK, 0, false},
    {CURLE_COULDNT_RESOLVE_HOST, -EHOSTUNREACH, false},
    {CURLE_COULDNT_RESOLVE_PROXY, -EHOSTUNREACH, false},
    {CURLE_COULDNT_CONNECT, -ECONNREFUSED, false},
    {CURLE_OPERATION_TIMEDOUT, -ETIMEDOUT, false},
    {CURLE_PEER_FAILED_VERIFICATION, -EPROTO, true},
    {CURLE_SSL_CACERT_BADFILE, -EPROTO, true},
    {CURLE_SSL_CONNECT_ERROR, -ECONNRESET, false},
    {CURLE_TOO_MANY_REDIRECTS, -ELOOP, false},
    {CURLE_UNSUPPORTED_PROTOCOL, -ELOOP, false}, /* a redirect from https to http */
    {CURLE_OUT_OF_MEMORY, -ENOMEM, false},
};

static void release(struct lod_http_lane *lane, struct exchange *exchange)
{
    lane->curl->curl_multi_remove_handle(lane->multi, exchange->easy);
    lane->curl->curl_easy_reset(exchange->easy); /* forgets the keys; connections stay */
    lane->curl->curl_slist_free_all(exchange->headers);
    exchange->headers = NULL;
    exchange->request->over = true;
    exchange->request = NULL;
}

/* Errors that our callbacks made are the answer's. */
static void take_result(struct lod_http_lane *lane, struct exchange *exchange, CURLcode code)
{
    struct lod_http_request *request = exchange->request;
    const bool ours = code == CURLE_WRITE_ERROR;
    unsigned i = 0;
    long connects = 0;

    while (i < sizeof(failures) / sizeof(failures[0]) && failures[i].code != code) {
        i++;
    }
    const bool known = i < sizeof(failures) / sizeof(failures[0]);
    request->error = ours ? 0 : known ? failures[i].error : -ECONNRESET;
    request->certificate = !ours && known && failures[i].certificate;
    lane->curl->curl_easy_getinfo(exchange->easy, CURLINFO_NUM_CONNECTS, &connects);
    request->connected = connects > 0;
    if (request->error) {
        snprintf(request->why, sizeof(request->why), "%s",
                 exchange->failure[0] ? exchange->failure : lane->curl->curl_easy_strerror(code));
        return;
    }
    lod_http_answer_body(&request->answer, request->body, request->body_bytes);
    if (request->verdict != LOD_HTTP_BROKEN || !request->first_ns) {
        request->verdict = lod_http_answer_judge(&request->answer, &request->asked);
    }
    if (request->answer.header_bytes > LOD_HTTP_HEADERS_MAX) {
        request->verdict = LOD_HTTP_BROKEN;
    }
}

/* Returns whether any has. */
static bool take_ended(struct lod_http_lane *lane)
{
    struct exchange *exchange = NULL;
    bool any = false;
    int left = 0;

    for (CURLMsg *message; (message = lane->curl->curl_multi_info_read(lane->multi, &left));) {
        if (message->msg == CURLMSG_DONE) {
            const CURLcode code = message->data.result;
            lane->curl->curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &exchange);
            take_result(lane, exchange, code);
            release(lane, exchange);
            any = true;
        }
    }
    return any;
}

/* ---------------------------------------------------------------------------------- calls */

int lod_http_lane_start(struct lod_http_lane *lane, struct lod_http_request *request)
{
    struct exchange *exchange = lane->exchanges;

    while (exchange->request) {
        exchange++;
    }
    if (!exchange->easy && !(exchange->easy = lane->curl->curl_easy_init())) {
        return -ENOMEM;
    }
    exchange->request = request;
    exchange->failure[0] = '\0';
    request->place = (unsigned)(exchange - lane->exchanges);
    request->began_ns = lod_clock_ns();
    int error = add_headers(lane, exchange);
    error = error ? error : set_way(lane, exchange->easy);
    error = error ? error : set_request(lane, exchange);
    if (!error && lane->curl->curl_multi_add_handle(lane->multi, exchange->easy) != CURLM_OK) {
        error = -ENOMEM;
    }
    if (error) {
        release(lane, exchange);
        request->over = false;
    }
    return error;
}

void lod_http_lane_wait(struct lod_http_lane *lane, uint64_t until_ns)
{
    const uint64_t now = lod_clock_ns();
    const uint64_t ms = until_ns > now ? (until_ns - now + MS_NS - 1) / MS_NS : 0;
    struct held_signal held;
    int running = 0;

    hold_sigpipe(&held);
    lane->curl->curl_multi_perform(lane->multi, &running);
    if (!take_ended(lane)) {
        lane->curl->curl_multi_poll(lane->multi, NULL, 0, ms < 1000 ? (int)ms : 1000, NULL);
        lane->curl->curl_multi_perform(lane->multi, &running);
        (void)take_ended(lane);
    }
    release_sigpipe(&held);
}

void lod_http_lane_cancel(struct lod_http_lane *lane, struct lod_http_request *request, int error)
{
    struct held_signal held;

    hold_sigpipe(&held); /* TLS says goodbye */
    request->error = error;
    snprintf(request->why, sizeof(request->why), "%s",
             error == -ETIMEDOUT ? "the server does not answer in time" : "stopped");
    release(lane, &lane->exchanges[request->place]);
    release_sigpipe(&held);
}

void lod_http_lane_wake(struct lod_http_lane *lane)
{
    lane->curl->curl_multi_wakeup(lane->multi);
}

int lod_http_lane_create(const struct lod_http_way *way, struct lod_http_lane **ret_lane)
{
    const struct lod_curl_api *curl = lod_curl_api();
    struct lod_http_lane *lane = curl ? calloc(1, sizeof(*lane)) : NULL;

    if (!lane) {
        return curl ? -ENOMEM : -ENOSYS;
    }
    lane->curl = curl;
    lane->way = way;
    lane->multi = curl->curl_multi_init();
    if (!lane->multi) {
        free(lane);
        return -ENOMEM;
    }
    curl->curl_multi_setopt(lane->multi, CURLMOPT_MAXCONNECTS, CONNECTIONS_KEPT);
    *ret_lane = lane;
    return 0;
}

struct lod_http_lane *lod_http_lane_destroy(struct lod_http_lane *lane)
{
    struct held_signal held;

    if (!lane) {
        return NULL;
    }
    hold_sigpipe(&held);
    for (unsigned i = 0; i < LOD_HTTP_LANE_MAX; i++) {
        struct exchange *exchange = &lane->exchanges[i];
        if (exchange->request) {
            release(lane, exchange);
        }
        if (exchange->easy) {
            lane->curl->curl_easy_cleanup(exchange->easy);
        }
    }
    lane->curl->curl_multi_cleanup(lane->multi);
    release_sigpipe(&held);
    free(lane);
    return NULL;
}

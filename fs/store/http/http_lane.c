/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One CURLM and its easy handles. A thread that writes to a closed connection would get SIGPIPE, so
 * the signal is blocked in it meanwhile.
 */
#include "http/http_lane.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "http/curl_api.h"
#include "http/http_setup.h"

#define CONNECTIONS_KEPT 12L
#define MS_NS            1000000ull

struct exchange {
    CURL *easy;
    struct curl_slist *headers;
    struct lod_http_request *request; /* NULL: idle */
    char failure[CURL_ERROR_SIZE];
};

struct lod_http_lane {
    const struct lod_curl_api *curl;
    const struct lod_http_settings *settings;
    CURLM *multi;
    struct exchange exchanges[LOD_HTTP_LANE_MAX];
};

/* ---------------------------------------------------------------------------------- SIGPIPE */

struct held_signal {
    sigset_t before;
    bool pending; /* it was pending before this call, for another reason */
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

/* ----------------------------------------------------------------------------- the end of one */

#define CHECK_HOST                                                                                 \
    "; check the name of the host in the URL or endpoint, DNS, and http_proxy or https_proxy"
#define CHECK_PORT                                                                                 \
    "; check host and port in the URL or endpoint, firewall, and http_proxy or https_proxy"
#define CHECK_TRUST "; check the name of the host, or name the certificate to trust with ca_file="

static const struct {
    CURLcode code;
    int error;
    bool certificate;
    const char *advice; /* follows libcurl's sentence */
} failures[] = {
    {CURLE_OK, 0, false, ""},
    {CURLE_COULDNT_RESOLVE_HOST, -EHOSTUNREACH, false, CHECK_HOST},
    {CURLE_COULDNT_RESOLVE_PROXY, -EHOSTUNREACH, false, "; check http_proxy and https_proxy"},
    {CURLE_URL_MALFORMAT, -EHOSTUNREACH, false,
     "; correct it: virtual_host needs an endpoint with a name"},
    {CURLE_COULDNT_CONNECT, -ECONNREFUSED, false, CHECK_PORT},
    {CURLE_OPERATION_TIMEDOUT, -ETIMEDOUT, false, CHECK_PORT},
    {CURLE_PEER_FAILED_VERIFICATION, -EPROTO, true, CHECK_TRUST},
    {CURLE_SSL_CACERT_BADFILE, -EPROTO, true, CHECK_TRUST},
    {CURLE_SSL_CONNECT_ERROR, -ECONNRESET, false, "; a server without TLS needs http://"},
    {CURLE_TOO_MANY_REDIRECTS, -ELOOP, false, ""},
    {CURLE_UNSUPPORTED_PROTOCOL, -ELOOP, false, ""}, /* a redirect from https to http */
    {CURLE_OUT_OF_MEMORY, -ENOMEM, false, ""},
};

/* Forgets the keys; connections stay. A handle whose host was not found keeps a buffer, and libcurl
 * 7.88 then refuses to set its size: a handle with an error is not used again. */
static void release(struct lod_http_lane *lane, struct exchange *exchange)
{
    lane->curl->curl_multi_remove_handle(lane->multi, exchange->easy);
    if (exchange->request->error) {
        lane->curl->curl_easy_cleanup(exchange->easy);
        exchange->easy = NULL;
    } else {
        lane->curl->curl_easy_reset(exchange->easy);
    }
    lane->curl->curl_slist_free_all(exchange->headers);
    exchange->headers = NULL;
    exchange->request->over = true;
    exchange->request = NULL;
}

/* An error that our callbacks caused is reported by the verdict on the answer instead. */
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
    request->error = ours                 ? 0
                     : request->put_error ? request->put_error
                     : known              ? failures[i].error
                                          : -ECONNRESET;
    request->certificate = !ours && known && failures[i].certificate;
    lane->curl->curl_easy_getinfo(exchange->easy, CURLINFO_NUM_CONNECTS, &connects);
    request->connected = connects > 0;
    if (request->error) {
        snprintf(request->why, sizeof(request->why), "%s%s",
                 exchange->failure[0] ? exchange->failure : lane->curl->curl_easy_strerror(code),
                 known ? failures[i].advice : "");
        return;
    }
    lod_http_answer_body(&request->answer, request->text, request->text_bytes);
    if (request->verdict != LOD_HTTP_BROKEN || !request->first_ns) {
        request->verdict = lod_http_request_judge(request);
    }
    if (request->answer.header_bytes > LOD_HTTP_HEADERS_MAX) {
        request->verdict = LOD_HTTP_BROKEN;
    }
}

/* Takes the results of requests that have ended. Returns whether there were any. */
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
    int error =
        lod_http_setup(lane->curl, lane->settings, exchange->easy, request, &exchange->headers);
    lane->curl->curl_easy_setopt(exchange->easy, CURLOPT_PRIVATE, (void *)exchange);
    lane->curl->curl_easy_setopt(exchange->easy, CURLOPT_ERRORBUFFER, exchange->failure);
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

int lod_http_lane_create(const struct lod_http_settings *settings, struct lod_http_lane **ret_lane)
{
    const struct lod_curl_api *curl = lod_curl_api();
    struct lod_http_lane *lane = curl ? calloc(1, sizeof(*lane)) : NULL;

    if (!lane) {
        return curl ? -ENOMEM : -ENOSYS;
    }
    lane->curl = curl;
    lane->settings = settings;
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

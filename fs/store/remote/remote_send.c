/* SPDX-License-Identifier: Apache-2.0 */
/* See remote_send.h. */
#include "remote/remote_send.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "remote/remote_try.h"

#define STALL_NS    (20 * LOD_SECOND_NS) /* without STALL_BYTES more */
#define STALL_BYTES (64u << 10)
#define ANSWER_NS   (120 * LOD_SECOND_NS) /* from the last byte sent to the first of the answer */
#define TRIES_NS    (60 * LOD_SECOND_NS)  /* no retry later than this after the first failure */
#define CHECK_NS    (LOD_SECOND_NS / 4)

struct sending {
    struct lod_remote *remote;
    struct lod_remote_exchange *exchange;
    struct lod_remote_lane *lane;
    struct lod_http_keys keys;
    unsigned keys_count, tries;
    uint64_t deadline_ns; /* of retries; 0: nothing failed yet */
    uint64_t mark_bytes, mark_ns;
    char url[LOD_URL_BYTES + LOD_REMOTE_QUERY_BYTES];
    struct lod_http_request request;
};

static void take_site(struct sending *sending)
{
    const struct lod_remote_exchange *exchange = sending->exchange;
    struct lod_remote *remote = sending->remote;
    const char *query = exchange->query ? exchange->query : "";

    pthread_mutex_lock(&remote->lock);
    sending->keys = remote->site.keys;
    sending->keys_count = remote->keys_count;
    const int base =
        (int)(exchange->of_bucket ? remote->site.bucket_bytes : strlen(remote->site.base));
    snprintf(sending->url, sizeof(sending->url), "%.*s/%s%s%s", base, remote->site.base,
             exchange->of_bucket ? "" : exchange->name, query[0] ? "?" : "", query);
    pthread_mutex_unlock(&remote->lock);
    sending->request = (struct lod_http_request){.url = sending->url,
                                                 .method = exchange->method,
                                                 .keys = &sending->keys,
                                                 .headers = exchange->headers,
                                                 .body = exchange->body,
                                                 .into = exchange->into,
                                                 .room = exchange->room};
}

/* Returns whether the request has made no progress for too long. Bytes in either direction are
 * progress. Once the body is sent, the server may take longer to answer. */
static bool has_timed_out(struct sending *sending, uint64_t now)
{
    const struct lod_http_request *request = &sending->request;
    const uint64_t moved = request->put + request->got;
    const bool sent = !request->body || request->put == request->body->bytes;

    if (!request->sent_ns) {
        return false; /* connecting has a limit of its own */
    }
    if (!sending->mark_ns || moved - sending->mark_bytes >= STALL_BYTES ||
        (sent && sending->mark_bytes != moved)) {
        sending->mark_bytes = moved;
        sending->mark_ns = now;
    }
    return now - sending->mark_ns > (sent ? ANSWER_NS : STALL_NS);
}

static int run_once(struct sending *sending)
{
    struct lod_http_request *request = &sending->request;
    struct lod_http_lane *lane = sending->lane->lane;

    sending->mark_bytes = sending->mark_ns = 0;
    int error = lod_http_lane_start(lane, request);
    while (!error && !request->over) {
        lod_http_lane_wait(lane, lod_clock_ns() + CHECK_NS);
        const bool stopped = lod_remote_is_over(sending->remote);
        if (!request->over && (stopped || has_timed_out(sending, lod_clock_ns()))) {
            lod_http_lane_cancel(lane, request, stopped ? -EINTR : -ETIMEDOUT);
        }
    }
    return error;
}

/* Pauses. The pause ends early when the store is stopped. */
static void wait_until(struct sending *sending, uint64_t until)
{
    for (uint64_t now; (now = lod_clock_ns()) < until && !lod_remote_is_over(sending->remote);) {
        const uint64_t left = until - now < CHECK_NS ? until - now : CHECK_NS;
        const struct timespec pause = {.tv_nsec = (long)left};
        nanosleep(&pause, NULL);
    }
}

/* Answers that are final: they are a result, and no failure of the server. */
static bool is_final(const struct lod_http_request *request)
{
    return !request->error &&
           (request->verdict == LOD_HTTP_RIGHT || request->verdict == LOD_HTTP_MISSING ||
            request->verdict == LOD_HTTP_CHANGED);
}

static bool try_again(struct sending *sending)
{
    sending->deadline_ns = sending->deadline_ns ? sending->deadline_ns : lod_clock_ns() + TRIES_NS;
    const struct lod_remote_try try = {.request = &sending->request,
                                       .tries = sending->tries++,
                                       .keys_count = sending->keys_count,
                                       .deadline_ns = sending->deadline_ns};
    const bool again = lod_remote_try_again(sending->remote, &try);

    if (again) {
        wait_until(sending, lod_clock_ns() + lod_remote_try_pause_ns(sending->remote, &try));
    }
    return again && !lod_remote_is_over(sending->remote);
}

static int run(struct sending *sending)
{
    const struct lod_http_request *request = &sending->request;
    int error;

    lod_remote_renew_early(sending->remote);
    do {
        take_site(sending);
        error = run_once(sending);
        if (error) {
            return error;
        }
        lod_remote_try_count(sending->remote, request);
        if (is_final(request)) {
            pthread_mutex_lock(&sending->remote->lock);
            lod_remote_try_succeed(sending->remote, request);
            pthread_mutex_unlock(&sending->remote->lock);
        }
        lod_remote_try_text(request, sending->exchange->why, sizeof(sending->exchange->why));
    } while (!is_final(request) && try_again(sending));
    return lod_remote_try_error(request);
}

int lod_remote_send(struct lod_remote *remote, struct lod_remote_exchange *exchange)
{
    struct sending *sending = calloc(1, sizeof(*sending));
    int granted = sending ? lod_remote_begin(remote, 1, &sending->lane) : -ENOMEM;

    snprintf(exchange->why, sizeof(exchange->why), "%s",
             granted == -EINTR ? "stopped" : "out of memory");
    if (granted < 0) {
        free(sending);
        return granted;
    }
    sending->remote = remote;
    sending->exchange = exchange;
    int error = run(sending);
    exchange->answer = sending->request.answer;
    exchange->verdict = sending->request.verdict;
    exchange->got = sending->request.got;
    lod_remote_end(remote, sending->lane, (unsigned)granted);
    explicit_bzero(&sending->keys, sizeof(sending->keys));
    free(sending);
    return error;
}

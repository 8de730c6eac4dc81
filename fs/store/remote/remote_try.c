/* SPDX-License-Identifier: Apache-2.0 */
/* See remote_try.h. */
#include "remote/remote_try.h"

#include <errno.h>
#include <stdio.h>

#include "clock.h"

#define TRIES_AT_FIRST 3u /* of a host that never answered */
#define LATENCY_WEIGHT 8u

static const int errors[] = {
    [LOD_HTTP_RIGHT] = 0,
    [LOD_HTTP_BROKEN] = -EIO,
    [LOD_HTTP_BUSY] = -EREMOTEIO,
    [LOD_HTTP_SLOW_DOWN] = -EBUSY,
    [LOD_HTTP_MISSING] = -ENOENT,
    [LOD_HTTP_CHANGED] = -ESTALE,
    [LOD_HTTP_EXPIRED] = -EACCES,
    [LOD_HTTP_DENIED] = -EACCES,
    [LOD_HTTP_MOVED] = -EREMOTEIO,
    [LOD_HTTP_NO_RANGES] = -EREMOTEIO,
    [LOD_HTTP_REFUSED] = -EREMOTEIO,
};

int lod_remote_try_error(const struct lod_http_request *request)
{
    return request->error ? request->error : errors[request->verdict];
}

static enum lod_retry_cause cause_of(const struct lod_http_request *request)
{
    return request->certificate ? LOD_RETRY_CERTIFICATE
           : request->error     ? LOD_RETRY_TRANSPORT
                                : LOD_RETRY_ANSWER;
}

/* Returns whether the request may be sent again. The lock of the store is held. */
static bool may(struct lod_remote *remote, const struct lod_remote_try *try, unsigned most)
{
    const struct lod_http_request *request = try->request;
    const uint64_t now = lod_clock_ns();
    bool is = try->tries < most && !(remote->failing && most > TRIES_AT_FIRST);

    if (is && !request->error && request->verdict == LOD_HTTP_MOVED) {
        is = remote->site.move && remote->site.move(&remote->site, &request->answer);
    }
    return is && now < try->deadline_ns && lod_retry_budget_take(&remote->budget, now);
}

bool lod_remote_try_again(struct lod_remote *remote, const struct lod_remote_try *try)
{
    const struct lod_http_request *request = try->request;
    unsigned most = lod_retry_max(cause_of(request), request->verdict);

    if (request->error == -ENOMEM || request->error == -EINTR || request->error == -ELOOP ||
        request->put_error) {
        return false;
    }
    if (!request->error && request->verdict == LOD_HTTP_EXPIRED &&
        (try->tries >= most || !lod_remote_renew(remote, try->keys_count))) {
        return false;
    }
    pthread_mutex_lock(&remote->lock);
    if (!remote->answered && !try->progressed && most > TRIES_AT_FIRST) {
        most = TRIES_AT_FIRST;
    }
    const bool again = may(remote, try, most);
    remote->failing = remote->failing || (!again && most > TRIES_AT_FIRST);
    remote->stats.retries += again;
    remote->random = remote->random * 1664525u + 1013904223u; /* Numerical Recipes, 7.1 */
    pthread_mutex_unlock(&remote->lock);
    return again;
}

uint64_t lod_remote_try_pause_ns(struct lod_remote *remote, const struct lod_remote_try *try)
{
    pthread_mutex_lock(&remote->lock);
    const uint32_t random = remote->random;
    pthread_mutex_unlock(&remote->lock);
    return lod_retry_pause_ns(try->tries, try->request->answer.retry_after_s, random);
}

void lod_remote_try_count(struct lod_remote *remote, const struct lod_http_request *request)
{
    pthread_mutex_lock(&remote->lock);
    remote->stats.requests[lod_outcome_of(lod_remote_try_error(request))]++;
    remote->stats.connects += request->connected;
    if (!request->error && request->verdict == LOD_HTTP_SLOW_DOWN) {
        lod_hedge_slow_down(&remote->hedge, lod_clock_ns());
    }
    pthread_mutex_unlock(&remote->lock);
}

void lod_remote_try_succeed(struct lod_remote *remote, const struct lod_http_request *request)
{
    const uint64_t from = request->sent_ns ? request->sent_ns : request->began_ns;
    const uint64_t waited = request->first_ns ? request->first_ns - from : 0;

    remote->answered = true;
    remote->failing = false;
    lod_retry_budget_earn(&remote->budget);
    if (waited) {
        lod_hedge_add_wait(&remote->hedge, waited);
        remote->latency_ns =
            remote->latency_ns
                ? remote->latency_ns - remote->latency_ns / LATENCY_WEIGHT + waited / LATENCY_WEIGHT
                : waited;
    }
}

void lod_remote_try_text(const struct lod_http_request *request, char *text, size_t room)
{
    if (request->error) {
        snprintf(text, room, "%s", request->why);
    } else {
        lod_http_answer_text(&request->answer, request->verdict, text, room);
    }
}

int lod_remote_try_note(struct lod_remote *remote, const char *name,
                        const struct lod_http_request *request)
{
    char text[LOD_REMOTE_ERROR_BYTES];

    lod_remote_try_text(request, text, sizeof(text));
    if (request->error != -EINTR) {
        lod_remote_note_error(remote, name, text);
    }
    return lod_remote_try_error(request);
}

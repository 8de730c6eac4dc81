/* SPDX-License-Identifier: Apache-2.0 */
/* See remote_read.h. */
#include "remote/remote_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

#define CALL_MAX       16u                  /* ranges that are looked after at a time */
#define FIRST_BYTE_NS  (2 * LOD_SECOND_NS)  /* or 8 times the latency; doubled at each try */
#define FIRST_BYTE_MAX (10 * LOD_SECOND_NS) /* or 2 times the latency */
#define STALL_NS       (5 * LOD_SECOND_NS)  /* without STALL_BYTES more */
#define STALL_BYTES    (64u << 10)
#define LOOK_NS        (LOD_SECOND_NS / 2) /* between two looks at the clock */
#define TRIES_AT_FIRST 3u                  /* of a host that never answered */
#define LATENCY_WEIGHT 8u

enum state { WAITING, RUNNING, OVER };

/* One range on its way. */
struct transfer {
    struct lod_http_request request;
    struct lod_range *range;
    enum state state;
    size_t done;       /* bytes that are there */
    unsigned tries;    /* that failed */
    int error;         /* of the last of them */
    uint64_t wake_ns;  /* WAITING: not before */
    size_t mark_bytes; /* RUNNING: so many came */
    uint64_t mark_ns;  /* until then */
};

struct call {
    struct lod_remote *remote;
    struct lod_remote_target *target;
    struct lod_remote_lane *lane;
    unsigned granted, running, over, count;
    uint64_t deadline_ns, first_byte_ns;
    bool slowed;
    char url[LOD_URL_BYTES], etag[LOD_HTTP_ETAG_MAX + 1];
    struct lod_http_keys keys;
    unsigned keys_count; /* which of the store's keys these are */
    struct transfer transfers[CALL_MAX];
};

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

/* ---------------------------------------------------------------------------------- sending */

/* Copies the keys and settings that all requests of the call carry. Called again after the site
 * was amended. */
static void take_site(struct call *call)
{
    struct lod_remote *remote = call->remote;

    pthread_mutex_lock(&remote->lock);
    call->keys = remote->site.keys;
    call->keys_count = remote->keys_count;
    memcpy(call->etag, call->target->etag, sizeof(call->etag));
    const uint64_t latency = remote->latency_ns;
    snprintf(call->url, sizeof(call->url), "%.*s/%s",
             (int)(sizeof(call->url) - LOD_OBJECT_NAME_MAX - 2), remote->site.base,
             call->target->name);
    pthread_mutex_unlock(&remote->lock);
    call->first_byte_ns = 8 * latency > FIRST_BYTE_NS ? 8 * latency : FIRST_BYTE_NS;
}

static void end(struct call *call, struct transfer *transfer, int error)
{
    transfer->state = OVER;
    transfer->range->error = error;
    call->over++;
}

static void send_one(struct call *call, struct transfer *transfer)
{
    const struct lod_range *range = transfer->range;

    transfer->request = (struct lod_http_request){
        .url = call->url,
        .asked = {.first = range->offset + transfer->done,
                  .last = range->offset + range->bytes - 1,
                  .total = call->target->total,
                  .etag = call->etag},
        .keys = &call->keys,
        .into = (uint8_t *)range->into + transfer->done,
    };
    int error = lod_http_lane_start(call->lane->lane, &transfer->request);
    if (error) {
        end(call, transfer, error);
        return;
    }
    transfer->state = RUNNING;
    transfer->mark_bytes = 0;
    transfer->mark_ns = 0;
    call->running++;
}

/* Returns when the next pause ends. */
static uint64_t send_due(struct call *call, uint64_t now)
{
    uint64_t next = now + LOOK_NS;

    for (unsigned i = 0; i < call->count; i++) {
        struct transfer *transfer = &call->transfers[i];
        if (transfer->state == WAITING && transfer->wake_ns > now) {
            next = transfer->wake_ns < next ? transfer->wake_ns : next;
        } else if (transfer->state == WAITING && call->running < call->granted) {
            send_one(call, transfer);
        }
    }
    return next;
}

/* ---------------------------------------------------------------------------------- ending */

/* Is what came all that there is? */
static bool is_whole(const struct call *call, const struct transfer *transfer)
{
    const struct lod_range *range = transfer->range;
    const uint64_t total =
        call->target->total ? call->target->total : transfer->request.answer.total;
    const uint64_t bytes = call->target->total || range->bytes < total ? range->bytes : total;

    return transfer->done && transfer->done >= bytes;
}

/* The lock of the store is held. False: another object has answered. */
static bool remember_etag(struct call *call, const struct lod_http_answer *answer)
{
    char *etag = call->target->etag;

    if (!etag[0]) {
        memcpy(etag, answer->etag, sizeof(call->etag));
    }
    return !answer->etag[0] || strcmp(etag, answer->etag) == 0;
}

static int succeed(struct call *call, struct transfer *transfer)
{
    struct lod_remote *remote = call->remote;
    const struct lod_http_request *request = &transfer->request;
    const uint64_t waited =
        request->first_ns - (request->sent_ns ? request->sent_ns : request->began_ns);

    pthread_mutex_lock(&remote->lock);
    const bool same = remember_etag(call, &request->answer);
    remote->answered = true;
    remote->failing = false;
    remote->latency_ns =
        remote->latency_ns
            ? remote->latency_ns - remote->latency_ns / LATENCY_WEIGHT + waited / LATENCY_WEIGHT
            : waited;
    lod_retry_budget_earn(&remote->budget);
    pthread_mutex_unlock(&remote->lock);
    if (!call->target->total) {
        call->target->total = request->answer.total;
    }
    return same ? 0 : -ESTALE;
}

static enum lod_retry_cause cause_of(const struct lod_http_request *request)
{
    return request->certificate ? LOD_RETRY_CERTIFICATE
           : request->error     ? LOD_RETRY_TRANSPORT
                                : LOD_RETRY_ANSWER;
}

/* May the request be sent again? Then the budget has paid for it. */
static bool may_retry(struct call *call, const struct transfer *transfer, uint64_t now)
{
    struct lod_remote *remote = call->remote;
    const struct lod_http_request *request = &transfer->request;
    const enum lod_retry_cause cause = cause_of(request);
    unsigned most = lod_retry_max(cause, request->verdict);

    const bool answered = cause == LOD_RETRY_ANSWER;
    if (answered && request->verdict == LOD_HTTP_EXPIRED &&
        (transfer->tries >= most || !lod_remote_renew(remote, call->keys_count))) {
        return false;
    }
    if (request->error == -ENOMEM || request->error == -EINTR || request->error == -ELOOP) {
        return false;
    }
    pthread_mutex_lock(&remote->lock);
    if (!remote->answered && !transfer->done && most > TRIES_AT_FIRST) {
        most = TRIES_AT_FIRST;
    }
    bool may = transfer->tries < most && !(remote->failing && most > TRIES_AT_FIRST);
    if (may && answered && request->verdict == LOD_HTTP_MOVED) {
        may = remote->site.move && remote->site.move(&remote->site, &request->answer);
    }
    may = may && now < call->deadline_ns && lod_retry_budget_take(&remote->budget, now);
    remote->failing = remote->failing || (!may && most > TRIES_AT_FIRST);
    remote->stats.retries += may;
    remote->random = remote->random * 1664525u + 1013904223u; /* Numerical Recipes, 7.1 */
    pthread_mutex_unlock(&remote->lock);
    return may;
}

/* Keeps the reason for the user. Returns the error. */
static int note(struct call *call, const struct transfer *transfer)
{
    const struct lod_http_request *request = &transfer->request;
    char text[LOD_REMOTE_TROUBLE];

    if (request->error) {
        snprintf(text, sizeof(text), "%s%s", request->why,
                 request->certificate ? "; name the certificate to trust with ca_file=" : "");
    } else {
        lod_http_answer_text(&request->answer, request->verdict, text, sizeof(text));
    }
    if (request->error != -EINTR) {
        lod_remote_note_trouble(call->remote, call->target->name, text);
    }
    return request->error ? request->error : errors[request->verdict];
}

static void count(struct call *call, const struct lod_http_request *request)
{
    const int error = request->error ? request->error : errors[request->verdict];

    pthread_mutex_lock(&call->remote->lock);
    call->remote->stats.requests[lod_outcome_of(error)]++;
    call->remote->stats.connects += request->connected;
    pthread_mutex_unlock(&call->remote->lock);
}

static void settle(struct call *call, struct transfer *transfer)
{
    struct lod_http_request *request = &transfer->request;
    const uint64_t now = lod_clock_ns();

    call->running--;
    if (request->verdict == LOD_HTTP_RIGHT && request->got) {
        transfer->done += request->got;
        transfer->tries = 0;
    }
    const bool whole = request->verdict == LOD_HTTP_RIGHT && is_whole(call, transfer);
    if (!whole && !request->error && request->verdict == LOD_HTTP_RIGHT) {
        request->verdict = LOD_HTTP_BROKEN; /* it ended early, and said nothing of it */
    }
    count(call, request);
    call->slowed = call->slowed || (!request->error && request->verdict == LOD_HTTP_SLOW_DOWN);
    if (whole) {
        end(call, transfer, succeed(call, transfer));
        return;
    }
    transfer->error = note(call, transfer);
    if (may_retry(call, transfer, now)) {
        transfer->wake_ns = now + lod_retry_pause_ns(transfer->tries, request->answer.retry_after_s,
                                                     call->remote->random);
        transfer->tries++;
        transfer->state = WAITING;
        take_site(call);
    } else {
        end(call, transfer, transfer->error);
    }
}

/* ---------------------------------------------------------------------------------- time */

/* Connecting has a limit of its own (http_lane.c). */
static bool is_late(const struct call *call, struct transfer *transfer, uint64_t now)
{
    const struct lod_http_request *request = &transfer->request;
    uint64_t limit = call->first_byte_ns << (transfer->tries < 3 ? transfer->tries : 3);

    if (now >= call->deadline_ns) {
        return true;
    }
    if (!request->first_ns) {
        limit =
            limit < FIRST_BYTE_MAX || call->first_byte_ns > FIRST_BYTE_MAX ? limit : FIRST_BYTE_MAX;
        return request->sent_ns && now - request->sent_ns > limit;
    }
    if (!transfer->mark_ns || request->got - transfer->mark_bytes >= STALL_BYTES) {
        transfer->mark_bytes = request->got;
        transfer->mark_ns = now;
    }
    return now - transfer->mark_ns > STALL_NS;
}

/* A store that failed for so long gets no second request until it answers again. */
static void note_failing(struct call *call, bool stopped)
{
    pthread_mutex_lock(&call->remote->lock);
    call->remote->failing = call->remote->failing || !stopped;
    pthread_mutex_unlock(&call->remote->lock);
}

static void look(struct call *call)
{
    const uint64_t now = lod_clock_ns();
    const bool stopped = lod_remote_is_over(call->remote);

    for (unsigned i = 0; i < call->count; i++) {
        struct transfer *transfer = &call->transfers[i];
        struct lod_http_request *request = &transfer->request;
        if (transfer->state == WAITING && (stopped || now >= call->deadline_ns)) {
            note_failing(call, stopped);
            end(call, transfer, stopped ? -EINTR : transfer->error ? transfer->error : -ETIMEDOUT);
        }
        if (transfer->state != RUNNING) {
            continue;
        }
        if (!request->over && (stopped || is_late(call, transfer, now))) {
            lod_http_lane_cancel(call->lane->lane, request, stopped ? -EINTR : -ETIMEDOUT);
        }
        if (request->over) {
            settle(call, transfer);
        }
    }
}

/* ---------------------------------------------------------------------------------- a call */

static void run(struct call *call)
{
    lod_remote_renew_early(call->remote);
    take_site(call);
    while (call->over < call->count) {
        const uint64_t next = send_due(call, lod_clock_ns());
        if (call->over < call->count) {
            lod_http_lane_wait(call->lane->lane, next);
        }
        look(call);
    }
}

/* The time to the first byte of the request that was answered first. */
static void tell_time(const struct call *call, struct lod_read_time *ret_time)
{
    uint64_t first = 0;

    for (unsigned i = 0; i < call->count; i++) {
        const struct lod_http_request *request = &call->transfers[i].request;
        if (request->first_ns && request->sent_ns && !call->transfers[i].tries) {
            const uint64_t waited = request->first_ns - request->sent_ns;
            first = !first || waited < first ? waited : first;
        }
    }
    ret_time->first_byte_ns = first;
    ret_time->slowed = ret_time->slowed || call->slowed;
}

static void read_some(struct lod_remote *remote, struct lod_remote_target *target,
                      struct lod_range *ranges, unsigned count, struct lod_read_time *ret_time)
{
    struct call *call = calloc(1, sizeof(*call));
    int granted = call ? lod_remote_begin(remote, count, &call->lane) : -ENOMEM;

    if (granted < 0) {
        for (unsigned i = 0; i < count; i++) {
            ranges[i].error = granted;
        }
        free(call);
        return;
    }
    call->remote = remote;
    call->target = target;
    call->granted = (unsigned)granted;
    call->count = count;
    call->deadline_ns = lod_clock_ns() + LOD_REMOTE_DEADLINE_NS;
    for (unsigned i = 0; i < count; i++) {
        call->transfers[i].range = &ranges[i];
    }
    run(call);
    tell_time(call, ret_time);
    lod_remote_end(remote, call->lane, call->granted);
    explicit_bzero(&call->keys, sizeof(call->keys));
    free(call);
}

void lod_remote_read(struct lod_remote *remote, struct lod_remote_target *target,
                     struct lod_range *ranges, unsigned count, struct lod_read_time *ret_time)
{
    for (unsigned from = 0; from < count; from += CALL_MAX) {
        const unsigned left = count - from;
        read_some(remote, target, ranges + from, left < CALL_MAX ? left : CALL_MAX, ret_time);
    }
}

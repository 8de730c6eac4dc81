/* SPDX-License-Identifier: Apache-2.0 */
/* See remote_read.h. */
#include "remote/remote_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "remote/remote_hedge.h"
#include "remote/remote_try.h"

#define FIRST_BYTE_NS  (2 * LOD_SECOND_NS)  /* or 8 times the latency; doubled at each try */
#define FIRST_BYTE_MAX (10 * LOD_SECOND_NS) /* or 2 times the latency */
#define STALL_NS       (5 * LOD_SECOND_NS)  /* without STALL_BYTES more */
#define STALL_BYTES    (64u << 10)
#define CHECK_NS       (LOD_SECOND_NS / 2) /* interval of checks for stalled transfers */

/* ---------------------------------------------------------------------------------- sending */

/* Copies the keys and settings for all requests of this call. It is called again when the keys or
 * the region have changed. */
static void take_site(struct lod_call *call)
{
    struct lod_remote *remote = call->remote;

    pthread_mutex_lock(&remote->lock);
    call->keys = remote->site.keys;
    call->keys_count = remote->keys_count;
    memcpy(call->etag, call->target->etag, sizeof(call->etag));
    const uint64_t latency = remote->latency_ns;
    call->hedge_delay_ns = lod_hedge_delay_ns(&remote->hedge);
    snprintf(call->url, sizeof(call->url), "%.*s/%s",
             (int)(sizeof(call->url) - LOD_OBJECT_NAME_MAX - 2), remote->site.base,
             call->target->name);
    pthread_mutex_unlock(&remote->lock);
    call->first_byte_ns = 8 * latency > FIRST_BYTE_NS ? 8 * latency : FIRST_BYTE_NS;
}

static void end(struct lod_call *call, struct lod_transfer *transfer, int error)
{
    transfer->state = LOD_CALL_OVER;
    transfer->range->error = error;
    call->over++;
}

static void send_one(struct lod_call *call, struct lod_transfer *transfer)
{
    transfer->request = &transfer->both[0];
    transfer->hedge = NULL;
    int error = lod_remote_start(call, transfer, transfer->request);
    if (error) {
        end(call, transfer, error);
        return;
    }
    transfer->state = LOD_CALL_RUNNING;
    transfer->mark_bytes = 0;
    transfer->mark_ns = 0;
}

/* Returns when the next pause ends or the next hedge is due. */
static uint64_t send_due(struct lod_call *call, uint64_t now)
{
    uint64_t next = now + CHECK_NS;

    for (unsigned i = 0; i < call->count; i++) {
        struct lod_transfer *transfer = &call->transfers[i];
        if (transfer->state == LOD_CALL_WAITING && transfer->wake_ns > now) {
            next = transfer->wake_ns < next ? transfer->wake_ns : next;
        } else if (transfer->state == LOD_CALL_WAITING && call->running < call->granted) {
            send_one(call, transfer);
        }
        const uint64_t due = lod_remote_hedge_at(call, transfer, now);
        next = due > now && due < next ? due : next;
    }
    return next;
}

/* ---------------------------------------------------------------------------------- ending */

/* Returns whether all bytes that the range can have were received. */
static bool is_whole(const struct lod_call *call, const struct lod_transfer *transfer)
{
    const struct lod_range *range = transfer->range;
    const uint64_t total =
        call->target->total ? call->target->total : transfer->request->answer.total;
    const uint64_t bytes = call->target->total || range->bytes < total ? range->bytes : total;

    return transfer->done && transfer->done >= bytes;
}

/* The lock of the store is held. False: another object has answered. */
static bool remember_etag(struct lod_call *call, const struct lod_http_answer *answer)
{
    char *etag = call->target->etag;

    if (!etag[0]) {
        memcpy(etag, answer->etag, sizeof(call->etag));
    }
    return !answer->etag[0] || strcmp(etag, answer->etag) == 0;
}

static int succeed(struct lod_call *call, struct lod_transfer *transfer)
{
    const struct lod_http_request *request = transfer->request;

    pthread_mutex_lock(&call->remote->lock);
    const bool same = remember_etag(call, &request->answer);
    lod_remote_try_succeed(call->remote, request);
    pthread_mutex_unlock(&call->remote->lock);
    if (!call->target->total) {
        call->target->total = request->answer.total;
    }
    return same ? 0 : -ESTALE;
}

/* Sends it again after a pause, or ends it. */
static void fail(struct lod_call *call, struct lod_transfer *transfer)
{
    struct lod_remote *remote = call->remote;
    const struct lod_remote_try try = {.request = transfer->request,
                                       .tries = transfer->tries,
                                       .progressed = transfer->done,
                                       .keys_count = call->keys_count,
                                       .deadline_ns = call->deadline_ns};

    transfer->error = lod_remote_try_note(remote, call->target->name, transfer->request);
    if (!lod_remote_try_again(remote, &try)) {
        end(call, transfer, transfer->error);
        return;
    }
    transfer->wake_ns = lod_clock_ns() + lod_remote_try_pause_ns(remote, &try);
    transfer->tries++;
    transfer->state = LOD_CALL_WAITING;
    take_site(call);
}

static void settle(struct lod_call *call, struct lod_transfer *transfer)
{
    struct lod_http_request *request = transfer->request;

    call->running--;
    if (request->verdict == LOD_HTTP_RIGHT && request->got) {
        transfer->done += request->got;
        transfer->tries = 0;
    }
    const bool whole = request->verdict == LOD_HTTP_RIGHT && is_whole(call, transfer);
    if (!whole && !request->error && request->verdict == LOD_HTTP_RIGHT) {
        request->verdict = LOD_HTTP_BROKEN; /* the answer ended early without an error */
    }
    lod_remote_try_count(call->remote, request);
    call->slowed = call->slowed || (!request->error && request->verdict == LOD_HTTP_SLOW_DOWN);
    if (whole) {
        end(call, transfer, succeed(call, transfer));
    } else {
        fail(call, transfer);
    }
}

/* ---------------------------------------------------------------------------------- time */

/* Connecting has a limit of its own (http_lane.c). */
static bool has_timed_out(const struct lod_call *call, struct lod_transfer *transfer, uint64_t now)
{
    const struct lod_http_request *request = transfer->request;
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

/* A store that has failed for this long gets no hedges until it answers again. */
static void note_failing(struct lod_call *call, bool stopped)
{
    pthread_mutex_lock(&call->remote->lock);
    call->remote->failing = call->remote->failing || !stopped;
    pthread_mutex_unlock(&call->remote->lock);
}

static void follow(struct lod_call *call, struct lod_transfer *transfer, uint64_t now, bool stopped)
{
    if (transfer->hedge) {
        lod_remote_choose(call, transfer);
    }
    const uint64_t due = lod_remote_hedge_at(call, transfer, now);
    if (due && due <= now && !stopped) {
        lod_remote_send_hedge(call, transfer);
    }
    struct lod_http_request *request = transfer->request;
    if (!request->over && (stopped || has_timed_out(call, transfer, now))) {
        lod_http_lane_cancel(call->lane->lane, request, stopped ? -EINTR : -ETIMEDOUT);
    }
    if (request->over && transfer->hedge) {
        lod_remote_drop(call, transfer,
                        stopped || now >= call->deadline_ns ? transfer->hedge : request);
    }
    if (transfer->request->over) {
        settle(call, transfer);
    }
}

static void follow_all(struct lod_call *call)
{
    const uint64_t now = lod_clock_ns();
    const bool stopped = lod_remote_is_over(call->remote);

    for (unsigned i = 0; i < call->count; i++) {
        struct lod_transfer *transfer = &call->transfers[i];
        if (transfer->state == LOD_CALL_WAITING && (stopped || now >= call->deadline_ns)) {
            note_failing(call, stopped);
            end(call, transfer, stopped ? -EINTR : transfer->error ? transfer->error : -ETIMEDOUT);
        }
        if (transfer->state == LOD_CALL_RUNNING) {
            follow(call, transfer, now, stopped);
        }
    }
}

/* ---------------------------------------------------------------------------------- a call */

static void run(struct lod_call *call)
{
    lod_remote_renew_early(call->remote);
    take_site(call);
    while (call->over < call->count) {
        const uint64_t next = send_due(call, lod_clock_ns());
        if (call->over < call->count) {
            lod_http_lane_wait(call->lane->lane, next);
        }
        follow_all(call);
    }
}

/* The time to the first byte of the request that was answered first. */
static void report_time(const struct lod_call *call, struct lod_read_time *ret_time)
{
    uint64_t first = 0;

    for (unsigned i = 0; i < call->count; i++) {
        const struct lod_http_request *request = call->transfers[i].request;
        if (request && request->first_ns && request->sent_ns && !call->transfers[i].tries) {
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
    struct lod_call *call = calloc(1, sizeof(*call));
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
    report_time(call, ret_time);
    lod_remote_end(remote, call->lane, call->granted);
    explicit_bzero(&call->keys, sizeof(call->keys));
    free(call);
}

void lod_remote_read(struct lod_remote *remote, struct lod_remote_target *target,
                     struct lod_range *ranges, unsigned count, struct lod_read_time *ret_time)
{
    for (unsigned from = 0; from < count; from += LOD_CALL_RANGES) {
        const unsigned left = count - from;
        read_some(remote, target, ranges + from, left < LOD_CALL_RANGES ? left : LOD_CALL_RANGES,
                  ret_time);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ranges of one call in flight, and the hedges (http_hedge.h) for ranges that are late. Shared
 * by remote_read.c and remote_hedge.c only.
 */
#ifndef LOD_REMOTE_HEDGE_H
#define LOD_REMOTE_HEDGE_H

#include "remote/remote_read.h"

#define LOD_CALL_RANGES 16u /* ranges in flight at a time */

enum lod_call_state { LOD_CALL_WAITING, LOD_CALL_RUNNING, LOD_CALL_OVER };

/* The transfer of one range. */
struct lod_transfer {
    struct lod_http_request *request; /* one of `both` */
    struct lod_http_request *hedge;   /* the other one while it is in flight; else NULL */
    struct lod_http_request both[2];
    struct lod_range *range;
    enum lod_call_state state;
    size_t done;       /* bytes received by earlier requests */
    unsigned tries;    /* failed requests */
    int error;         /* of the last failed request */
    uint64_t wake_ns;  /* LOD_CALL_WAITING: the next request is sent at this time */
    size_t mark_bytes; /* LOD_CALL_RUNNING: bytes received when progress was last checked */
    uint64_t mark_ns;  /* the time of that check */
};

struct lod_call {
    struct lod_remote *remote;
    struct lod_remote_target *target;
    struct lod_remote_lane *lane;
    unsigned granted, running, over, count;
    uint64_t deadline_ns, first_byte_ns, hedge_delay_ns;
    bool slowed;
    char url[LOD_URL_BYTES], etag[LOD_HTTP_ETAG_MAX + 1];
    struct lod_http_keys keys;
    unsigned keys_count; /* which of the store's keys these are */
    struct lod_transfer transfers[LOD_CALL_RANGES];
};

/* Sends a request for the bytes of the range that are still missing. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_remote_start(struct lod_call *call, struct lod_transfer *transfer,
                                    struct lod_http_request *request);

/* Returns the time at which a hedge is due. Returns 0 if the request is answered, if its hedge was
 * sent, or if too few other requests were measured. */
uint64_t lod_remote_hedge_at(const struct lod_call *call, const struct lod_transfer *transfer,
                             uint64_t now);

/* Sends a hedge for the same bytes on another connection, if the store has one left. */
void lod_remote_send_hedge(struct lod_call *call, struct lod_transfer *transfer);

/* Keeps the first of two requests that delivers bytes, and cancels the other. Drops a request that
 * failed. */
void lod_remote_choose(struct lod_call *call, struct lod_transfer *transfer);

/* Drops one of two requests; the other one continues. */
void lod_remote_drop(struct lod_call *call, struct lod_transfer *transfer,
                     struct lod_http_request *loser);

#endif

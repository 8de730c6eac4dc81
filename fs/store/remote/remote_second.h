/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ranges of one call in flight, and the second requests for those that are late. Shared by
 * remote_read.c and remote_second.c only.
 */
#ifndef LOD_REMOTE_SECOND_H
#define LOD_REMOTE_SECOND_H

#include "remote/remote_read.h"

#define LOD_CALL_RANGES 16u /* that are looked after at a time */

enum lod_call_state { LOD_CALL_WAITING, LOD_CALL_RUNNING, LOD_CALL_OVER };

/* One range on its way. */
struct lod_transfer {
    struct lod_http_request *request; /* that counts */
    struct lod_http_request *second;  /* asks the same, since the other is late; NULL: none */
    struct lod_http_request both[2];
    struct lod_range *range;
    enum lod_call_state state;
    size_t done;       /* bytes that are there */
    unsigned tries;    /* that failed */
    int error;         /* of the last of them */
    uint64_t wake_ns;  /* LOD_CALL_WAITING: not before */
    size_t mark_bytes; /* LOD_CALL_RUNNING: so many came */
    uint64_t mark_ns;  /* until then */
};

struct lod_call {
    struct lod_remote *remote;
    struct lod_remote_target *target;
    struct lod_remote_lane *lane;
    unsigned granted, running, over, count;
    uint64_t deadline_ns, first_byte_ns, late_ns;
    bool slowed;
    char url[LOD_URL_BYTES], etag[LOD_HTTP_ETAG_MAX + 1];
    struct lod_http_keys keys;
    unsigned keys_count; /* which of the store's keys these are */
    struct lod_transfer transfers[LOD_CALL_RANGES];
};

/* Sends a request for the bytes of the range that are still missing. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_remote_start(struct lod_call *call, struct lod_transfer *transfer,
                                    struct lod_http_request *request);

/* Returns the time at which the request counts as late. Returns 0 if it is answered, if a second
 * one was sent, or if too few other requests were measured. */
uint64_t lod_remote_late_at(const struct lod_call *call, const struct lod_transfer *transfer,
                            uint64_t now);

/* Sends a second request for the same bytes on another connection, if the store has one left. */
void lod_remote_send_second(struct lod_call *call, struct lod_transfer *transfer);

/* Of two requests for a range, the first that brings bytes is kept and the other one is cancelled.
 * A request that failed is dropped. */
void lod_remote_choose(struct lod_call *call, struct lod_transfer *transfer);

/* Drops one of two requests; the other one continues. */
void lod_remote_drop(struct lod_call *call, struct lod_transfer *transfer,
                     struct lod_http_request *loser);

#endif

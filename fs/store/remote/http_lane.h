/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests in flight side by side, with the connections that they leave open: libcurl behind six
 * functions. A lane is used by one thread at a time. Decides nothing about retries and verdicts.
 */
#ifndef LOD_HTTP_LANE_H
#define LOD_HTTP_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "remote/http_answer.h"
#include "remote/url.h"

#define LOD_HTTP_LANE_MAX 12u /* requests in flight of one lane */

/* How all requests of a store are sent. Strings are borrowed. */
struct lod_http_way {
    const char *ca_file;    /* NULL: the system's certificates */
    const char *netrc_file; /* users and passwords by host; NULL: none */
    bool redirects;         /* are followed, up to four, and never from https to http */
    bool https;             /* the store's URL has this scheme */
};

/* Keys of S3 for one request (AWS Signature Version 4). */
struct lod_http_keys {
    char provider[96]; /* "aws:amz:REGION:s3"; empty: requests are not signed */
    char id[129], secret[257];
    char token[4096]; /* empty: none */
};

struct lod_http_lane;

/* One request for a range. The caller fills the first part and keeps all of it until `over`. */
struct lod_http_request {
    const char *url;
    struct lod_http_asked asked;
    const struct lod_http_keys *keys; /* NULL: not signed */
    uint8_t *into;                    /* room for all that was asked for */

    bool over;
    int error;        /* 0: the server answered. Else see lod_http_lane_wait */
    bool certificate; /* then: TLS refused the server */
    struct lod_http_answer answer;
    enum lod_http_verdict verdict; /* of `answer`; RIGHT: bytes are in `into` */
    size_t got;                    /* of them */
    uint64_t began_ns, sent_ns;    /* 0: still connecting */
    uint64_t first_ns;             /* the first byte came; 0: not yet */
    bool connected;                /* on a new connection */
    char why[256];                 /* of a transport's error */
    char body[LOD_HTTP_ERROR_MAX]; /* of an error's answer */
    size_t body_bytes;
    unsigned place; /* in the lane */
};

/* -ENOMEM. -ENOSYS: there is no libcurl here. */
LOD_MUST_CHECK int lod_http_lane_create(const struct lod_http_way *way,
                                        struct lod_http_lane **ret_lane);
/* Requests in flight are given up, connections closed. */
struct lod_http_lane *lod_http_lane_destroy(struct lod_http_lane *lane);

/* Begins a request: at most LOD_HTTP_LANE_MAX at a time. -ENOMEM. */
LOD_MUST_CHECK int lod_http_lane_start(struct lod_http_lane *lane,
                                       struct lod_http_request *request);

/*
 * Blocks until something happened to a request in flight, or until `until_ns`, or
 * lod_http_lane_wake was called. Requests that ended are `over`, with an error of: 0; -ECONNREFUSED
 * no connection; -EHOSTUNREACH no such host; -ETIMEDOUT; -ECONNRESET the connection broke; -EPROTO
 * no HTTP, or TLS refused the server; -ENOMEM.
 */
void lod_http_lane_wait(struct lod_http_lane *lane, uint64_t until_ns);

/* Gives a request up, whose connection is closed. It is `over` with this error. */
void lod_http_lane_cancel(struct lod_http_lane *lane, struct lod_http_request *request, int error);

/* Ends a wait. Any thread, while the lane exists. */
void lod_http_lane_wake(struct lod_http_lane *lane);

#endif

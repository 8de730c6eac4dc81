/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lane is a set of connections that stay open, with the requests in flight on them: libcurl's
 * multi interface in six functions. One thread at a time uses a lane. It makes no decisions about
 * retries.
 */
#ifndef LOD_HTTP_LANE_H
#define LOD_HTTP_LANE_H

#include <stdint.h>

#include "compiler.h"
#include "http/http_request.h"

#define LOD_HTTP_LANE_MAX 12u /* requests in flight on one lane */

struct lod_http_lane;

/* Returns -ENOMEM, or -ENOSYS without libcurl. */
LOD_MUST_CHECK int lod_http_lane_create(const struct lod_http_settings *settings,
                                        struct lod_http_lane **ret_lane);
/* Cancels the requests in flight and closes all connections. */
struct lod_http_lane *lod_http_lane_destroy(struct lod_http_lane *lane);

/* Begins a request. At most LOD_HTTP_LANE_MAX are in flight. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_http_lane_start(struct lod_http_lane *lane,
                                       struct lod_http_request *request);

/*
 * Blocks until something happened to a request in flight, or until `until_ns`, or
 * lod_http_lane_wake was called. Requests that ended are `over`, with an error of: 0; -ECONNREFUSED
 * no connection; -EHOSTUNREACH no such host; -ETIMEDOUT; -ECONNRESET the connection broke; -EPROTO
 * no HTTP, or TLS refused the server; -ENOMEM; one of the body that was to be sent.
 */
void lod_http_lane_wait(struct lod_http_lane *lane, uint64_t until_ns);

/* Cancels a request and closes its connection. The request is then `over`, with this error. */
void lod_http_lane_cancel(struct lod_http_lane *lane, struct lod_http_request *request, int error);

/* Ends a wait. Any thread, while the lane exists. */
void lod_http_lane_wake(struct lod_http_lane *lane);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Handles a request to a store that has ended: counts it, keeps the reason of a failure, and
 * decides whether to retry. */
#ifndef LOD_REMOTE_TRY_H
#define LOD_REMOTE_TRY_H

#include "remote/remote.h"

/* A request that ended without success. */
struct lod_remote_try {
    const struct lod_http_request *request;
    unsigned tries;       /* number of earlier failures since the last progress */
    bool progressed;      /* an earlier request delivered bytes */
    unsigned keys_count;  /* identifies the keys that signed it: see struct lod_remote */
    uint64_t deadline_ns; /* no retry after this time */
};

/* Returns the result of a request that is over: 0 or a negative errno. */
int lod_remote_try_error(const struct lod_http_request *request);

/* Returns whether the request may be sent again. If so, charges the budget, and reads keys and
 * region again if they were the reason of the failure. */
bool lod_remote_try_again(struct lod_remote *remote, const struct lod_remote_try *try);
/* Returns how long to wait before the next try. */
uint64_t lod_remote_try_pause_ns(struct lod_remote *remote, const struct lod_remote_try *try);

/* Counts a request that is over. */
void lod_remote_try_count(struct lod_remote *remote, const struct lod_http_request *request);
/* Notes that the server answered correctly. The lock of the store is held. */
void lod_remote_try_succeed(struct lod_remote *remote, const struct lod_http_request *request);
/* Keeps the reason of a failure for lod_store_last_error. Returns the error. */
int lod_remote_try_note(struct lod_remote *remote, const char *name,
                        const struct lod_http_request *request);
/* Writes the reason of a failure. */
void lod_remote_try_text(const struct lod_http_request *request, char *text, size_t room);

#endif

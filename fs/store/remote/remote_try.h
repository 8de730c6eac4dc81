/* SPDX-License-Identifier: Apache-2.0 */
/* The end of one request to a store: it is counted, logged if it failed, and repeated where that
 * helps. */
#ifndef LOD_REMOTE_TRY_H
#define LOD_REMOTE_TRY_H

#include "remote/remote.h"

/* A request that ended without success. */
struct lod_remote_try {
    const struct lod_http_request *request;
    unsigned tries;       /* that failed before, since the last progress */
    bool progressed;      /* bytes came before */
    unsigned keys_count;  /* the keys that it was signed with */
    uint64_t deadline_ns; /* no retry after this */
};

/* Returns 0 or a negative errno of a request that is over. */
int lod_remote_try_error(const struct lod_http_request *request);

/* Returns whether the request may be sent again. If so, the budget was charged, and keys and region
 * were read again if they were the reason of the failure. */
bool lod_remote_try_again(struct lod_remote *remote, const struct lod_remote_try *try);
/* Returns how long to wait before the next try. */
uint64_t lod_remote_try_pause_ns(struct lod_remote *remote, const struct lod_remote_try *try);

/* Counts a request that is over. */
void lod_remote_try_count(struct lod_remote *remote, const struct lod_http_request *request);
/* Notes that the server answered correctly. The lock of the store is held. */
void lod_remote_try_succeed(struct lod_remote *remote, const struct lod_http_request *request);
/* Keeps the reason of a failure for the user. Returns its error. */
int lod_remote_try_note(struct lod_remote *remote, const char *name,
                        const struct lod_http_request *request);
/* Writes that reason. */
void lod_remote_try_text(const struct lod_http_request *request, char *text, size_t room);

#endif

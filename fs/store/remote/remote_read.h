/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fetches ranges of one object in parallel: sends requests, measures their time, checks the
 * answers, and retries. If a connection breaks during a body, only the missing rest is requested
 * again. A call ends within LOD_REMOTE_DEADLINE_NS.
 */
#ifndef LOD_REMOTE_READ_H
#define LOD_REMOTE_READ_H

#include "remote/remote.h"

#define LOD_REMOTE_DEADLINE_NS                                                                     \
    (25ull * 1000 * 1000 * 1000) /* below the 30 s that a reader waits for another one */

/* An object as requests see it. */
struct lod_remote_target {
    const char *name;
    uint64_t total;                   /* bytes; 0: not known yet */
    char etag[LOD_HTTP_ETAG_MAX + 1]; /* guarded by the lock of the store; empty: not known */
};

/*
 * Sets the error of each range: -ENOENT no such object; -ESTALE it has changed; -EACCES;
 * -ETIMEDOUT; -EBUSY the server wants fewer requests; -EINTR the store was stopped; -EIO wrong
 * answers; other errors of connections. If `target->total` is 0, there is one range; as much of it
 * is read as the object has, and `total` is set.
 */
void lod_remote_read(struct lod_remote *remote, struct lod_remote_target *target,
                     struct lod_range *ranges, unsigned count, struct lod_read_time *ret_time);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fixed set of worker threads that share one loop over numbered jobs. It is neither a task graph
 * nor a queue of closures: one call runs the jobs 0 .. count-1, started in this order. The result
 * of a job must not depend on the thread that runs it.
 */
#ifndef LOD_POOL_H
#define LOD_POOL_H

#include <stdint.h>

#include "compiler.h"

#define LOD_POOL_THREADS_MAX 256

struct lod_pool;

/*
 * Runs job number `index` of one lod_pool_each call. Returns 0 or a negative errno. All threads
 * share `ctx`.
 */
typedef int (*lod_pool_job)(void *ctx, uint64_t index);

/*
 * Starts `threads` - 1 workers, for 1 .. LOD_POOL_THREADS_MAX threads; the caller of lod_pool_each
 * is the last one. Workers do not survive fork, so create the pool after it. Returns -EINVAL,
 * or -ENOMEM, also if no more threads are allowed.
 */
LOD_MUST_CHECK int lod_pool_create(unsigned threads, struct lod_pool **ret_pool);

/* Stops and joins the workers. Accepts NULL, returns NULL. No lod_pool_each may be running. */
struct lod_pool *lod_pool_destroy(struct lod_pool *pool);

/*
 * Runs job(ctx, 0) .. job(ctx, count - 1) and blocks until all have ended. After a failure no
 * further job starts. Returns the error of the lowest index that failed. Only one call may run at a
 * time.
 */
LOD_MUST_CHECK int lod_pool_each(struct lod_pool *pool, uint64_t count, lod_pool_job job,
                                 void *ctx);

#endif

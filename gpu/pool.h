/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fixed worker threads that share one loop over numbered jobs.
 * Not a task graph and not a queue of closures: the jobs of one call are 0 .. count-1, handed out
 * in order; what a job computes may not depend on which thread runs it.
 */
#ifndef LOD_POOL_H
#define LOD_POOL_H

#include <stdint.h>

#include "compiler.h"

#define LOD_POOL_THREADS_MAX 256

struct lod_pool;

/* Job `index` of one lod_pool_each call: 0 or a negative errno. `ctx` is shared by all threads. */
typedef int (*lod_pool_job)(void *ctx, uint64_t index);

/*
 * Starts `threads` - 1 workers (1 .. LOD_POOL_THREADS_MAX threads; the caller of each is the last
 * one). Workers do not survive fork: create the pool after it. -EINVAL, -ENOMEM, -EAGAIN.
 */
LOD_MUST_CHECK int lod_pool_create(unsigned threads, struct lod_pool **ret_pool);

/* Joins the workers. Accepts NULL, returns NULL. No lod_pool_each may be running. */
struct lod_pool *lod_pool_destroy(struct lod_pool *pool);

/*
 * Runs job(ctx, 0) .. job(ctx, count - 1) and returns when all have ended. After a job fails no
 * further job is started; the error of the lowest failed index is returned. One call at a time.
 */
LOD_MUST_CHECK int lod_pool_each(struct lod_pool *pool, uint64_t count, lod_pool_job job,
                                 void *ctx);

#endif

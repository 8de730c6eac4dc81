/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides whether the disk of a tier is used, by its errors and slow operations. The caller passes
 * the time. It knows no files.
 */
#ifndef LOD_TIER_HEALTH_H
#define LOD_TIER_HEALTH_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define LOD_TIER_ERRORS 5u  /* in LOD_TIER_ERRORS_S seconds are too many */
#define LOD_TIER_INSIDE 64u /* operations at one time */

/*
 * An operation that takes longer shows that the disk hangs. Readers wait for reads. The kernel
 * stops writers for seconds when memory is full of unwritten bytes, and then the disk is sound.
 */
#define LOD_TIER_READ_S  2u
#define LOD_TIER_WRITE_S 20u

#define LOD_TIER_ERRORS_S 60u
#define LOD_TIER_PAST_S   300u /* a bad disk is not used for this time */

struct lod_tier_health {
    pthread_mutex_t lock;               /* guards all below */
    uint64_t due_ns[LOD_TIER_INSIDE];   /* when operations are too slow; 0: no operation */
    uint64_t error_ns[LOD_TIER_ERRORS]; /* a ring; 0: none */
    unsigned errors;
    uint64_t until_ns; /* the disk is not used before this time */
};

void lod_tier_health_init(struct lod_tier_health *health);
void lod_tier_health_finish(struct lod_tier_health *health);

/* Begins an operation that is too slow after `limit_s`. Returns its place for lod_tier_health_end;
 * negative: the disk is bad, or too many operations are inside, so it must not begin. Any thread.
 */
int lod_tier_health_begin(struct lod_tier_health *health, unsigned limit_s, uint64_t now_ns);

/* `failed`: the disk has reported an error. */
void lod_tier_health_end(struct lod_tier_health *health, int place, bool failed, uint64_t now_ns);

bool lod_tier_health_is_bad(struct lod_tier_health *health, uint64_t now_ns);

#endif

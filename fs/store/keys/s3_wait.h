/* SPDX-License-Identifier: Apache-2.0 */
/* A wait for a program or a service that gives keys, which its caller can end. */
#ifndef LOD_S3_WAIT_H
#define LOD_S3_WAIT_H

#include <stdbool.h>

#define LOD_S3_WAIT_SECONDS 20u /* below the 30 s that a reader waits for another one */

struct lod_s3_wait {
    bool (*is_over)(void *ctx); /* called some times a second; NULL: never over */
    void *ctx;
    unsigned seconds; /* how long a program may run */
};

static inline bool lod_s3_wait_is_over(const struct lod_s3_wait *wait)
{
    return wait->is_over && wait->is_over(wait->ctx);
}

#endif

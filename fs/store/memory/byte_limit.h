/* SPDX-License-Identifier: Apache-2.0 */
/* A limit of bytes that several holders share. It never blocks: a holder that gets nothing frees
 * bytes of its own. */
#ifndef LOD_BYTE_LIMIT_H
#define LOD_BYTE_LIMIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct lod_byte_limit {
    atomic_size_t bytes_max; /* may change; below `bytes`, takes fail */
    atomic_size_t bytes;     /* taken */
};

/* Takes `bytes`, or returns false if they are not available. */
bool lod_byte_limit_take(struct lod_byte_limit *limit, size_t bytes);
void lod_byte_limit_release(struct lod_byte_limit *limit, size_t bytes);

#endif

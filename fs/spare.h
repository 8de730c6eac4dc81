/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of made units and of what they are made of, kept for the next ones: pages that the kernel
 * has to give anew take longer than making what stands in them. A few pieces only, of the sizes
 * used last. Not a cache: nobody finds anything in them.
 */
#ifndef LOD_SPARE_H
#define LOD_SPARE_H

#include <pthread.h>
#include <stddef.h>

#include "cache.h"
#include "compiler.h"

/* Kept at most, beside the budget of the cache; a reader and those who make its next units ahead
 * take turns with about as many. */
#define LOD_SPARE_BYTES_MAX (24u << 20)
#define LOD_SPARE_PIECES    8u

/* Less comes from the heap, which keeps it itself. */
#define LOD_SPARE_LEAST (128u << 10)

struct lod_spare {
    pthread_mutex_t lock; /* guards all below */
    void *piece[LOD_SPARE_PIECES];
    unsigned count; /* the one given back last is the last */
    size_t bytes;
};

void lod_spare_init(struct lod_spare *spare);
/* All that was taken has been given back. */
void lod_spare_finish(struct lod_spare *spare);

/* `bytes` bytes at a multiple of 64, as somebody left them; NULL: no memory. `spare` may be NULL.
 */
void *lod_spare_take(struct lod_spare *spare, size_t bytes);
/* Accepts NULL. */
void lod_spare_give(struct lod_spare *spare, void *at);

/* As lod_blob_create; its last reference gives the memory back. */
LOD_MUST_CHECK int lod_spare_blob(struct lod_spare *spare, size_t bytes,
                                  struct lod_blob **ret_blob);

#endif

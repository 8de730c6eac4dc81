/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a reader, shared by reader.c and read.c only. */
#ifndef LOD_READER_STATE_H
#define LOD_READER_STATE_H

#include <stdatomic.h>

#include "frames/frames.h"
#include "memory/buffer_pool.h"
#include "memory/memory_semaphore.h"
#include "read/readahead.h"
#include "read/reader.h"
#include "read/unit_cache.h"

struct lod_reader {
    struct lod_dataset *dataset; /* borrowed */
    struct lod_byte_limit limit; /* of frames and cache together */
    struct lod_frames *frames;
    struct lod_cache *cache;          /* made units */
    struct lod_large_units *large;    /* the large ones, in memory that makers lend */
    struct lod_memory_semaphore work; /* reserved by makers */
    struct lod_buffer_pool pool;      /* memory of made units */
    struct lod_unit_cache_in made;    /* borrows all these */
    struct lod_readahead *ahead;      /* makes units before they are requested */
    atomic_uint_fast64_t reads, failed, bytes;
    atomic_uint_fast64_t once, once_bytes; /* units made beside the cache */
};

#endif

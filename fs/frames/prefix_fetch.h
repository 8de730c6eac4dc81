/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads some groups of a record for all its items, in the order of the file and in as
 * few requests as possible.
 *
 * - Bytes of a shared store stay in the kernel's page cache, where readers find them.
 * - Bytes of other stores become frames in memory. Frames that are there already are not read
 *   again: q5 after q1 reads groups 2 to 5.
 *
 * prefetch_policy.h decides whether a prefix is worth it.
 */
#ifndef LOD_PREFIX_FETCH_H
#define LOD_PREFIX_FETCH_H

#include <stdbool.h>

#include "compiler.h"
#include "framecache/fetch.h"
#include "framecache/frame_pins.h"
#include "frames/prefetch_policy.h"
#include "backend/io_buffer.h"

/* Called after each load; returns false to stop. */
typedef bool (*lod_prefix_fetch_step)(void *ctx);

/*
 * Returns 0 if everything was read, and -EAGAIN if `step` stopped it. On any other error the rest
 * is missing, and readers that fetch those frames alone get the error. The frames are not checked
 * yet. Meanwhile only the caller uses `buffer`. If `pins` is not NULL and the store is not shared,
 * they get the chunks of all these frames, including frames that were in memory before.
 */
LOD_MUST_CHECK int lod_prefix_fetch(struct lod_fetch *fetch, struct lod_io_buffer *buffer,
                                    const struct lod_item *item, struct lod_groups groups,
                                    struct lod_frame_pins *pins, lod_prefix_fetch_step step,
                                    void *ctx);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves frames that a reader fetched to the chunks of listed frames. A pin keeps a whole chunk, and
 * chunks of readers have frames of many records: a list would keep far more memory than its own.
 */
#ifndef LOD_FRAME_MOVE_H
#define LOD_FRAME_MOVE_H

#include "framecache/fetch.h"

/* Moves a frame that is in memory, and not yet in a chunk of LOD_CHUNK_LISTED, to one. Does nothing
 * if it is absent or on its way, or there is no memory. The lock of its shard is not held. */
void lod_frame_move(struct lod_fetch *fetch, struct lod_key key);

#endif

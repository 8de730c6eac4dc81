/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A far store as verify reads it: records in large blocks, which are kept in memory for a while.
 * verify reads each frame twice, first for its hash, then to make the files. With a request for
 * each read, the round trips would take most of its time. Other objects are read as they are asked
 * for. It checks no bytes, and reads nothing ahead.
 */
#ifndef LOD_BLOCK_STORE_H
#define LOD_BLOCK_STORE_H

#include "backend/store.h"
#include "compiler.h"

/* Large enough that a round trip of 20 ms takes about half of a block's time at 125 MB/s. */
#define LOD_BLOCK_STORE_BLOCK (2u << 20)
/* Two threads have a step each (LOD_STEP_BYTES in check.h), so the second read is from memory. */
#define LOD_BLOCK_STORE_BYTES (128u << 20)

/* Wraps `inner`, which belongs to the new store from then on. Returns -ENOMEM. */
LOD_MUST_CHECK int lod_block_store_create(struct lod_store *inner, struct lod_store **ret_store);

#endif

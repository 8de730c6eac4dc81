/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches of a shard at whole bytes, in memory of the caller: what decoding and products run on.
 * The pruned prefix tree is rebuilt here (algorithm 2 of the paper) and every number of the body is
 * checked, so that what runs on a batch needs no checks. For decoders; internal to codecs/toc.
 */
#ifndef LOD_BATCH_READ_H
#define LOD_BATCH_READ_H

#include <stdint.h>

#include "compiler.h"
#include "toc/toc.h"
#include "toc/values.h"

/* Words are written as integers and read as doubles. */
typedef double lod_number __attribute__((may_alias));

/*
 * In a batch of kind TREE, numbers below `nodes` are nodes, and nodes + j is leaf j, one of those
 * of the first layer that the batch has. A node comes after its parent.
 */
struct lod_toc_batch {
    uint32_t rows;
    uint32_t leaves; /* CSR: entries; RAW: elements */
    uint32_t nodes;
    const uint32_t *start;  /* rows + 1: codes of a row; CSR: entries of a row */
    const uint32_t *code;   /* TREE */
    const uint32_t *parent; /* of a node: a node or a leaf */
    const uint32_t *key;    /* of a node: a leaf */
    const uint32_t *column; /* of a leaf or an entry */
    uint64_t *word;         /* of a leaf, an entry or an element; or `number` */
    lod_number *number;
};

/*
 * The shard's table of values and first layer, and space for work on one batch. `first`, `last` and
 * `number` are indexed by code: leaves of the shard, then nodes of the batch.
 */
struct lod_layer_read {
    const struct lod_toc_shard *shard;
    enum lod_words_as as;
    uint64_t *table;
    uint64_t *word;   /* of a leaf */
    uint32_t *first;  /* leaf of the shard that the code's sequence begins with */
    uint32_t *last;   /* column that it ends in */
    uint32_t *number; /* of the code in the batch; LOD_NO_LEAF: the batch had none of it so far */
    uint32_t *used;   /* leaves of the shard, in the order in which the batch has them */
};

#define LOD_NO_LEAF UINT32_MAX

/* Memory handed out from front to back in runs that begin at multiples of 64. */
struct lod_arena {
    uint8_t *at;
    uint64_t left;
};

/*
 * The layer: what every batch needs, then batches one by one. An arena that has the bytes which the
 * two functions below name is never too short. -EILSEQ: malformed.
 */
LOD_MUST_CHECK int lod_layer_read(const struct lod_toc_shard *shard, enum lod_words_as as,
                                  struct lod_arena *arena, struct lod_layer_read *ret_layer);
LOD_MUST_CHECK int lod_batch_read(const struct lod_layer_read *layer, uint32_t batch,
                                  uint64_t body_offset, struct lod_arena *arena,
                                  struct lod_toc_batch *ret_batch);

uint64_t lod_layer_read_bytes(const struct lod_toc_shard *shard);

/* Also gives where the body of the next batch begins. */
uint64_t lod_batch_read_bytes(const struct lod_toc_shard *shard, uint32_t batch,
                              uint64_t *body_offset);

/* `count` values from an array of them that begins at `at`; indexes are checked. */
LOD_MUST_CHECK int lod_layer_values(const struct lod_layer_read *layer, const uint8_t *at,
                                    const uint8_t *end, uint64_t first, uint64_t count,
                                    uint64_t *into);

#define LOD_LAYER_STEP 1024u

#endif

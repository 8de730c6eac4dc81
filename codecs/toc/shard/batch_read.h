/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the batches of a shard into the caller's memory, at whole bytes, for decoding and products.
 * The pruned prefix tree is rebuilt here (algorithm 2 of the paper), and every number of the body
 * is checked, so that later code needs no checks. For decoders; internal to codecs/toc.
 */
#ifndef LOD_BATCH_READ_H
#define LOD_BATCH_READ_H

#include <stdint.h>

#include "compiler.h"
#include "toc/shard/toc.h"
#include "toc/shard/values.h"

/* Words are written as integers and read as doubles. */
typedef double lod_number __attribute__((may_alias));

/*
 * A batch. In kind TREE, numbers below `nodes` are nodes. Number nodes + j is leaf j, counted among
 * the leaves of the first layer that occur in the batch. A node comes after its parent.
 */
struct lod_toc_batch {
    uint32_t rows;
    uint32_t leaves; /* CSR: pairs; RAW: elements */
    uint32_t nodes;
    const uint32_t *start;  /* rows + 1 starts: of a row's codes; CSR: of a row's pairs */
    const uint32_t *code;   /* TREE */
    const uint32_t *parent; /* of each node: a node or a leaf */
    const uint32_t *key;    /* of each node: a leaf */
    const uint32_t *column; /* of each leaf or pair */
    uint64_t *word;         /* of each leaf, pair or element; or see `number` */
    lod_number *number;
};

/*
 * The shard's table of values and first layer, and working memory for one batch. `first`, `last`
 * and `number` are indexed by code: the leaves of the shard, then the nodes of the batch.
 */
struct lod_layer_read {
    const struct lod_toc_shard *shard;
    enum lod_words_as as;
    uint64_t *table;
    uint64_t *word;   /* of each leaf */
    uint32_t *first;  /* the leaf that the code's sequence begins with */
    uint32_t *last;   /* the column that it ends in */
    uint32_t *number; /* of the code in the batch; LOD_NO_LEAF: did not occur so far */
    uint32_t *used;   /* leaves of the shard, in the batch's order */
};

#define LOD_NO_LEAF UINT32_MAX

/* A bump allocator: blocks begin at multiples of 64 bytes. */
struct lod_arena {
    uint8_t *at;
    uint64_t left;
};

/*
 * Reads the first layer, which every batch needs; then batches one by one. An arena of the size
 * that the functions below return is always large enough. Returns -EILSEQ if malformed.
 */
LOD_MUST_CHECK int lod_layer_read(const struct lod_toc_shard *shard, enum lod_words_as as,
                                  struct lod_arena *arena, struct lod_layer_read *ret_layer);
LOD_MUST_CHECK int lod_batch_read(const struct lod_layer_read *layer, uint32_t batch,
                                  uint64_t body_offset, struct lod_arena *arena,
                                  struct lod_toc_batch *ret_batch);

uint64_t lod_layer_read_bytes(const struct lod_toc_shard *shard);

/* Returns the arena's share of a batch, and advances *body_offset to the next batch's body. */
uint64_t lod_batch_read_bytes(const struct lod_toc_shard *shard, uint32_t batch,
                              uint64_t *body_offset);

/*
 * Reads `count` values of an array that begins at `at`, from value `first` on; indexes are checked.
 */
LOD_MUST_CHECK int lod_layer_values(const struct lod_layer_read *layer, const uint8_t *at,
                                    const uint8_t *end, uint64_t first, uint64_t count,
                                    uint64_t *into);

#define LOD_LAYER_STEP 1024u

#endif

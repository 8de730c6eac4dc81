/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums over the items of a store: by codec, and by fidelity as a mount shows them. Filled by pack
 * from what it wrote and by info from the index, so that both say the same.
 */
#ifndef LOD_TALLY_H
#define LOD_TALLY_H

#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdio.h>

#include "codec.h"
#include "compiler.h"

struct lod_tally_codec {
    uint64_t items;
    uint64_t files;                      /* names of them: equal files and hard links count */
    uint64_t source_bytes, stored_bytes; /* of the items, each once */
    uint64_t whole;                      /* items stored whole */
};

struct lod_tally {
    struct lod_tally_codec codecs[LOD_CODECS];
    struct lod_tally_codec all;
    uint64_t shown_bytes;            /* of the source's files, every name counted */
    uint64_t fidelity[LOD_FULL + 1]; /* bytes shown at q1 .. q10, full; [0] unused */
    uint64_t unshrinkable_bytes;     /* of shown_bytes: files that are the same at q1 and full */
    uint64_t no_original;            /* files whose exact bytes cannot be given back */
    uint32_t shards_ahead;           /* shards to come that the last table is made of */
};

/* Adds an item that is `names` files of the source; in the order of numbers. -EILSEQ: malformed. */
LOD_MUST_CHECK int lod_tally_add(struct lod_tally *tally, const struct lod_codec *codec,
                                 const uint8_t row[LOD_ROW_BYTES], uint64_t names);

/* A sentence: what part of the bytes is the same at every fidelity. */
void lod_tally_print_same(const struct lod_tally *tally, FILE *out);

/* Tables for people, and the same as JSON. */
LOD_MUST_CHECK int lod_tally_print_codecs(const struct lod_tally *tally, FILE *out);
LOD_MUST_CHECK int lod_tally_json(const struct lod_tally *tally, cJSON *into);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums over the items of a store: by codec, and by fidelity as a mount shows them. pack fills them
 * from the items it wrote and info from the index, so that both print the same numbers.
 */
#ifndef LOD_STORE_TOTALS_H
#define LOD_STORE_TOTALS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "codec.h"
#include "compiler.h"
#include "json.h"

struct lod_store_totals_codec {
    uint64_t items;
    uint64_t files;                      /* names, equal files and hard links included */
    uint64_t source_bytes, stored_bytes; /* of the items, each counted once */
    uint64_t whole;                      /* items stored whole */
    uint64_t kept;                       /* items that keep their source beside other groups */
    uint64_t fidelity[LOD_FULL + 1];     /* bytes read of the items at q1 .. full; [0] unused */
};

struct lod_store_totals {
    struct lod_store_totals_codec codecs[LOD_CODECS];
    struct lod_store_totals_codec all;
    uint64_t shown_bytes;            /* of the source's files, with every name counted */
    uint64_t fidelity[LOD_FULL + 1]; /* bytes shown at q1 .. q10, full; [0] unused */
    uint64_t unshrinkable_bytes;     /* of shown_bytes: files of the same size at q1 and full */
    uint64_t levels, level_bytes;    /* lossless images with lower fidelities; bytes of those */
    uint64_t levels_bytes_all;       /* stored bytes of these images */
    uint64_t no_original;            /* files whose exact bytes cannot be restored */
    uint32_t shards_ahead;           /* number of shards of the last table still to be added */
};

/* Adds an item that has `names` names in the source. Items come in the order of their numbers.
 * Returns -EILSEQ for a malformed one. */
LOD_MUST_CHECK int lod_store_totals_add(struct lod_store_totals *totals,
                                        const struct lod_codec *codec,
                                        const uint8_t row[LOD_ROW_BYTES], uint64_t names);

/* Returns whether most bytes of the source are those of lossless images. */
bool lod_store_totals_mostly_lossless(const struct lod_store_totals *totals);

/* Prints what lower fidelities of lossless images add; nothing if there are none. */
void lod_store_totals_print_levels(const struct lod_store_totals *totals, FILE *out);

/* Prints a sentence: the share of the bytes that is the same at every fidelity. */
void lod_store_totals_print_same(const struct lod_store_totals *totals, FILE *out);

/* Print the tables as text, and as JSON. */
LOD_MUST_CHECK int lod_store_totals_print_codecs(const struct lod_store_totals *totals, FILE *out);
void lod_store_totals_json(const struct lod_store_totals *totals, struct lod_json *json);

#endif

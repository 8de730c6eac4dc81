/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where an item's file has RecordIO's magic word, at multiples of 4 bytes: the list behind its path
 * entry (FORMAT.md, Magic words). Files of recordio/ have other sizes there, so the index needs the
 * lists of all items that have one. Almost none has.
 */
#ifndef LOD_MAGIC_LIST_H
#define LOD_MAGIC_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"
#include "compiler.h"

#define LOD_MAGIC_WORD 0xced7230au
/* of an item; the list of an item with more of them only says so */
#define LOD_MAGICS_MAX        4096u
#define LOD_MAGICS_RECORD_MAX 131072u      /* of all lists of a record */
#define LOD_MAGIC_FILE_MAX    (1ull << 29) /* a file of these bytes or more has no list */
#define LOD_MAGIC_ENTRY_BYTES 6u
#define LOD_MAGIC_FIDELITIES  0x7ffu  /* q1 .. full */
#define LOD_MAGICS_TOO_MANY   0xffffu /* instead of the count */
/* The most bytes that all lists of a record take: an entry a word, and a count an item. */
#define LOD_MAGIC_LISTS_BYTES (LOD_MAGICS_RECORD_MAX * LOD_MAGIC_ENTRY_BYTES + 2 * 8192u)

struct lod_magic {
    uint32_t word;       /* its position / 4 */
    uint16_t fidelities; /* the fidelities that have the word there: bit f - 1 for q1 .. full */
};

/* A list in memory of its owner. All zero: no words. */
struct lod_magics {
    const uint8_t *at;
    uint32_t count;
    bool too_many;        /* more than the limits, so none are listed */
    struct lod_span list; /* the whole stored list, with its count, for copying it */
};

/* Takes a list. -EILSEQ: it is cut, empty, not ascending, or past a limit. */
LOD_MUST_CHECK int lod_magics_take(struct lod_cursor *c, struct lod_magics *ret_magics);
struct lod_magic lod_magics_at(const struct lod_magics *magics, uint32_t number);

/* Finds the list of a slot among those of its record: the lists of all slots whose row has
 * LOD_ITEM_HAS_MAGIC, in order. -EILSEQ as above. */
LOD_MUST_CHECK int lod_magics_find(const uint8_t *rows, uint32_t slot, struct lod_span lists,
                                   struct lod_magics *ret_magics);

#endif

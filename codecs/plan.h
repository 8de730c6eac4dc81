/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan: the exact size of one virtual file and the pieces it is put together from, known from its
 * index row alone, before any byte is read or made. stat(2) shows this size; read(2) slices it.
 */
#ifndef LOD_PLAN_H
#define LOD_PLAN_H

#include <stdint.h>

#include "compiler.h"

#define LOD_PIECES_MAX    24
#define LOD_PLAN_TEXT_MAX 256

enum lod_piece_kind {
    LOD_PIECE_STORED, /* bytes of the item's segment in `group`, from `offset` */
    LOD_PIECE_MEM,    /* constant bytes at `mem`, which live as long as the program */
    LOD_PIECE_TEXT,   /* bytes of the plan's own `text`, from `offset` */
    LOD_PIECE_MADE,   /* form `form` of what the codec makes of the item, from `offset` */
};

struct lod_piece {
    enum lod_piece_kind kind;
    unsigned group;     /* STORED: 1 .. 12 */
    unsigned form;      /* MADE: the codec's own number, below LOD_FORMS_MAX; see codec.h */
    uint64_t offset;    /* STORED: in the segment; TEXT, MADE: in those bytes */
    const uint8_t *mem; /* MEM */
    uint64_t bytes;     /* never 0 */
};

struct lod_plan {
    uint64_t bytes; /* the size of the file: the sum over the pieces */
    unsigned count;
    struct lod_piece pieces[LOD_PIECES_MAX];
    unsigned text_bytes;
    uint8_t text[LOD_PLAN_TEXT_MAX]; /* what its numbers alone decide: a header, say */
};

/*
 * An empty plan, and a copy of what there is of one: a tenth of the struct, as a rule, and this is
 * done several times a read.
 */
static inline void lod_plan_begin(struct lod_plan *plan)
{
    plan->bytes = 0;
    plan->count = plan->text_bytes = 0;
}
void lod_plan_copy(const struct lod_plan *plan, struct lod_plan *ret_plan);

/* Append a piece; one of 0 bytes is left out. -EOVERFLOW past 2^63 - 1 bytes in all. */
LOD_MUST_CHECK int lod_plan_add_stored(struct lod_plan *plan, unsigned group, uint64_t offset,
                                       uint64_t bytes);
LOD_MUST_CHECK int lod_plan_add_mem(struct lod_plan *plan, const uint8_t *mem, uint64_t bytes);
LOD_MUST_CHECK int lod_plan_add_made(struct lod_plan *plan, unsigned form, uint64_t offset,
                                     uint64_t bytes);

/* The same with a copy of `bytes` bytes at `at`, LOD_PLAN_TEXT_MAX in all. */
LOD_MUST_CHECK int lod_plan_add_text(struct lod_plan *plan, const void *at, unsigned bytes);

/* Bytes of all its MADE pieces of that form. */
uint64_t lod_plan_made_bytes(const struct lod_plan *plan, unsigned form);

/*
 * The part of `plan` that lies in [offset, offset + bytes), clipped to the file's end: an offset at
 * or past the end gives an empty plan. TEXT pieces still mean the text of `plan`.
 */
void lod_plan_cut(const struct lod_plan *plan, uint64_t offset, uint64_t bytes,
                  struct lod_plan *ret_cut);

#endif

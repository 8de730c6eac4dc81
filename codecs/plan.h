/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan: the exact size of one virtual file, and the pieces it consists of. It follows from the
 * item's index row, before any byte is read or made. stat(2) returns this size; read(2) serves a
 * slice of the pieces.
 */
#ifndef LOD_PLAN_H
#define LOD_PLAN_H

#include <stdint.h>

#include "compiler.h"

#define LOD_PIECES_MAX    24
#define LOD_PLAN_TEXT_MAX 256

enum lod_piece_kind {
    LOD_PIECE_STORED, /* stored: bytes of the item's segment in `group`, from `offset` */
    LOD_PIECE_MEM,    /* constant: bytes at `mem`, which live as long as the program */
    LOD_PIECE_TEXT,   /* bytes of the plan's own `text`, from `offset` */
    LOD_PIECE_MADE,   /* made: bytes that the codec computes, of form `form`, from `offset` */
};

struct lod_piece {
    enum lod_piece_kind kind;
    unsigned group;     /* STORED: 1 .. 12 */
    unsigned form;      /* MADE: a number below LOD_FORMS_MAX that the codec chose; see codec.h */
    uint64_t offset;    /* STORED: within the segment; TEXT and MADE: within those bytes */
    const uint8_t *mem; /* for MEM */
    uint64_t bytes;     /* never 0 */
};

struct lod_plan {
    uint64_t bytes; /* the size of the file: the sum over the pieces */
    unsigned count;
    struct lod_piece pieces[LOD_PIECES_MAX];
    unsigned text_bytes;
    uint8_t text[LOD_PLAN_TEXT_MAX]; /* bytes that follow from the row, such as a header */
};

/*
 * Begins an empty plan; copies the used part of a plan, usually a tenth of the struct. A read
 * copies several times.
 */
static inline void lod_plan_begin(struct lod_plan *plan)
{
    plan->bytes = 0;
    plan->count = plan->text_bytes = 0;
}
void lod_plan_copy(const struct lod_plan *plan, struct lod_plan *ret_plan);

/* Append a piece; a piece of 0 bytes is left out. Return -EOVERFLOW above 2^63 - 1 bytes in all. */
LOD_MUST_CHECK int lod_plan_add_stored(struct lod_plan *plan, unsigned group, uint64_t offset,
                                       uint64_t bytes);
LOD_MUST_CHECK int lod_plan_add_mem(struct lod_plan *plan, const uint8_t *mem, uint64_t bytes);
LOD_MUST_CHECK int lod_plan_add_made(struct lod_plan *plan, unsigned form, uint64_t offset,
                                     uint64_t bytes);

/* Appends a copy of `bytes` bytes at `at`; a plan has room for LOD_PLAN_TEXT_MAX in all. */
LOD_MUST_CHECK int lod_plan_add_text(struct lod_plan *plan, const void *at, unsigned bytes);

/* Returns the bytes of all MADE pieces of that form. */
uint64_t lod_plan_made_bytes(const struct lod_plan *plan, unsigned form);

/*
 * Returns the slice [offset, offset + bytes) of `plan`, clipped to the end of the file. An offset
 * at or past the end gives an empty plan. TEXT pieces of the slice refer to the text of `plan`.
 */
void lod_plan_cut(const struct lod_plan *plan, uint64_t offset, uint64_t bytes,
                  struct lod_plan *ret_cut);

#endif

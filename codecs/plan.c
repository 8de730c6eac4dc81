/* SPDX-License-Identifier: Apache-2.0 */
/* Builds and slices plans. No I/O and no allocation: a plan lives on the caller's stack. */
#include "plan.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

void lod_plan_copy(const struct lod_plan *plan, struct lod_plan *ret_plan)
{
    ret_plan->bytes = plan->bytes;
    ret_plan->count = plan->count;
    ret_plan->text_bytes = plan->text_bytes;
    memcpy(ret_plan->pieces, plan->pieces, plan->count * sizeof(plan->pieces[0]));
    memcpy(ret_plan->text, plan->text, plan->text_bytes);
}

static int add(struct lod_plan *plan, struct lod_piece piece)
{
    if (piece.bytes == 0) {
        return 0;
    }
    if (piece.bytes > (uint64_t)INT64_MAX - plan->bytes) {
        return -EOVERFLOW;
    }
    assert(plan->count < LOD_PIECES_MAX);
    plan->pieces[plan->count++] = piece;
    plan->bytes += piece.bytes;
    return 0;
}

int lod_plan_add_stored(struct lod_plan *plan, unsigned group, uint64_t offset, uint64_t bytes)
{
    return add(plan,
               (struct lod_piece){
                   .kind = LOD_PIECE_STORED, .group = group, .offset = offset, .bytes = bytes});
}

int lod_plan_add_mem(struct lod_plan *plan, const uint8_t *mem, uint64_t bytes)
{
    return add(plan, (struct lod_piece){.kind = LOD_PIECE_MEM, .mem = mem, .bytes = bytes});
}

int lod_plan_add_made(struct lod_plan *plan, unsigned form, uint64_t offset, uint64_t bytes)
{
    return add(plan, (struct lod_piece){
                         .kind = LOD_PIECE_MADE, .form = form, .offset = offset, .bytes = bytes});
}

int lod_plan_add_text(struct lod_plan *plan, const void *at, unsigned bytes)
{
    struct lod_piece piece = {.kind = LOD_PIECE_TEXT, .offset = plan->text_bytes, .bytes = bytes};

    assert(bytes <= sizeof(plan->text) - plan->text_bytes);
    int error = add(plan, piece);
    if (!error && bytes) {
        memcpy(plan->text + plan->text_bytes, at, bytes);
        plan->text_bytes += bytes;
    }
    return error;
}

uint64_t lod_plan_made_bytes(const struct lod_plan *plan, unsigned form)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i < plan->count; i++) {
        const struct lod_piece *piece = &plan->pieces[i];
        bytes += piece->kind == LOD_PIECE_MADE && piece->form == form ? piece->bytes : 0;
    }
    return bytes;
}

void lod_plan_cut(const struct lod_plan *plan, uint64_t offset, uint64_t bytes,
                  struct lod_plan *ret_cut)
{
    uint64_t left = offset < plan->bytes ? plan->bytes - offset : 0;

    left = bytes < left ? bytes : left;
    lod_plan_begin(ret_cut);
    ret_cut->bytes = left;
    for (unsigned i = 0; i < plan->count && left; i++) {
        struct lod_piece piece = plan->pieces[i];
        if (offset >= piece.bytes) {
            offset -= piece.bytes;
            continue;
        }
        piece.bytes = piece.bytes - offset < left ? piece.bytes - offset : left;
        if (piece.kind == LOD_PIECE_MEM) {
            piece.mem += offset;
        } else {
            piece.offset += offset;
        }
        ret_cut->pieces[ret_cut->count++] = piece;
        left -= piece.bytes;
        offset = 0;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* See check_inputs.h. */
#include "verify/check_inputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Other steps report frames and records that cannot be read, so such errors become -EBADMSG here.
 */
static int reported(int error)
{
    return error == 0 || lod_check_stops(error) ? error : -EBADMSG;
}

/*
 * Reads the frame that contains byte `*done` of the piece, and copies the piece's part of it. The
 * buffer is as long as the frame, so that AddressSanitizer detects reads past it.
 */
static int read_part(struct lod_record *record, uint32_t slot, const struct lod_piece *piece,
                     uint64_t *done, uint8_t *into)
{
    const uint8_t shift = lod_record_desc_of(record)->frame_shift;
    const uint64_t at = piece->offset + *done, skip = at & ((1ull << shift) - 1);
    const uint64_t bytes = lod_record_frame_bytes(record, slot, piece->group, at >> shift);
    uint8_t *frame = malloc(bytes);
    int error =
        frame ? lod_record_read_frame(record, slot, piece->group, at >> shift, frame) : -ENOMEM;

    if (!error) {
        uint64_t left = piece->bytes - *done, part = bytes - skip < left ? bytes - skip : left;
        memcpy(into + *done, frame + skip, part);
        *done += part;
    }
    free(frame);
    return reported(error);
}

/* Reads [offset, offset + bytes) of a segment. */
static int read_piece(struct lod_record *record, uint32_t slot, const struct lod_piece *piece,
                      uint8_t *into)
{
    int error = 0;

    for (uint64_t done = 0; !error && done < piece->bytes;) {
        error = read_part(record, slot, piece, &done, into);
    }
    return error;
}

static int read_plan(struct lod_record *record, uint32_t slot, struct lod_input *input)
{
    uint8_t *data = malloc(input->plan.bytes + 1);
    int error = data ? 0 : -ENOMEM;

    input->data = (struct lod_span){.at = data, .bytes = input->plan.bytes};
    for (unsigned i = 0; !error && i < input->plan.count; i++) {
        const struct lod_piece *piece = &input->plan.pieces[i];
        if (piece->kind == LOD_PIECE_MEM) {
            memcpy(data, piece->mem, piece->bytes);
        } else if (piece->kind == LOD_PIECE_TEXT) {
            memcpy(data, input->plan.text + piece->offset, piece->bytes);
        } else {
            error = read_piece(record, slot, piece, data);
        }
        data += piece->bytes;
    }
    return error;
}

static int read_segment(struct lod_record *record, uint32_t slot, struct lod_input *input)
{
    const uint64_t bytes = lod_record_segment_bytes(record, slot, input->group);

    memcpy(input->row, lod_record_row(record, slot), sizeof(input->row));
    input->plan = (struct lod_plan){0};
    int error = bytes > LOD_INPUT_OTHER_MAX ? -E2BIG : 0;
    error = error ? error : lod_plan_add_stored(&input->plan, input->group, 0, bytes);
    return error ? -EILSEQ : read_plan(record, slot, input);
}

/* Returns the record of a later item: the current record, the one opened last, or a new one. */
static int open_other(struct lod_check_inputs *from, uint32_t item, struct lod_record **ret_record)
{
    const struct lod_record_desc *own = lod_record_desc_of(from->record);
    struct lod_record_desc recd;

    if (item - own->first_item < own->items) {
        *ret_record = from->record;
        return 0;
    }
    if (!from->in_index) {
        return -EBADMSG; /* without an index the item's record cannot be found */
    }
    int error = lod_index_record_of(from->verify->index, item, &recd);
    if (error) {
        return error == -ENOENT ? -EILSEQ : reported(error);
    }
    if (recd.codec != own->codec) {
        return -EILSEQ;
    }
    if (!from->other || lod_record_desc_of(from->other)->number != recd.number) {
        lod_record_close(from->other);
        from->other = NULL;
        error = lod_record_open(from->verify->store, &recd, &from->other);
    }
    *ret_record = from->other;
    return reported(error);
}

static int read_ahead(struct lod_check_inputs *from, uint32_t slot, struct lod_input *input)
{
    const struct lod_record_desc *own = lod_record_desc_of(from->record);
    const uint32_t first = own->first_item + slot; /* below the count of items */
    struct lod_record *record = NULL;

    if (input->ahead < 1 || input->ahead > UINT32_MAX - first) {
        return -EILSEQ;
    }
    const uint32_t item = first + input->ahead;
    if (!from->kept.data.at || from->kept_item != item || from->kept.group != input->group) {
        int error = open_other(from, item, &record);
        free((void *)(uintptr_t)from->kept.data.at);
        from->kept = (struct lod_input){.group = input->group};
        from->kept_item = item;
        error = error ? error
                      : read_segment(record, item - lod_record_desc_of(record)->first_item,
                                     &from->kept);
        if (error) {
            free((void *)(uintptr_t)from->kept.data.at);
            from->kept.data = (struct lod_span){0};
            return error;
        }
    }
    input->data = from->kept.data;
    memcpy(input->row, from->kept.row, sizeof(input->row));
    return 0;
}

static int read_input(struct lod_check_inputs *from, uint32_t slot, struct lod_input *input)
{
    if (input->slot == LOD_SLOT_OWN) {
        return read_plan(from->record, slot, input);
    }
    if (input->group < 1 || input->group > from->codec->groups) {
        return -EILSEQ;
    }
    if (input->slot == LOD_SLOT_AHEAD) {
        return read_ahead(from, slot, input);
    }
    return input->slot < slot ? read_segment(from->record, input->slot, input) : -EILSEQ;
}

int lod_check_gather(struct lod_check_inputs *from, uint32_t slot, unsigned form, uint64_t unit,
                     struct lod_inputs *inputs)
{
    const uint8_t *row = lod_record_row(from->record, slot);
    unsigned done = 0;
    int error = from->codec->maker->need(row, form, unit, inputs);

    while (!error && done < inputs->count) {
        error = read_input(from, slot, &inputs->input[done++]);
        if (!error && done == inputs->count) {
            error = from->codec->maker->need(row, form, unit, inputs);
        }
    }
    return error == -E2BIG ? -EILSEQ : error;
}

int lod_check_read_segment(struct lod_check_inputs *from, uint32_t slot, unsigned group,
                           struct lod_span *ret_bytes)
{
    struct lod_input input = {.group = group};
    int error = read_segment(from->record, slot, &input);

    if (error) {
        free((void *)(uintptr_t)input.data.at);
        return error;
    }
    *ret_bytes = input.data;
    return 0;
}

void lod_check_drop(const struct lod_check_inputs *from, struct lod_inputs *inputs)
{
    for (unsigned i = 0; i < inputs->count; i++) {
        if (inputs->input[i].data.at != from->kept.data.at) {
            free((void *)(uintptr_t)inputs->input[i].data.at);
        }
    }
    inputs->count = 0;
}

void lod_check_inputs_finish(struct lod_check_inputs *from)
{
    free((void *)(uintptr_t)from->kept.data.at);
    from->kept.data = (struct lod_span){0};
    from->other = lod_record_close(from->other);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs of makers are stored bytes only: a maker waits for frames, and frames wait for nobody, so
 * makers cannot wait for each other in a circle.
 */
#include "making.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "frame_parts.h"

/* In a key's number, above the unit's; below 2^56 with all forms. */
#define KEY_FORM_AT 49

struct lod_making lod_making_of(struct lod_dataset *dataset, struct lod_frames *frames,
                                const struct lod_item *item, unsigned form, uint64_t unit,
                                uint64_t made_bytes)
{
    uint64_t unit_bytes = item->codec->maker->unit_bytes(item->row, form);

    assert(form < LOD_FORMS_MAX && unit < 1ull << KEY_FORM_AT);
    assert(unit_bytes && unit * unit_bytes < made_bytes);
    uint64_t left = made_bytes - unit * unit_bytes;
    return (struct lod_making){
        .dataset = dataset,
        .frames = frames,
        .item = item,
        .form = form,
        .unit = unit,
        .bytes = left < unit_bytes ? left : unit_bytes,
    };
}

struct lod_key lod_making_key(const struct lod_making *making)
{
    return lod_frames_key(making->item, LOD_KEY_MADE,
                          (uint64_t)making->form << KEY_FORM_AT | making->unit);
}

/*
 * The index alone may say any length. A frame is given only where the record, whose lengths add up
 * to its file, has the same row; so one is looked at before memory is taken.
 */
static int check_lengths(const struct lod_making *making, const struct lod_plan *plan)
{
    for (unsigned i = 0; i < plan->count; i++) {
        const struct lod_piece *piece = &plan->pieces[i];
        if (piece->kind == LOD_PIECE_STORED && piece->bytes) {
            struct lod_wanted frame = {
                .group = piece->group,
                .frame = piece->offset >> making->item->recd.frame_shift,
            };
            int error = lod_frames_get(making->frames, making->item, &frame, 1);
            if (!error) {
                lod_blob_unref(&frame.chunk->blob);
            }
            return error;
        }
    }
    return 0;
}

static int gather_own(const struct lod_making *making, struct lod_input *input)
{
    int error = check_lengths(making, &input->plan);

    if (!error && input->slot != LOD_SLOT_OWN && input->plan.bytes > LOD_INPUT_OTHER_MAX) {
        error = -E2BIG;
    }
    uint8_t *data = error ? NULL : lod_spare_take(making->spare, input->plan.bytes + 1);

    if (!data) {
        return error ? error : -ENOMEM;
    }
    input->data = (struct lod_span){.at = data, .bytes = input->plan.bytes};
    return lod_frame_parts_copy(making->frames, making->item, &input->plan, data);
}

/* Which item an input is of; nothing it names is made in turn, so references end. */
static int find_other(const struct lod_item *own, const struct lod_input *input,
                      uint32_t *ret_number)
{
    const bool ahead = input->slot == LOD_SLOT_AHEAD;
    const uint32_t slots = own->number - own->recd.first_item;

    if (input->group < 1 || input->group > own->codec->groups || (!ahead && input->slot >= slots) ||
        (ahead && (input->ahead < 1 || input->ahead > UINT32_MAX - own->number))) {
        return -EILSEQ;
    }
    *ret_number = ahead ? own->number + input->ahead : own->recd.first_item + input->slot;
    return 0;
}

/* The whole segment of another item of the codec. */
static int gather_other(const struct lod_making *making, struct lod_input *input)
{
    uint64_t bytes[LOD_GROUPS_MAX];
    struct lod_item other;
    struct lod_making from = *making;
    uint32_t number;

    int error = find_other(making->item, input, &number);
    error = error ? error : lod_dataset_item(making->dataset, number, &other);
    if (error == -ENOENT || (!error && other.codec != making->item->codec)) {
        return -EILSEQ;
    }
    error = error ? error : lod_codec_segments(other.codec, other.row, bytes);
    if (error) {
        return error;
    }
    input->plan = (struct lod_plan){0};
    error = lod_plan_add_stored(&input->plan, input->group, 0, bytes[input->group - 1]);
    memcpy(input->row, other.row, sizeof(input->row));
    from.item = &other;
    return error ? error : gather_own(&from, input);
}

/* Asks until the codec names nothing more; it names at most LOD_INPUTS_MAX in all. */
int lod_making_gather(const struct lod_making *making, struct lod_inputs *inputs)
{
    const struct lod_item *item = making->item;
    unsigned done = 0;
    int error = item->codec->maker->need(item->row, making->form, making->unit, inputs);

    while (!error && done < inputs->count) {
        struct lod_input *input = &inputs->input[done++];
        error =
            input->slot == LOD_SLOT_OWN ? gather_own(making, input) : gather_other(making, input);
        if (!error && done == inputs->count) {
            error = item->codec->maker->need(item->row, making->form, making->unit, inputs);
        }
    }
    return error;
}

void lod_making_drop(const struct lod_making *making, struct lod_inputs *inputs)
{
    for (unsigned i = 0; i < inputs->count; i++) {
        lod_spare_give(making->spare, (void *)(uintptr_t)inputs->input[i].data.at);
    }
}

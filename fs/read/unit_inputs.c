/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs of makers are stored bytes only. A maker waits only for frames, and frames wait for
 * nothing else. So makers cannot deadlock.
 */
#include "read/unit_inputs.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "frames/frame_parts.h"

/* Bit position of the form in a key's number, above the unit. With all forms the number stays below
 * 2^56. */
#define KEY_FORM_AT 49

struct lod_unit_inputs lod_unit_inputs_of(struct lod_dataset *dataset, struct lod_frames *frames,
                                          const struct lod_item *item, unsigned form, uint64_t unit,
                                          uint64_t made_bytes)
{
    uint64_t unit_bytes = item->codec->maker->unit_bytes(item->row, form);

    assert(form < LOD_FORMS_MAX && unit < 1ull << KEY_FORM_AT);
    assert(unit_bytes && unit * unit_bytes < made_bytes);
    uint64_t left = made_bytes - unit * unit_bytes;
    return (struct lod_unit_inputs){
        .dataset = dataset,
        .frames = frames,
        .item = item,
        .form = form,
        .unit = unit,
        .bytes = left < unit_bytes ? left : unit_bytes,
    };
}

struct lod_key lod_unit_inputs_key(const struct lod_unit_inputs *making)
{
    return lod_frames_key(making->item, LOD_KEY_MADE,
                          (uint64_t)making->form << KEY_FORM_AT | making->unit);
}

/*
 * Compares the lengths with the record before memory is allocated. A damaged index can contain any
 * length. lod_frames_get succeeds only if the record has the same row, and a record's lengths add
 * up to the size of its file.
 */
static int check_lengths(const struct lod_unit_inputs *making, const struct lod_plan *plan)
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

static int gather_own(const struct lod_unit_inputs *making, struct lod_input *input)
{
    const bool small = input->plan.bytes <= 1ull << making->item->recd.frame_shift;
    int error = small ? 0 : check_lengths(making, &input->plan);

    if (!error && input->slot != LOD_SLOT_OWN && input->plan.bytes > LOD_INPUT_OTHER_MAX) {
        error = -E2BIG;
    }
    uint8_t *data = error ? NULL : lod_buffer_pool_take(making->pool, input->plan.bytes + 1);

    if (!data) {
        return error ? error : -ENOMEM;
    }
    input->data = (struct lod_span){.at = data, .bytes = input->plan.bytes};
    return lod_frame_parts_copy(making->frames, making->item, &input->plan, data);
}

/*
 * Finds the item of an input. An input consists of stored bytes only, so it has no inputs itself.
 */
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

/* Gathers the whole segment of another item of the codec. */
static int gather_other(const struct lod_unit_inputs *making, struct lod_input *input)
{
    uint64_t bytes[LOD_GROUPS_MAX];
    struct lod_item other;
    struct lod_unit_inputs from = *making;
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

/* Calls `need` until it appends nothing; it appends at most LOD_INPUTS_MAX in all. */
int lod_unit_inputs_gather(const struct lod_unit_inputs *making, struct lod_inputs *inputs)
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

void lod_unit_inputs_drop(const struct lod_unit_inputs *making, struct lod_inputs *inputs)
{
    for (unsigned i = 0; i < inputs->count; i++) {
        lod_buffer_pool_release(making->pool, (void *)(uintptr_t)inputs->input[i].data.at);
    }
}

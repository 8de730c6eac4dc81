/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making a unit: promise memory, gather what the codec needs, run its maker. A maker waits for
 * frames only, and frames wait for nobody, so makers cannot wait for each other in a circle.
 */
#include "made.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct wanted {
    struct lod_dataset *dataset;
    struct lod_frames *frames;
    struct lod_budget *work;
    const struct lod_item *item;
    unsigned form;
    uint64_t unit, bytes;
};

/* In a key's number, above the unit's; below 2^56 with all forms. */
#define KEY_FORM_AT 49

/*
 * The index alone may say any length. A frame is given only where the record, whose lengths add up
 * to its file, has the same row; so one is looked at before memory is taken.
 */
static int check_lengths(const struct wanted *wanted, const struct lod_plan *plan)
{
    for (unsigned i = 0; i < plan->count; i++) {
        const struct lod_piece *piece = &plan->pieces[i];
        if (piece->kind == LOD_PIECE_STORED && piece->bytes) {
            struct lod_wanted frame = {
                .group = piece->group,
                .frame = piece->offset >> wanted->item->recd.frame_shift,
            };
            int error = lod_frames_get(wanted->frames, wanted->item, &frame, 1);
            if (!error) {
                lod_blob_unref(&frame.chunk->blob);
            }
            return error;
        }
    }
    return 0;
}

static int gather_own(const struct wanted *wanted, struct lod_input *input)
{
    int error = check_lengths(wanted, &input->plan);
    uint8_t *data = error ? NULL : malloc(input->plan.bytes + 1);

    if (!data) {
        return error ? error : -ENOMEM;
    }
    input->data = (struct lod_span){.at = data, .bytes = input->plan.bytes};
    return lod_frames_copy(wanted->frames, wanted->item, &input->plan, data);
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
static int gather_other(const struct wanted *wanted, struct lod_input *input)
{
    uint64_t bytes[LOD_GROUPS_MAX];
    struct lod_item other;
    struct wanted from = *wanted;
    uint32_t number;

    int error = find_other(wanted->item, input, &number);
    error = error ? error : lod_dataset_item(wanted->dataset, number, &other);
    if (error == -ENOENT || (!error && other.codec != wanted->item->codec)) {
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
static int gather(const struct wanted *wanted, struct lod_inputs *inputs)
{
    const struct lod_item *item = wanted->item;
    unsigned done = 0;
    int error = item->codec->maker->need(item->row, wanted->form, wanted->unit, inputs);

    while (!error && done < inputs->count) {
        struct lod_input *input = &inputs->input[done++];
        error =
            input->slot == LOD_SLOT_OWN ? gather_own(wanted, input) : gather_other(wanted, input);
        if (!error && done == inputs->count) {
            error = item->codec->maker->need(item->row, wanted->form, wanted->unit, inputs);
        }
    }
    return error;
}

static void drop(struct lod_inputs *inputs)
{
    for (unsigned i = 0; i < inputs->count; i++) {
        free((void *)(uintptr_t)inputs->input[i].data.at);
    }
}

static int make(const struct wanted *wanted, struct lod_blob **ret_blob)
{
    const struct lod_item *item = wanted->item;
    struct lod_inputs inputs = {0};
    struct lod_blob *blob = NULL;

    int error = gather(wanted, &inputs);
    error = error ? error : lod_blob_create(wanted->bytes, &blob);
    if (!error) {
        error = item->codec->maker->make(item->row, wanted->form, wanted->unit, &inputs, blob->data,
                                         wanted->bytes);
    }
    drop(&inputs);
    if (error) {
        lod_blob_unref(blob);
        return error;
    }
    *ret_blob = blob;
    return 0;
}

static int fill(void *ctx, struct lod_key key, struct lod_blob **ret_blob)
{
    const struct wanted *wanted = ctx;
    uint64_t cost = wanted->item->codec->maker->cost(wanted->item->row, wanted->form);

    (void)key;
    if (cost > wanted->work->bytes_max) {
        return lod_dataset_item_failed(wanted->dataset, wanted->item, -E2BIG);
    }
    uint64_t promised = lod_budget_take(wanted->work, cost);
    int error = make(wanted, ret_blob);
    lod_budget_give(wanted->work, promised);
    return error ? lod_dataset_item_failed(wanted->dataset, wanted->item, error) : 0;
}

int lod_made_get(struct lod_dataset *dataset, struct lod_frames *frames, struct lod_cache *cache,
                 struct lod_budget *work, const struct lod_item *item, unsigned form, uint64_t unit,
                 uint64_t made_bytes, struct lod_blob **ret_blob)
{
    uint64_t unit_bytes = item->codec->maker->unit_bytes(item->row, form);
    struct lod_key key = lod_frames_key(item, LOD_KEY_MADE, (uint64_t)form << KEY_FORM_AT | unit);
    uint64_t left = made_bytes - unit * unit_bytes;
    struct wanted wanted = {
        .dataset = dataset,
        .frames = frames,
        .work = work,
        .item = item,
        .form = form,
        .unit = unit,
        .bytes = left < unit_bytes ? left : unit_bytes,
    };

    assert(form < LOD_FORMS_MAX && unit < 1ull << KEY_FORM_AT);
    assert(unit_bytes && unit * unit_bytes < made_bytes);
    return lod_cache_get(cache, key, fill, &wanted, ret_blob);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See survey.h. All items are looked up in the index once. The sample lies evenly among those that
 * have lower fidelities and a decoded form, in the order of the store. While it does not decide, it
 * is doubled, and the photographs of the smaller sample are not measured again.
 */
#include "survey/survey.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dataset/dataset.h"
#include "list.h"
#include "memory/memory_semaphore.h"
#include "pool.h"
#include "read/reader.h"
#include "survey/survey_photo.h"
#include "survey/survey_rule.h"

#define WORK_BYTES (512u << 20) /* of all threads: pixels and planes of MS-SSIM */

struct state {
    struct lod_dataset *dataset;
    struct lod_reader *reader;
    const struct lod_survey_options *options;
    struct lod_memory_semaphore work;
    uint64_t bytes[LOD_FULL + 1]; /* read from the store for all photographs */
    uint64_t photographs, large;  /* all; those without a decoded form */
    LOD_LIST(uint32_t) items;     /* numbers of the others */
    LOD_LIST(uint32_t) sample;    /* some of these, in the order in which they were drawn */
    uint8_t *drawn;               /* for each of `items`: 1 if it is in the sample */
    struct lod_survey_photo *photos[LOD_SURVEY_INPUTS_MAX]; /* the sample, for each input */
    uint32_t measured;                                      /* members of it so far */
};

/* Counts an item that is smaller at q1 than at full, and adds it if it has a decoded form. */
static int add_item(struct state *state, const struct lod_codec *codec, uint32_t number)
{
    uint8_t row[LOD_ROW_BYTES];
    uint64_t segments[LOD_GROUPS_MAX], bytes[LOD_FULL + 1];
    int error = lod_index_item(lod_dataset_index(state->dataset), number, row);

    if (error || (lod_row_flags(row) & (LOD_ITEM_SHARD | LOD_ITEM_WHOLE))) {
        return error;
    }
    error = lod_codec_segments(codec, row, segments);
    for (unsigned f = LOD_Q1; !error && f <= LOD_FULL; f++) {
        error = lod_codec_read_bytes(codec, row, segments, (enum lod_fidelity)f, &bytes[f]);
    }
    if (error || bytes[LOD_Q1] >= bytes[LOD_FULL]) {
        return error;
    }
    for (unsigned f = LOD_Q1; f <= LOD_FULL; f++) {
        state->bytes[f] += bytes[f];
    }
    state->photographs++;
    if (!lod_codec_decoded_ending(codec, row)) {
        state->large++;
        return 0;
    }
    return LOD_LIST_ADD(&state->items, number);
}

static int find_items(struct state *state)
{
    struct lod_index *index = lod_dataset_index(state->dataset);
    struct lod_record_desc recd;
    int error = 0;

    for (uint32_t r = 0; !error && r < lod_index_records(index); r++) {
        error = lod_index_record(index, r, &recd);
        const struct lod_codec *codec = error ? NULL : lod_codec_find(recd.codec);
        if (!error && !codec) {
            error = -EILSEQ;
        }
        for (uint32_t i = 0; !error && recd.codec != LOD_CODEC_TREE && i < recd.items; i++) {
            error = add_item(state, codec, recd.first_item + i);
        }
    }
    return error;
}

/* Makes room for the measurements of the whole sample, for each input. */
static int make_room(struct state *state)
{
    for (unsigned i = 0; i < state->options->inputs_count; i++) {
        struct lod_survey_photo *photos =
            realloc(state->photos[i], state->sample.count * sizeof(photos[0]));
        if (!photos) {
            return -ENOMEM;
        }
        state->photos[i] = photos;
    }
    return 0;
}

/* Draws the members of a sample of this size that were not drawn for a smaller one. */
static int draw(struct state *state, uint32_t size)
{
    int error = 0;

    for (uint32_t i = 0; !error && i < size; i++) {
        const uint64_t rank = lod_survey_rank(i, size, state->items.count);
        if (!state->drawn[rank]) {
            state->drawn[rank] = 1;
            error = LOD_LIST_ADD(&state->sample, state->items.at[rank]);
        }
    }
    return error ? error : make_room(state);
}

static int measure(void *ctx, uint64_t index)
{
    struct state *state = ctx;
    const uint32_t member = state->measured + (uint32_t)index;
    const struct lod_survey_watch *watch = &state->options->watch;
    struct lod_survey_photo found[LOD_SURVEY_INPUTS_MAX];
    struct lod_item item;
    int error = lod_dataset_item(state->dataset, state->sample.at[member], &item);

    error =
        error ? error
              : lod_survey_photo_measure(state->reader, &item, state->options, &state->work, found);
    for (unsigned i = 0; !error && i < state->options->inputs_count; i++) {
        state->photos[i][member] = found[i];
    }
    return error ? error : watch->step ? watch->step(watch->ctx) : 0;
}

/* Measures the members that were drawn since the last call. */
static int measure_drawn(struct state *state, struct lod_pool *pool)
{
    const uint32_t left = (uint32_t)state->sample.count - state->measured;
    const struct lod_survey_watch *watch = &state->options->watch;

    if (watch->begin) {
        watch->begin(watch->ctx, left);
    }
    int error = lod_pool_each(pool, left, measure, state);
    state->measured += left;
    return error;
}

static int judge(const struct state *state, struct lod_survey *surveys)
{
    int error = 0;

    for (unsigned i = 0; !error && i < state->options->inputs_count; i++) {
        surveys[i].photographs = state->photographs;
        surveys[i].large = state->large;
        error = lod_survey_judge(state->photos[i], state->measured, state->bytes,
                                 state->options->target, &surveys[i]);
    }
    return error;
}

static int survey(struct state *state, struct lod_pool *pool, struct lod_survey *surveys)
{
    int error = find_items(state);

    if (error || !state->items.count) {
        return error ? error : judge(state, surveys);
    }
    uint32_t size = state->options->sample, last;
    size = size < state->items.count ? size : (uint32_t)state->items.count;
    state->drawn = calloc(state->items.count, 1);
    error = state->drawn ? 0 : -ENOMEM;
    do {
        last = size;
        error = error ? error : draw(state, size);
        error = error ? error : measure_drawn(state, pool);
        error = error ? error : judge(state, surveys);
        size = surveys[0].verdict == LOD_SURVEY_CHOSEN && !surveys[0].decided
                   ? lod_survey_grow(size, state->items.count)
                   : size;
    } while (!error && size != last);
    return error;
}

static bool is_valid(const struct lod_survey_input *input)
{
    return (input->size == 0 ||
            (input->size >= LOD_SURVEY_SIZE_MIN && input->size <= LOD_SURVEY_SIZE_MAX)) &&
           input->crop >= 0 && input->crop <= 1 && (input->crop == 0 || input->size);
}

static bool are_valid(const struct lod_survey_options *o)
{
    bool valid = o->inputs_count >= 1 && o->inputs_count <= LOD_SURVEY_INPUTS_MAX;

    for (unsigned i = 0; valid && i < o->inputs_count; i++) {
        valid = is_valid(&o->inputs[i]);
    }
    return valid && o->target > 0 && o->target <= 1 && o->sample >= LOD_SURVEY_SAMPLE_MIN &&
           o->sample <= LOD_SURVEY_SAMPLE_MAX;
}

int lod_survey_run(struct lod_dataset *dataset, struct lod_reader *reader, struct lod_pool *pool,
                   const struct lod_survey_options *options, struct lod_survey *ret_surveys)
{
    struct state state = {.dataset = dataset, .reader = reader, .options = options};
    struct lod_survey found[LOD_SURVEY_INPUTS_MAX] = {{.verdict = LOD_SURVEY_NOTHING}};

    if (!are_valid(options)) {
        return -EINVAL;
    }
    lod_memory_semaphore_init(&state.work, WORK_BYTES);
    int error = survey(&state, pool, found);
    lod_memory_semaphore_finish(&state.work);
    free(state.items.at);
    free(state.sample.at);
    free(state.drawn);
    for (unsigned i = 0; i < LOD_SURVEY_INPUTS_MAX; i++) {
        free(state.photos[i]);
    }
    if (!error) {
        memcpy(ret_surveys, found, options->inputs_count * sizeof(found[0]));
    }
    return error;
}

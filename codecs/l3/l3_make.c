/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes units: one on the host, or many in one job of a device. */
#include "l3/l3_make.h"

#include <errno.h>
#include <stdlib.h>

#include "l3/device/batch.h"
#include "l3/container/container.h"
#include "l3/container/l3_form.h"
#include "l3/container/level_rules.h"
#include "l3/l3_pixels.h"
#include "l3/container/l3_row.h"
#include "l3/patch/l3_stream.h"
#include "l3/l3_unit.h"
#include "l3/levels.h"

static bool is_level(unsigned form)
{
    return form >= LOD_L3_FORM_LEVEL;
}

static uint64_t unit_bytes(const uint8_t row[LOD_ROW_BYTES], unsigned form)
{
    struct lod_l3_row r;

    if (lod_l3_row_read(row, &r)) {
        return 1;
    }
    return is_level(form)               ? lod_l3_level_bytes(&r, form)
           : form == LOD_L3_FORM_PIXELS ? lod_l3_pixels_band_bytes(&r)
           : form == LOD_L3_FORM_LAST   ? r.out.last_bytes
                                        : r.out.band_bytes;
}

static uint64_t cost(const uint8_t row[LOD_ROW_BYTES], unsigned form)
{
    struct lod_l3_row r;

    if (lod_l3_row_read(row, &r)) {
        return 0;
    }
    if (is_level(form)) {
        return lod_l3_level_cost(&r);
    }
    return LOD_L3_FIRST_BYTES +
           (form == LOD_L3_FORM_PIXELS ? lod_l3_pixels_cost(&r) : lod_l3_row_cost(&r));
}

static size_t samples_of(const struct lod_l3_unit *unit)
{
    return unit->stride * unit->rows;
}

static int need(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t unit,
                struct lod_inputs *inputs)
{
    struct lod_l3_row r;
    int error = lod_l3_row_read(row, &r);

    return error            ? error
           : is_level(form) ? lod_l3_level_need(&r, form, inputs)
                            : lod_l3_unit_need(row, form, unit, inputs);
}

static int make_level(const uint8_t row[LOD_ROW_BYTES], unsigned form,
                      const struct lod_inputs *inputs, uint8_t *into, size_t bytes)
{
    struct lod_l3_row r;
    int error = lod_l3_row_read(row, &r);

    if (error || bytes != lod_l3_level_bytes(&r, form)) {
        return -EILSEQ;
    }
    return lod_l3_level_make(&r, form, inputs->input[0].data, into);
}

/* One allocation holds the decoder's working memory and the band's samples. */
static int make_band(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t number,
                     const struct lod_inputs *inputs, uint8_t *into, size_t bytes)
{
    struct lod_l3_unit unit;
    int error = lod_l3_unit_find(row, form, number, inputs, bytes, &unit);

    if (error) {
        return error;
    }
    uint8_t *memory = aligned_alloc(
        LOD_L3_WORK_ALIGN, lod_round_up(LOD_L3_WORK_BYTES + samples_of(&unit), LOD_L3_WORK_ALIGN));
    if (!memory) {
        return -ENOMEM;
    }
    uint8_t *samples = memory + LOD_L3_WORK_BYTES;
    error = lod_l3_work_init(&unit.stream, memory);
    error = error ? error
                  : lod_l3_decode_band(&unit.stream, unit.number, unit.band, samples, unit.stride,
                                       memory);
    error = error ? error : lod_l3_unit_finish(&unit, samples, into);
    free(memory);
    return error;
}

static int make(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t number,
                const struct lod_inputs *inputs, uint8_t *into, size_t bytes)
{
    return is_level(form) ? make_level(row, form, inputs, into, bytes)
                          : make_band(row, form, number, inputs, into, bytes);
}

/*
 * A batch in progress. Each unit found becomes one band of the job, with samples of its own. Levels
 * are made on the host immediately, and are not part of the batch.
 */
struct batch {
    struct lod_l3_unit *found;
    struct lod_l3_part *parts;
    uint8_t *samples;
};

static void find_all(struct lod_unit *units, unsigned count, struct batch *batch,
                     size_t *ret_samples)
{
    *ret_samples = 1;
    for (unsigned i = 0; i < count; i++) {
        struct lod_unit *unit = &units[i];
        if (is_level(unit->form)) {
            unit->error = make_level(unit->row, unit->form, unit->inputs, unit->into, unit->bytes);
            continue;
        }
        unit->error = lod_l3_unit_find(unit->row, unit->form, unit->unit, unit->inputs, unit->bytes,
                                       &batch->found[i]);
        *ret_samples += unit->error ? 0 : samples_of(&batch->found[i]);
    }
}

static unsigned to_parts(const struct lod_unit *units, unsigned count, const struct batch *batch)
{
    uint8_t *at = batch->samples;
    unsigned parts = 0;

    for (unsigned i = 0; i < count; i++) {
        const struct lod_l3_unit *unit = &batch->found[i];
        if (!units[i].error && unit->rows) {
            batch->parts[parts++] = (struct lod_l3_part){.stream = &unit->stream,
                                                         .first = unit->number,
                                                         .count = 1,
                                                         .bands = unit->band,
                                                         .into = at,
                                                         .stride = unit->stride};
            at += samples_of(unit);
        }
    }
    return parts;
}

static void from_parts(struct lod_unit *units, unsigned count, const struct batch *batch)
{
    const struct lod_l3_part *part = batch->parts;

    for (unsigned i = 0; i < count; i++) {
        if (!units[i].error && batch->found[i].rows) {
            units[i].error = part->error
                                 ? part->error
                                 : lod_l3_unit_finish(&batch->found[i], part->into, units[i].into);
            part++;
        }
    }
}

static int make_many(struct lod_gpu *gpu, struct lod_unit *units, unsigned count)
{
    struct batch batch = {
        .found = calloc(count, sizeof(*batch.found)),
        .parts = calloc(count, sizeof(*batch.parts)),
    };
    int error = batch.found && batch.parts ? 0 : -ENOMEM;
    size_t bytes;

    if (!error) {
        find_all(units, count, &batch, &bytes);
        batch.samples = malloc(bytes);
        error = batch.samples ? 0 : -ENOMEM;
    }
    if (!error) {
        unsigned parts = to_parts(units, count, &batch);
        error = parts ? lod_l3_batch(gpu, batch.parts, parts) : 0;
    }
    if (!error) {
        from_parts(units, count, &batch);
    }
    free(batch.samples);
    free(batch.parts);
    free(batch.found);
    return error;
}

static int prove(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t unit,
                 struct lod_span made, uint64_t state[LOD_PROOF_WORDS])
{
    struct lod_l3_row r;
    int error = lod_l3_row_read(row, &r);

    return error || form != LOD_L3_FORM_FILE || !r.container->prove
               ? error
               : r.container->prove(&r, (uint32_t)unit, made, state);
}

static uint16_t groups(const uint8_t row[LOD_ROW_BYTES], unsigned form)
{
    (void)row;
    if (is_level(form)) {
        return lod_l3_level_groups(form);
    }
    return (uint16_t)(1u << (LOD_L3_GROUP_STREAM - 1) |
                      (form == LOD_L3_FORM_PIXELS ? 1u << (LOD_L3_GROUP_CHUNKS - 1) : 0));
}

const struct lod_maker lod_l3_maker = {
    .groups = groups,
    .unit_bytes = unit_bytes,
    .cost = cost,
    .need = need,
    .make = make,
    .prove = prove,
    .make_many = make_many,
};

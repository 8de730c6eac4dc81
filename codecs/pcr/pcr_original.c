/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes original/ of a transcoded JPEG. Its rebuild data may refer to an earlier slot for the
 * header part. That slot has the part itself, so there is no chain of references. FORMAT.md,
 * Rebuild data.
 */
#include "pcr/pcr_original.h"

#include <errno.h>

#include "pcr/exact/rebuild.h"
#include "pcr/pcr_row.h"
#include "pcr/pcr_scans.h"

#define MCU_SIDE_MAX 32u /* pixels: 4 blocks of 8 */

enum input { FULL, DATA, LENDER };

static uint64_t unit_bytes(const uint8_t row[LOD_ROW_BYTES], unsigned form)
{
    (void)form;
    return lod_pcr_source_bytes(row);
}

/* The row does not have the subsampling of chroma, so none is assumed. */
static uint64_t coefficient_bytes(const uint8_t row[LOD_ROW_BYTES])
{
    uint64_t width = lod_round_up(lod_get_le16(row + LOD_PCR_WIDTH), MCU_SIDE_MAX);
    uint64_t height = lod_round_up(lod_get_le16(row + LOD_PCR_HEIGHT), MCU_SIDE_MAX);

    return width * height * lod_pcr_components(row) * sizeof(int16_t);
}

uint64_t lod_pcr_original_cost(const uint8_t row[LOD_ROW_BYTES])
{
    uint64_t cost = coefficient_bytes(row) + lod_pcr_source_bytes(row);

    for (unsigned group = 1; group <= LOD_PCR_GROUP_APP; group++) {
        cost += lod_pcr_group_bytes(row, group);
    }
    cost = cost < LOD_REBUILD_MEMORY_MAX ? cost : LOD_REBUILD_MEMORY_MAX;
    return cost + lod_pcr_group_bytes(row, LOD_PCR_GROUP_FILE) + LOD_REBUILD_HEADER_MAX;
}

static uint64_t cost(const uint8_t row[LOD_ROW_BYTES], unsigned form)
{
    (void)form;
    return lod_pcr_original_cost(row);
}

static int need_own(const uint8_t row[LOD_ROW_BYTES], struct lod_inputs *inputs)
{
    struct lod_input *full = &inputs->input[FULL], *data = &inputs->input[DATA];

    full->slot = data->slot = LOD_SLOT_OWN;
    inputs->count = DATA + 1;
    int error = lod_pcr_scans_plan(row, LOD_FULL, &full->plan);
    if (!error && full->plan.bytes + lod_pcr_source_bytes(row) >= LOD_REBUILD_MEMORY_MAX) {
        error = -E2BIG; /* before memory is allocated for either */
    }
    return error ? error
                 : lod_plan_add_stored(&data->plan, LOD_PCR_GROUP_FILE, 0,
                                       lod_pcr_group_bytes(row, LOD_PCR_GROUP_FILE));
}

static int need(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t unit,
                struct lod_inputs *inputs)
{
    struct lod_rebuild exact;

    (void)form;
    (void)unit;
    if (inputs->count == 0) {
        return need_own(row, inputs);
    }
    int error = lod_rebuild_split(inputs->input[DATA].data, &exact);
    if (!error && exact.shared && inputs->count == LENDER) {
        inputs->input[inputs->count++] =
            (struct lod_input){.slot = exact.slot, .group = LOD_PCR_GROUP_FILE};
    }
    return error;
}

static int make(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t unit,
                const struct lod_inputs *inputs, uint8_t *into, size_t bytes)
{
    struct lod_rebuild exact, lender;

    (void)row;
    (void)form;
    (void)unit;
    int error = lod_rebuild_split(inputs->input[DATA].data, &exact);
    if (!error && exact.shared) {
        error = lod_rebuild_split(inputs->input[LENDER].data, &lender);
        if (!error && lender.shared) {
            error = -EILSEQ;
        }
        exact.header = lender.header;
    }
    return error
               ? error
               : lod_rebuild_file(inputs->input[FULL].data, exact.header, exact.tail, into, bytes);
}

const struct lod_maker lod_pcr_original_maker = {
    .unit_bytes = unit_bytes,
    .cost = cost,
    .need = need,
    .make = make,
};

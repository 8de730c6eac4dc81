/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes decoded/ of a JPEG. Gray stays gray, CMYK and YCCK become four channels as stored, all else
 * RGB. libjpeg's defaults apply: the slow integer transform, smooth upsampling of chroma, and block
 * smoothing if scans are missing.
 */
#include "pcr/pcr_decoded.h"

#include <errno.h>

#include "pcr/jpeg/jpeg_io.h"
#include "pcr/jpeg/jpeg_series.h"
#include "pcr/pcr_row.h"
#include "pcr/pcr_scans.h"
#include "pixels.h"

#define MCU_SIDE_MAX 32u /* pixels: 4 blocks of 8 */

/* libjpeg's memory beside coefficients: some rows of MCUs in each step, and tables. */
#define ROW_BYTES_A_SAMPLE 128u
#define TABLES_BYTES       (512u << 10)

static struct lod_pixels pixels_of(const uint8_t row[LOD_ROW_BYTES])
{
    return (struct lod_pixels){
        .width = lod_get_le16(row + LOD_PCR_WIDTH),
        .height = lod_get_le16(row + LOD_PCR_HEIGHT),
        .channels = (uint8_t)lod_pcr_components(row),
        .sample_bytes = 1,
    };
}

uint64_t lod_pcr_decoded_bytes(uint32_t width, uint32_t height, unsigned components,
                               uint64_t coefficient_bytes)
{
    return coefficient_bytes + (uint64_t)width * height * components +
           (uint64_t)width * components * ROW_BYTES_A_SAMPLE + TABLES_BYTES;
}

/* Returns NULL for a row that claims a larger image than pack accepts. */
const char *lod_pcr_decoded_ending(const uint8_t row[LOD_ROW_BYTES])
{
    struct lod_pixels pixels = pixels_of(row);

    return lod_pixels_bytes(&pixels) < LOD_DECODED_BYTES_MAX ? lod_pixels_ending(&pixels) : NULL;
}

int lod_pcr_decoded_plan(const uint8_t row[LOD_ROW_BYTES], enum lod_fidelity fidelity,
                         struct lod_plan *plan)
{
    struct lod_pixels pixels = pixels_of(row);
    unsigned k = lod_pcr_shows_source(row, fidelity) || fidelity == LOD_FULL ? LOD_Q10 : fidelity;

    if (fidelity > LOD_FULL) {
        return -ENOENT;
    }
    return lod_pixels_plan(&pixels, LOD_PCR_FORM_DECODED + k, plan);
}

static uint64_t unit_bytes(const uint8_t row[LOD_ROW_BYTES], unsigned form)
{
    struct lod_pixels pixels = pixels_of(row);

    (void)form;
    return lod_pixels_bytes(&pixels);
}

static enum lod_fidelity fidelity_of(unsigned form)
{
    return (enum lod_fidelity)(form - LOD_PCR_FORM_DECODED);
}

/* Returns the memory for decoding. The row does not have the subsampling of chroma, so none is
 * assumed, up to the limit of pack. */
static uint64_t cost(const uint8_t row[LOD_ROW_BYTES], unsigned form)
{
    struct lod_pixels pixels = pixels_of(row);
    uint64_t coefficients = lod_round_up(pixels.width, MCU_SIDE_MAX) *
                            lod_round_up(pixels.height, MCU_SIDE_MAX) * pixels.channels *
                            sizeof(int16_t);
    uint64_t bytes =
        lod_pcr_decoded_bytes(pixels.width, pixels.height, pixels.channels, coefficients);

    bytes = bytes < LOD_DECODED_BYTES_MAX ? bytes : LOD_DECODED_BYTES_MAX;
    if (lod_pcr_shows_source(row, fidelity_of(form))) {
        return bytes + lod_pcr_source_bytes(row);
    }
    for (unsigned group = 1; group <= (unsigned)fidelity_of(form); group++) {
        bytes += lod_pcr_group_bytes(row, group);
    }
    return bytes;
}

static int need(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t unit,
                struct lod_inputs *inputs)
{
    (void)unit;
    if (inputs->count) {
        return 0;
    }
    struct lod_input *file = &inputs->input[inputs->count++];
    file->slot = LOD_SLOT_OWN;
    return lod_pcr_scans_plan(row, fidelity_of(form), &file->plan);
}

static int make(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t unit,
                const struct lod_inputs *inputs, uint8_t *into, size_t bytes)
{
    struct lod_pixels pixels = pixels_of(row);

    (void)form;
    (void)unit;
    (void)bytes;
    return lod_jpeg_decode_into(inputs->input[0].data, LOD_DECODED_BYTES_MAX, pixels.width,
                                pixels.height, pixels.channels, into);
}

/* Where the fidelities of a series end in the file of the last one. */
struct steps {
    const struct lod_series *series;
    uint64_t ends[LOD_PCR_SCAN_GROUPS];
    unsigned count;
};

static int step(void *ctx, unsigned i)
{
    const struct lod_series *series = ((const struct steps *)ctx)->series;

    return series->step(series->ctx, series->first + i);
}

/* q1 has closing scans that no other fidelity has, so a series begins with q2. */
static unsigned series_end(const uint8_t row[LOD_ROW_BYTES], unsigned form)
{
    const unsigned top = lod_pcr_top(row) ? lod_pcr_top(row) : LOD_PCR_SCAN_GROUPS;

    return form > LOD_PCR_FORM_DECODED + LOD_Q1 && form < LOD_PCR_FORM_DECODED + top
               ? LOD_PCR_FORM_DECODED + top
               : form;
}

static int make_series(const struct lod_unit *last, const struct lod_series *series)
{
    const struct lod_pixels pixels = pixels_of(last->row);
    const struct lod_span file = last->inputs->input[0].data;
    struct steps steps = {.series = series};
    uint64_t end = lod_pcr_group_bytes(last->row, 1) - last->row[LOD_PCR_CLOSING];

    for (unsigned k = 2; k <= (unsigned)fidelity_of(last->form); k++) {
        end += lod_pcr_group_bytes(last->row, k);
        if (k >= (unsigned)fidelity_of(series->first)) {
            steps.ends[steps.count++] = end;
        }
    }
    const struct lod_jpeg_series ends = {
        .ends = steps.ends, .count = steps.count, .step = step, .ctx = &steps};
    return lod_jpeg_decode_series(file, LOD_DECODED_BYTES_MAX, pixels.width, pixels.height,
                                  pixels.channels, last->into, &ends);
}

const struct lod_maker lod_pcr_decoded_maker = {
    .unit_bytes = unit_bytes,
    .cost = cost,
    .need = need,
    .make = make,
    .series_end = series_end,
    .make_series = make_series,
};

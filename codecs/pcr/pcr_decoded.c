/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decoded/ of a JPEG. Gray stays gray, CMYK and YCCK come out as four channels as they are stored,
 * all else is RGB; libjpeg's defaults: slow integer transform, smooth chroma, and block smoothing
 * where scans are missing.
 */
#include "pcr/pcr_decoded.h"

#include <errno.h>

#include "pcr/jpeg_io.h"
#include "pcr/pcr_row.h"
#include "pcr/pcr_scans.h"
#include "pixels.h"

#define MCU_SIDE_MAX 32u /* pixels: 4 blocks of 8 */

/* Of libjpeg beside coefficients: some rows of MCUs in each step, and tables. */
#define ROW_BYTES_A_SAMPLE 128u
#define TABLES_BYTES       (512u << 10)

static struct lod_pixels pixels_of(const uint8_t row[LOD_ROW_BYTES])
{
    return (struct lod_pixels){
        .width = lod_get_le16(row + LOD_PCR_WIDTH),
        .height = lod_get_le16(row + LOD_PCR_HEIGHT),
        .channels = row[LOD_PCR_COMPONENTS],
        .sample_bytes = 1,
    };
}

uint64_t lod_pcr_decoded_bytes(uint32_t width, uint32_t height, unsigned components,
                               uint64_t coefficient_bytes)
{
    return coefficient_bytes + (uint64_t)width * height * components +
           (uint64_t)width * components * ROW_BYTES_A_SAMPLE + TABLES_BYTES;
}

/* A row that claims more than pack would have let pass has no pixels. */
const char *lod_pcr_decoded_ending(const uint8_t row[LOD_ROW_BYTES])
{
    struct lod_pixels pixels = pixels_of(row);

    return lod_pixels_bytes(&pixels) < LOD_DECODED_BYTES_MAX ? lod_pixels_ending(&pixels) : NULL;
}

int lod_pcr_decoded_plan(const uint8_t row[LOD_ROW_BYTES], enum lod_fidelity fidelity,
                         struct lod_plan *plan)
{
    struct lod_pixels pixels = pixels_of(row);
    unsigned k = fidelity == LOD_FULL ? LOD_Q10 : fidelity;

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

/* The row does not say how chroma is subsampled: as if it were not, but no more than pack allows.
 */
static uint64_t cost(const uint8_t row[LOD_ROW_BYTES], unsigned form)
{
    struct lod_pixels pixels = pixels_of(row);
    uint64_t coefficients = lod_round_up(pixels.width, MCU_SIDE_MAX) *
                            lod_round_up(pixels.height, MCU_SIDE_MAX) * pixels.channels *
                            sizeof(int16_t);
    uint64_t bytes =
        lod_pcr_decoded_bytes(pixels.width, pixels.height, pixels.channels, coefficients);

    bytes = bytes < LOD_DECODED_BYTES_MAX ? bytes : LOD_DECODED_BYTES_MAX;
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

const struct lod_maker lod_pcr_decoded_maker = {
    .unit_bytes = unit_bytes,
    .cost = cost,
    .need = need,
    .make = make,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* See levels.h. Samples are changed as word_free.h says, so pixels and file always agree. */
#include "l3/levels.h"

#include <errno.h>
#include <stdlib.h>

#include "l3/container/container.h"
#include "l3/container/l3_form.h"
#include "l3/container/level_rules.h"
#include "l3/container/raster_file.h"
#include "l3/container/word_free.h"
#include "l3/l3_pixels.h"
#include "pcr/jpeg/jpeg_io.h"

#define RGB_SAMPLES 3u

static const uint8_t eoi[] = {0xff, 0xd9};

static bool is_pixels(unsigned form)
{
    return form >= LOD_L3_FORM_LEVEL_PIXELS;
}

static unsigned level_of(unsigned form)
{
    return form - (is_pixels(form) ? LOD_L3_FORM_LEVEL_PIXELS : LOD_L3_FORM_LEVEL);
}

uint64_t lod_l3_level_bytes(const struct lod_l3_row *row, unsigned form)
{
    struct lod_pixels pixels = lod_l3_pixels(row);

    return is_pixels(form) ? lod_pixels_bytes(&pixels)
                           : row->out.bytes + row->container->sums_bytes;
}

uint16_t lod_l3_level_groups(unsigned form)
{
    return (uint16_t)((1u << level_of(form)) - 1);
}

int lod_l3_level_need(const struct lod_l3_row *row, unsigned form, struct lod_inputs *inputs)
{
    int error = 0;

    if (inputs->count) {
        return 0;
    }
    struct lod_input *jpeg = &inputs->input[inputs->count++];
    jpeg->slot = LOD_SLOT_OWN;
    for (unsigned group = 1; !error && group <= level_of(form); group++) {
        error = lod_plan_add_stored(&jpeg->plan, group, group == 1 ? row->chunks : 0,
                                    row->level[group - 1]);
    }
    return error ? error : lod_plan_add_mem(&jpeg->plan, eoi, sizeof(eoi));
}

/* Exchanges red and blue. */
static void turn(uint8_t *row, uint32_t width)
{
    for (uint32_t x = 0; x < width; x++, row += RGB_SAMPLES) {
        const uint8_t first = row[0];
        row[0] = row[2];
        row[2] = first;
    }
}

/* Decodes to samples in the order of the container, rows without gaps. */
static int decode(const struct lod_l3_row *row, struct lod_span jpeg, uint8_t *samples)
{
    const struct lod_pixels pixels = lod_l3_pixels(row);
    const size_t stride = (size_t)pixels.width * pixels.channels;
    int error = lod_jpeg_decode_into(jpeg, lod_l3_level_decode_bytes(row), pixels.width,
                                     pixels.height, pixels.channels, samples);

    for (uint32_t y = 0; !error && y < pixels.height; y++, samples += stride) {
        if (!row->container->plain(row)) {
            turn(samples, pixels.width);
        }
        lod_word_free_row(samples, stride);
    }
    return error;
}

static void put_file(const struct lod_l3_row *row, uint8_t *samples, uint8_t *into)
{
    const struct lod_l3_image image = lod_png_image(&row->out.header);
    const size_t stride = (size_t)lod_l3_row_bytes(&image);

    for (uint32_t band = 0; band < row->out.bands; band++) {
        row->container->band(row, band, samples + ((size_t)band << row->out.side_log2) * stride,
                             stride, into + lod_raster_band_at(row, band));
    }
    if (row->container->sum) {
        row->container->sum(row, into);
    }
}

int lod_l3_level_make(const struct lod_l3_row *row, unsigned form, struct lod_span jpeg,
                      uint8_t *into)
{
    const struct lod_l3_image image = lod_png_image(&row->out.header);
    const size_t stride = (size_t)lod_l3_row_bytes(&image);
    uint8_t *samples = malloc(stride * image.height);
    int error = samples ? decode(row, jpeg, samples) : -ENOMEM;

    if (!error && is_pixels(form)) {
        const struct lod_span none = {0};
        error = lod_l3_pixels_band(row, none, samples, stride, image.height, into);
    } else if (!error) {
        put_file(row, samples, into);
    }
    free(samples);
    return error;
}

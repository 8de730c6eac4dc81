/* SPDX-License-Identifier: Apache-2.0 */
/* Splits raster files and compares them; see raster_file_write.h. */
#include "l3/container/raster_file_write.h"

#include <errno.h>

#include "l3/container/bits_row.h"
#include "l3/container/raster_file.h"

int lod_raster_split(struct lod_span file, uint64_t front, unsigned align,
                     struct lod_l3_parsed *parsed, const char **ret_why)
{
    const uint64_t row_bytes = lod_raster_row_bytes(&parsed->header, align);
    const uint32_t height = parsed->header.height;

    if (front > file.bytes || row_bytes > (file.bytes - front) / height) {
        *ret_why = "truncated: it ends inside its pixels";
        return -ENOTSUP;
    }
    const uint64_t end = front + row_bytes * height;
    parsed->before = (struct lod_span){.at = file.at, .bytes = front};
    parsed->after = (struct lod_span){.at = file.at + end, .bytes = file.bytes - end};
    parsed->row_bytes = row_bytes;
    parsed->own.front = (uint32_t)front;
    return 0;
}

/* Returns row `y` of the image, counted from the top. */
static const uint8_t *row_at(struct lod_span file, const struct lod_l3_parsed *parsed, uint32_t y)
{
    const uint32_t row = parsed->own.upward ? parsed->header.height - 1 - y : y;

    return file.at + parsed->before.bytes + row * parsed->row_bytes;
}

int lod_raster_samples(struct lod_span file, struct lod_l3_parsed *parsed, uint8_t *samples,
                       const char **ret_why)
{
    const struct lod_l3_image image = lod_png_image(&parsed->header);
    const uint64_t bits = (uint64_t)image.width * image.samples * image.bits;
    const size_t bytes = (size_t)lod_l3_row_bytes(&image);

    for (uint32_t y = 0; y < image.height; y++, samples += bytes) {
        const uint8_t *row = row_at(file, parsed, y);
        if (image.bits == 16) {
            lod_bits_swap(row, bytes, samples);
        } else if (image.bits == 8) {
            memcpy(samples, row, bytes);
        } else {
            lod_bits_unpack(row, image.width, image.bits, samples);
        }
        if (!lod_bits_filled(row, bits, parsed->row_bytes)) {
            *ret_why = "the padding of its rows is not zero";
            return -ENOTSUP;
        }
    }
    return 0;
}

uint64_t lod_raster_cost(const struct lod_png_header *header)
{
    (void)header;
    return 0;
}

bool lod_raster_prove(struct lod_span file, struct lod_l3_row *r, uint32_t band,
                      struct lod_span made)
{
    const uint64_t at = r->front + lod_raster_band_at(r, band);

    return at <= file.bytes && made.bytes <= file.bytes - at &&
           memcmp(file.at + at, made.at, made.bytes) == 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Splits raster files and compares them; see raster_file_write.h. */
#include "l3/container/raster_file_write.h"

#include <errno.h>

#include "l3/container/raster_file.h"

int lod_raster_split(struct lod_span file, uint64_t front, uint64_t row_bytes,
                     struct lod_l3_taken *taken, const char **ret_why)
{
    const uint32_t height = taken->header.height;

    if (front > file.bytes || row_bytes > (file.bytes - front) / height) {
        *ret_why = "truncated: it ends inside its pixels";
        return -ENOTSUP;
    }
    const uint64_t end = front + row_bytes * height;
    taken->before = (struct lod_span){.at = file.at, .bytes = front};
    taken->after = (struct lod_span){.at = file.at + end, .bytes = file.bytes - end};
    taken->own.front = (uint32_t)front;
    return 0;
}

const uint8_t *lod_raster_row(struct lod_span file, const struct lod_l3_taken *taken,
                              uint64_t row_bytes, uint32_t y)
{
    const uint32_t row = taken->own.upward ? taken->header.height - 1 - y : y;

    return file.at + taken->before.bytes + row * row_bytes;
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

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layout of raster files; see raster_file.h. Bands are counted from the top of the image, and all
 * but the last have equal size. So in a file that begins with its last row, the last band is a form
 * of its own.
 */
#include "l3/container/raster_file.h"

#include "l3/container/bits_row.h"
#include "l3/container/l3_form.h"

#define AT_FRONT 28 /* u32 */

uint64_t lod_raster_row_bytes(const struct lod_png_header *header, unsigned align)
{
    const struct lod_l3_image image = lod_png_image(header);

    return lod_round_up(((uint64_t)image.width * image.samples * image.bits + 7) / 8, align);
}

bool lod_raster_take(const uint8_t row[LOD_ROW_BYTES], const struct lod_png_header *header,
                     uint8_t side_log2, unsigned align, struct lod_l3_row *r)
{
    const uint64_t row_bytes = lod_raster_row_bytes(header, align);
    struct lod_l3_output out = lod_l3_output_of(header, side_log2);

    if (row_bytes > UINT32_MAX / header->height) {
        return false;
    }
    out.row_bytes = row_bytes;
    out.band_bytes = row_bytes << side_log2;
    out.last_bytes = row_bytes * lod_l3_output_rows(&out, out.bands - 1);
    out.bytes = row_bytes * header->height;
    r->out = out;
    r->front = lod_get_le32(row + AT_FRONT);
    return r->front <= r->chunks && r->source == r->chunks + out.bytes;
}

void lod_raster_put(const struct lod_l3_row *r, uint32_t own, uint8_t row[LOD_ROW_BYTES])
{
    lod_put_le32(row + AT_FRONT, r->front);
    lod_put_le32(row + LOD_RASTER_AT_OWN, own);
}

static int add_rows(const struct lod_l3_row *r, unsigned form, struct lod_plan *plan)
{
    if (!r->upward || form != LOD_L3_FORM_FILE) {
        return lod_plan_add_made(plan, form, 0, r->out.bytes);
    }
    int error = lod_plan_add_made(plan, LOD_L3_FORM_LAST, 0, r->out.last_bytes);
    return error ? error
                 : lod_plan_add_made(plan, LOD_L3_FORM_FILE, 0, r->out.bytes - r->out.last_bytes);
}

int lod_raster_plan(const struct lod_l3_row *r, unsigned form, struct lod_plan *plan)
{
    const unsigned group = lod_l3_around(form);
    int error = lod_plan_add_stored(plan, group, 0, r->front);

    error = error ? error : add_rows(r, form, plan);
    return error ? error : lod_plan_add_stored(plan, group, r->front, r->chunks - r->front);
}

void lod_raster_band(const struct lod_l3_row *r, uint32_t band, uint8_t *samples, size_t stride,
                     uint8_t *into)
{
    const struct lod_l3_image image = lod_png_image(&r->out.header);
    const uint32_t rows = lod_l3_output_rows(&r->out, band);
    const size_t bytes = (size_t)lod_raster_row_bytes(&r->out.header, 1);
    const size_t padding = (size_t)r->out.row_bytes - bytes;

    for (uint32_t y = 0; y < rows; y++, into += r->out.row_bytes) {
        uint8_t *row = samples + (r->upward ? rows - 1 - y : y) * stride;
        if (image.bits == 16) {
            lod_bits_swap(row, bytes, into);
            continue;
        }
        if (image.bits < 8) {
            lod_bits_pack(row, image.width, image.bits);
        }
        memcpy(into, row, bytes);
        memset(into + bytes, 0, padding);
    }
}

uint64_t lod_raster_band_at(const struct lod_l3_row *r, uint32_t band)
{
    const uint64_t above = band * r->out.band_bytes;

    return r->upward ? r->out.bytes - above - lod_l3_output_band_bytes(&r->out, band) : above;
}

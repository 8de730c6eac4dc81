/* SPDX-License-Identifier: Apache-2.0 */
/* Asks for the bytes that a band needs of its item, and finds them in the inputs; see l3_unit.h. */
#include "l3/l3_unit.h"

#include <errno.h>

#include "l3/container/container.h"
#include "l3/container/l3_form.h"
#include "l3/l3_pixels.h"

/*
 * The inputs in the order in which they are asked for: the first 64 KiB of the stream, the whole
 * head and the band if those are missing, then group 9 if there is a palette to read.
 */
enum input { FIRST, REST };

static int ask(struct lod_inputs *inputs, uint64_t offset, uint64_t bytes)
{
    struct lod_input *input = &inputs->input[inputs->count++];

    input->slot = LOD_SLOT_OWN;
    return lod_plan_add_stored(&input->plan, LOD_L3_GROUP_STREAM, offset, bytes);
}

/* Returns whether stream and row describe the same image. If not, one of them is malformed. */
static bool agrees(const struct lod_l3_row *r, const struct lod_l3_stream *stream)
{
    const struct lod_l3_image image = lod_png_image(&r->out.header);

    return image.width == stream->image.width && image.height == stream->image.height &&
           image.samples == stream->image.samples && image.bits == stream->image.bits &&
           r->out.side_log2 == stream->side_log2;
}

static int check_head(const struct lod_l3_row *r, struct lod_span first, uint64_t *ret_bytes)
{
    uint64_t bytes;
    int error = first.bytes < LOD_L3_HEADER_BYTES ? -EILSEQ : lod_l3_head_bytes(first.at, &bytes);

    if (error || bytes > lod_l3_row_head_max(r) || bytes > r->stream) {
        return -EILSEQ;
    }
    *ret_bytes = bytes;
    return 0;
}

/* Finds the band in a stream whose whole head is present. */
static int find_band(const struct lod_l3_row *r, struct lod_span head, uint32_t band,
                     struct lod_l3_stream *stream, uint64_t *ret_offset, uint64_t *ret_bytes)
{
    int error = lod_l3_stream_open(head, r->stream, stream);

    if (error || !agrees(r, stream) || band >= stream->rows) {
        return -EILSEQ;
    }
    lod_l3_band(stream, band, ret_offset, ret_bytes);
    return *ret_bytes > lod_l3_row_band_max(r) ? -EILSEQ : 0;
}

/* Returns the band that is unit number `unit` of the form. */
static int band_of(const struct lod_l3_row *r, unsigned form, uint64_t unit, uint32_t *ret_band)
{
    const uint32_t last = r->out.bands - 1;
    uint64_t band = unit;

    if (form == LOD_L3_FORM_LAST) {
        band = r->upward && unit == 0 ? last : UINT64_MAX;
    } else if (form == LOD_L3_FORM_FILE && r->upward) {
        band = unit < last ? last - 1 - unit : UINT64_MAX;
    }
    if (band > last) {
        return -EILSEQ;
    }
    *ret_band = (uint32_t)band;
    return 0;
}

/*
 * Checks which inputs are present: the start of the stream, the complete head if the start did not
 * contain it, the band. Sets *ret_missing to 0 and `found`, or *ret_offset and *ret_missing to the
 * bytes to ask for next.
 */
static int check_inputs(const struct lod_l3_row *r, uint32_t band, const struct lod_inputs *inputs,
                        struct lod_l3_unit *found, uint64_t *ret_offset, uint64_t *ret_missing)
{
    struct lod_span head = inputs->input[FIRST].data;
    uint64_t head_bytes, offset, bytes;
    unsigned next = REST;
    int error = check_head(r, head, &head_bytes);

    if (error) {
        return error;
    }
    *ret_offset = 0;
    *ret_missing = head_bytes;
    if (head_bytes > head.bytes) {
        if (inputs->count == next) {
            return 0;
        }
        head = inputs->input[next++].data;
    }
    error = find_band(r, head, band, &found->stream, &offset, &bytes);
    if (error) {
        return error;
    }
    const bool here = offset + bytes <= head.bytes;
    *ret_offset = offset;
    *ret_missing = here || inputs->count > next ? 0 : bytes;
    if (*ret_missing == 0) {
        found->band = here ? (struct lod_span){.at = head.at + offset, .bytes = bytes}
                           : inputs->input[next].data;
    }
    return 0;
}

/* Returns the input that is group 9, which is asked for last; NULL before. */
static struct lod_input *chunks_of(struct lod_inputs *inputs)
{
    struct lod_input *last = &inputs->input[inputs->count - 1];

    return last->plan.count && last->plan.pieces[0].group == LOD_L3_GROUP_CHUNKS ? last : NULL;
}

static int ask_chunks(const struct lod_l3_row *r, unsigned form, struct lod_inputs *inputs)
{
    if (form != LOD_L3_FORM_PIXELS || !lod_l3_pixels_chunks(r) || chunks_of(inputs)) {
        return 0;
    }
    struct lod_input *input = &inputs->input[inputs->count++];
    input->slot = LOD_SLOT_OWN;
    return lod_plan_add_stored(&input->plan, LOD_L3_GROUP_CHUNKS, 0, lod_l3_pixels_chunks(r));
}

int lod_l3_unit_need(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t unit,
                     struct lod_inputs *inputs)
{
    uint64_t offset, missing;
    struct lod_l3_unit found;
    struct lod_l3_row r;
    uint32_t band;
    int error = lod_l3_row_read(row, &r);

    error = error ? error : band_of(&r, form, unit, &band);
    if (error) {
        return error;
    }
    if (inputs->count == 0) {
        return ask(inputs, 0, r.stream < LOD_L3_FIRST_BYTES ? r.stream : LOD_L3_FIRST_BYTES);
    }
    error = check_inputs(&r, band, inputs, &found, &offset, &missing);
    if (!error && missing == 0) {
        return ask_chunks(&r, form, inputs);
    }
    return error ? error : ask(inputs, offset, missing);
}

/* Returns the bytes of a unit. The last band of the image may have fewer rows. */
static uint64_t bytes_of(const struct lod_l3_row *r, unsigned form, uint32_t band)
{
    struct lod_pixels pixels = lod_l3_pixels(r);

    pixels.height = lod_l3_output_rows(&r->out, band);
    return form == LOD_L3_FORM_PIXELS ? lod_pixels_bytes(&pixels)
                                      : lod_l3_output_band_bytes(&r->out, band);
}

int lod_l3_unit_find(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t number,
                     const struct lod_inputs *inputs, size_t bytes, struct lod_l3_unit *ret_unit)
{
    uint64_t offset, missing;
    struct lod_l3_unit found = {.form = form};
    int error = lod_l3_row_read(row, &found.row);

    error = error ? error : band_of(&found.row, form, number, &found.number);
    error =
        error ? error : check_inputs(&found.row, found.number, inputs, &found, &offset, &missing);
    if (error) {
        return error;
    }
    if (missing || bytes != bytes_of(&found.row, form, found.number)) {
        return -EILSEQ;
    }
    found.rows = lod_l3_output_rows(&found.row.out, found.number);
    found.stride = (size_t)lod_l3_row_bytes(&found.stream.image);
    found.chunks = inputs->input[inputs->count - 1].data;
    *ret_unit = found;
    return 0;
}

int lod_l3_unit_finish(const struct lod_l3_unit *unit, uint8_t *samples, uint8_t *into)
{
    if (unit->form == LOD_L3_FORM_PIXELS) {
        return lod_l3_pixels_band(&unit->row, unit->chunks, samples, unit->stride, unit->rows,
                                  into);
    }
    unit->row.container->band(&unit->row, unit->number, samples, unit->stride, into);
    return 0;
}

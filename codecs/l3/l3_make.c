/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A unit is a band: its patches are decoded from the stream's head and the band's own bytes, and
 * nothing else of the image is read but, for pixels, its palette.
 */
#include "l3/l3_make.h"

#include <errno.h>
#include <stdlib.h>

#include "l3/l3_pixels.h"
#include "l3/l3_row.h"
#include "l3/l3_stream.h"

/* Most streams have their head here, and small ones are here whole: a frame of the record. */
#define FIRST_BYTES (64u << 10)

/* What need asks for: the beginning, then as missing the whole head and the band, at last the
 * chunks, if there is a palette to read. */
enum input { FIRST, REST };

struct ready {
    struct lod_l3_stream stream;
    struct lod_span band;
};

static uint64_t unit_bytes(const uint8_t row[LOD_ROW_BYTES], unsigned form)
{
    struct lod_l3_row r;

    if (lod_l3_row_read(row, &r)) {
        return 1;
    }
    return form == LOD_L3_FORM_PIXELS ? lod_l3_pixels_band_bytes(&r) : r.png.band_bytes;
}

static uint64_t cost(const uint8_t row[LOD_ROW_BYTES], unsigned form)
{
    struct lod_l3_row r;

    if (lod_l3_row_read(row, &r)) {
        return 0;
    }
    return FIRST_BYTES +
           (form == LOD_L3_FORM_PIXELS ? lod_l3_pixels_cost(&r) : lod_l3_row_cost(&r));
}

static int ask(struct lod_inputs *inputs, uint64_t offset, uint64_t bytes)
{
    struct lod_input *input = &inputs->input[inputs->count++];

    input->slot = LOD_SLOT_OWN;
    return lod_plan_add_stored(&input->plan, LOD_L3_GROUP_STREAM, offset, bytes);
}

/* The image of the stream is the row's, or one of them lies. */
static bool agrees(const struct lod_l3_row *r, const struct lod_l3_stream *stream)
{
    const struct lod_l3_image image = lod_png_image(&r->png.header);

    return image.width == stream->image.width && image.height == stream->image.height &&
           image.samples == stream->image.samples && image.bits == stream->image.bits &&
           r->png.side_log2 == stream->side_log2;
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

/* The band's place in the stream, of a head that is there. */
static int find_band(const struct lod_l3_row *r, struct lod_span head, uint64_t unit,
                     struct lod_l3_stream *stream, uint64_t *ret_offset, uint64_t *ret_bytes)
{
    int error = lod_l3_stream_open(head, r->stream, stream);

    if (error || !agrees(r, stream) || unit >= stream->rows) {
        return -EILSEQ;
    }
    lod_l3_band(stream, (uint32_t)unit, ret_offset, ret_bytes);
    return *ret_bytes > lod_l3_row_band_max(r) ? -EILSEQ : 0;
}

/*
 * What is known so far: *ret_missing 0 and all of `ready`, or the offset and bytes to ask for next.
 * Inputs are the beginning of the stream, the whole head if that was short, and the band.
 */
static int look(const struct lod_l3_row *r, uint64_t unit, const struct lod_inputs *inputs,
                struct ready *ready, uint64_t *ret_offset, uint64_t *ret_missing)
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
    error = find_band(r, head, unit, &ready->stream, &offset, &bytes);
    if (error) {
        return error;
    }
    const bool here = offset + bytes <= head.bytes;
    *ret_offset = offset;
    *ret_missing = here || inputs->count > next ? 0 : bytes;
    if (*ret_missing == 0) {
        ready->band = here ? (struct lod_span){.at = head.at + offset, .bytes = bytes}
                           : inputs->input[next].data;
    }
    return 0;
}

/* Group 8, once it was asked for, which is after all else. */
static struct lod_input *chunks_of(struct lod_inputs *inputs)
{
    struct lod_input *last = &inputs->input[inputs->count - 1];

    return last->plan.pieces[0].group == LOD_L3_GROUP_CHUNKS ? last : NULL;
}

static int ask_chunks(const struct lod_l3_row *r, unsigned form, struct lod_inputs *inputs)
{
    if (form != LOD_L3_FORM_PIXELS || !lod_l3_pixels_need_chunks(r) || chunks_of(inputs)) {
        return 0;
    }
    struct lod_input *input = &inputs->input[inputs->count++];
    input->slot = LOD_SLOT_OWN;
    return lod_plan_add_stored(&input->plan, LOD_L3_GROUP_CHUNKS, 0, r->chunks);
}

static int need(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t unit,
                struct lod_inputs *inputs)
{
    uint64_t offset, missing;
    struct ready ready;
    struct lod_l3_row r;
    int error = lod_l3_row_read(row, &r);

    if (error) {
        return error;
    }
    if (inputs->count == 0) {
        return ask(inputs, 0, r.stream < FIRST_BYTES ? r.stream : FIRST_BYTES);
    }
    error = look(&r, unit, inputs, &ready, &offset, &missing);
    if (!error && missing == 0) {
        return ask_chunks(&r, form, inputs);
    }
    return error ? error : ask(inputs, offset, missing);
}

/* One allocation: the decoder's work, then the band's samples. */
static int decode(const struct lod_l3_row *r, const struct ready *ready, unsigned form,
                  struct lod_span chunks, uint32_t band, uint8_t *into)
{
    const struct lod_l3_image *image = &ready->stream.image;
    const size_t stride = (size_t)lod_l3_row_bytes(image);
    const size_t samples = stride * lod_png_stored_rows(&r->png, band);
    uint8_t *memory = aligned_alloc(LOD_L3_WORK_ALIGN,
                                    lod_round_up(LOD_L3_WORK_BYTES + samples, LOD_L3_WORK_ALIGN));

    if (!memory) {
        return -ENOMEM;
    }
    uint8_t *at = memory + LOD_L3_WORK_BYTES;
    int error = lod_l3_work_init(&ready->stream, memory);
    error =
        error ? error : lod_l3_decode_band(&ready->stream, band, ready->band, at, stride, memory);
    if (!error && form == LOD_L3_FORM_PIXELS) {
        error = lod_l3_pixels_band(r, chunks, at, stride, lod_png_stored_rows(&r->png, band), into);
    } else if (!error) {
        lod_png_stored_band(&r->png, band, at, stride, into);
    }
    free(memory);
    return error;
}

/* Bytes of a unit: of the form's band, which in the last one has fewer rows. */
static uint64_t bytes_of(const struct lod_l3_row *r, unsigned form, uint32_t band)
{
    struct lod_pixels pixels = lod_l3_pixels(r);

    pixels.height = lod_png_stored_rows(&r->png, band);
    return form == LOD_L3_FORM_PIXELS ? lod_pixels_bytes(&pixels)
                                      : lod_png_stored_band_bytes(&r->png, band);
}

static int make(const uint8_t row[LOD_ROW_BYTES], unsigned form, uint64_t unit,
                const struct lod_inputs *inputs, uint8_t *into, size_t bytes)
{
    const struct lod_input *last = &inputs->input[inputs->count - 1];
    uint64_t offset, missing;
    struct ready ready;
    struct lod_l3_row r;
    int error = lod_l3_row_read(row, &r);

    error = error ? error : look(&r, unit, inputs, &ready, &offset, &missing);
    if (error) {
        return error;
    }
    if (missing || bytes != bytes_of(&r, form, (uint32_t)unit)) {
        return -EILSEQ;
    }
    return decode(&r, &ready, form, last->data, (uint32_t)unit, into);
}

const struct lod_maker lod_l3_maker = {
    .groups = 1u << (LOD_L3_GROUP_STREAM - 1) | 1u << (LOD_L3_GROUP_CHUNKS - 1),
    .unit_bytes = unit_bytes,
    .cost = cost,
    .need = need,
    .make = make,
};

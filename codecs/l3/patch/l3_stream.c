/* SPDX-License-Identifier: Apache-2.0 */
/* Parses and checks the head of an L3 stream, and finds its bands. FORMAT.md, L3 stream. */
#include "l3/patch/l3_stream.h"

#include <assert.h>
#include <errno.h>

/* Reads a header: all fields of a stream except the spans and `bytes`. */
static int take_header(struct lod_cursor *c, struct lod_l3_stream *stream)
{
    stream->image.width = lod_take_le32(c);
    stream->image.height = lod_take_le32(c);
    stream->image.samples = lod_take_u8(c);
    stream->image.bits = lod_take_u8(c);
    stream->side_log2 = lod_take_u8(c);
    uint8_t reserved = lod_take_u8(c);
    stream->tables.bytes = lod_take_le32(c);
    if (c->short_of_bytes || !lod_l3_image_valid(&stream->image) || reserved ||
        stream->side_log2 < LOD_L3_SIDE_LOG2_MIN || stream->side_log2 > LOD_L3_SIDE_LOG2_MAX) {
        return -EILSEQ;
    }
    uint32_t last = (1u << stream->side_log2) - 1;
    stream->columns = (stream->image.width + last) >> stream->side_log2;
    stream->rows = (stream->image.height + last) >> stream->side_log2;
    stream->head_bytes =
        LOD_L3_HEADER_BYTES + (uint64_t)stream->columns * stream->rows * 4 + stream->tables.bytes;
    return 0;
}

int lod_l3_head_bytes(const uint8_t header[LOD_L3_HEADER_BYTES], uint64_t *ret_bytes)
{
    struct lod_cursor c = lod_cursor(header, LOD_L3_HEADER_BYTES);
    struct lod_l3_stream stream;

    int r = take_header(&c, &stream);
    if (r == 0) {
        *ret_bytes = stream.head_bytes;
    }
    return r;
}

static uint64_t sum_sizes(struct lod_span sizes, uint64_t first, uint64_t count)
{
    uint64_t sum = 0;

    for (uint64_t i = first; i < first + count; i++) {
        sum += lod_get_le32(sizes.at + 4 * i);
    }
    return sum;
}

int lod_l3_stream_open(struct lod_span head, uint64_t stream_bytes,
                       struct lod_l3_stream *ret_stream)
{
    struct lod_cursor c = lod_cursor(head.at, head.bytes);
    struct lod_l3_stream stream = {.bytes = stream_bytes};

    int r = take_header(&c, &stream);
    if (r) {
        return r;
    }
    if (stream.head_bytes > head.bytes || stream.head_bytes > stream_bytes) {
        return -EILSEQ;
    }
    uint64_t patches = (uint64_t)stream.columns * stream.rows;
    stream.sizes.bytes = (size_t)(patches * 4);
    stream.sizes.at = lod_take(&c, stream.sizes.bytes);
    stream.tables.at = lod_take(&c, stream.tables.bytes);
    if (c.short_of_bytes ||
        sum_sizes(stream.sizes, 0, patches) != stream_bytes - stream.head_bytes) {
        return -EILSEQ;
    }
    *ret_stream = stream;
    return 0;
}

uint32_t lod_l3_band_height(const struct lod_l3_stream *stream, uint32_t row)
{
    uint32_t side = 1u << stream->side_log2;

    assert(row < stream->rows);
    return row + 1 < stream->rows ? side : stream->image.height - row * side;
}

uint32_t lod_l3_patch_width(const struct lod_l3_stream *stream, uint32_t column)
{
    uint32_t side = 1u << stream->side_log2;

    return column + 1 < stream->columns ? side : stream->image.width - column * side;
}

uint32_t lod_l3_patch_bytes(const struct lod_l3_stream *stream, uint32_t row, uint32_t column)
{
    return lod_get_le32(stream->sizes.at + 4 * ((uint64_t)row * stream->columns + column));
}

void lod_l3_band(const struct lod_l3_stream *stream, uint32_t row, uint64_t *ret_offset,
                 uint64_t *ret_bytes)
{
    uint64_t first = (uint64_t)row * stream->columns;

    assert(row < stream->rows);
    *ret_offset = stream->head_bytes + sum_sizes(stream->sizes, 0, first);
    *ret_bytes = sum_sizes(stream->sizes, first, stream->columns);
}

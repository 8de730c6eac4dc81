/* SPDX-License-Identifier: Apache-2.0 */
/* An image cut into patches, each coded by its mode, behind a head. FORMAT.md, L3 stream. */
#include "l3/l3_stream_write.h"

#include <errno.h>
#include <stdlib.h>

#include "l3/l3_stream.h"
#include "l3/packed_write.h"

/* What one patch is encoded with. */
struct work {
    struct lod_l3_planes planes;
    uint8_t coded[2][LOD_L3_PATCH_BYTES_MAX];
};

uint64_t lod_l3_encode_cost(const struct lod_l3_image *image)
{
    (void)image;
    return sizeof(struct work);
}

static uint8_t side_log2_of(const struct lod_l3_options *options)
{
    if (options->side_log2) {
        return options->side_log2;
    }
    return options->mode == LOD_L3_SMALL ? 7 : 6;
}

/* The header, and places for the patches' sizes. */
static int put_head(const struct lod_l3_image *image, unsigned side_log2, uint64_t patches,
                    struct lod_buf *stream)
{
    uint8_t header[LOD_L3_HEADER_BYTES] = {0};

    lod_put_le32(header, image->width);
    lod_put_le32(header + 4, image->height);
    header[8] = image->samples;
    header[9] = image->bits;
    header[10] = (uint8_t)side_log2;
    if (patches > UINT32_MAX / 4) {
        return -E2BIG;
    }
    int r = lod_buf_append(stream, header, sizeof(header));
    for (uint64_t i = 0; r == 0 && i < patches; i++) {
        r = lod_buf_append_le(stream, 4, 0);
    }
    return r;
}

/* The smaller of the two ways to code a patch; the bytes are in `*ret_coded`. */
static size_t encode_patch(const struct lod_l3_patch *patch, const uint8_t *at, size_t stride,
                           struct work *work, const uint8_t **ret_coded)
{
    size_t bytes[2];

    lod_l3_planes_load(patch, false, at, stride, &work->planes);
    bytes[0] = lod_l3_packed_encode(patch, &work->planes, work->coded[0]);
    *ret_coded = work->coded[0];
    if (patch->samples < 3) {
        return bytes[0];
    }
    lod_l3_planes_load(patch, true, at, stride, &work->planes);
    bytes[1] = lod_l3_packed_encode(patch, &work->planes, work->coded[1]);
    *ret_coded = work->coded[bytes[1] < bytes[0]];
    return bytes[bytes[1] < bytes[0]];
}

static uint32_t at_most(uint32_t value, uint32_t limit)
{
    return value < limit ? value : limit;
}

int lod_l3_encode(const struct lod_l3_image *image, const uint8_t *samples, size_t stride,
                  const struct lod_l3_options *options, struct lod_buf *stream)
{
    unsigned side_log2 = side_log2_of(options);
    uint32_t side = 1u << side_log2;
    size_t pixel = lod_l3_pixel_bytes(image), begin = stream->bytes;
    uint64_t columns = (image->width + side - 1) >> side_log2;
    uint64_t rows = (image->height + side - 1) >> side_log2;
    struct work *work = malloc(sizeof(*work));

    int r = work ? put_head(image, side_log2, columns * rows, stream) : -ENOMEM;
    for (uint64_t i = 0; r == 0 && i < columns * rows; i++) {
        uint32_t x = (uint32_t)(i % columns) << side_log2, y = (uint32_t)(i / columns) << side_log2;
        struct lod_l3_patch patch = {
            .width = at_most(side, image->width - x),
            .height = at_most(side, image->height - y),
            .samples = image->samples,
            .bits = image->bits,
        };
        const uint8_t *coded;
        size_t bytes = encode_patch(&patch, samples + y * stride + x * pixel, stride, work, &coded);
        r = lod_buf_append(stream, coded, bytes);
        if (r == 0) {
            lod_put_le32(stream->data + begin + LOD_L3_HEADER_BYTES + 4 * i, (uint32_t)bytes);
            r = stream->bytes - begin > UINT32_MAX ? -E2BIG : 0;
        }
    }
    free(work);
    return r;
}

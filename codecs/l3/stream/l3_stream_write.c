/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuts an image into patches, encodes each in its mode, and writes the head before them. FORMAT.md,
 * L3 stream.
 */
#include "l3/stream/l3_stream_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "l3/patch/l3_stream.h"
#include "l3/patch/packed_write.h"
#include "l3/patch/paper_write.h"
#include "l3/patch/small_write.h"

/* The tables of mode small are made from at most about 64 patches, spread over the image. */
#define COUNTED_PATCHES 64u

/* Smaller images are encoded in both modes, and the smaller result is taken. */
#define FEW_SAMPLES 65536u

/* One row in eight is used to decide whether to subtract G. */
#define GREEN_STEP 8u

struct coder {
    const struct lod_l3_image *image;
    const uint8_t *samples;
    size_t stride;
    enum lod_l3_mode mode;
    unsigned side_log2;
    uint64_t columns, patches;
    struct lod_l3_planes planes;
    struct lod_small_choice choice;
    struct lod_small_counts counts;
    struct lod_small_model model;
    struct lod_small_work work;
    uint8_t coded[LOD_L3_PATCH_BYTES_MAX];
};

uint64_t lod_l3_encode_cost(const struct lod_l3_image *image)
{
    uint64_t few = (uint64_t)FEW_SAMPLES * 4;

    (void)image;
    return sizeof(struct coder) + few;
}

/* Default sides: 128 for small, 64 for the other modes. */
static unsigned side_log2_of(const struct lod_l3_options *options)
{
    if (options->side_log2) {
        return options->side_log2;
    }
    return options->mode == LOD_L3_SMALL ? 7 : 6;
}

static uint32_t at_most(uint32_t value, uint32_t limit)
{
    return value < limit ? value : limit;
}

/* Returns patch `number` of the grid and its first sample. */
static struct lod_l3_patch patch_of(const struct coder *c, uint64_t number, const uint8_t **ret_at)
{
    uint32_t x = (uint32_t)(number % c->columns) << c->side_log2, side = 1u << c->side_log2;
    uint32_t y = (uint32_t)(number / c->columns) << c->side_log2;

    *ret_at = c->samples + y * c->stride + x * lod_l3_pixel_bytes(c->image);
    return (struct lod_l3_patch){
        .width = at_most(side, c->image->width - x),
        .height = at_most(side, c->image->height - y),
        .samples = c->image->samples,
        .bits = c->image->bits,
    };
}

static bool is_flat(const struct coder *c, const struct lod_l3_patch *patch, const uint8_t *at)
{
    size_t pixel = lod_l3_pixel_bytes(c->image), bytes = patch->width * pixel;

    if (memcmp(at, at + pixel, bytes - pixel) != 0) {
        return false;
    }
    for (unsigned y = 1; y < patch->height; y++) {
        if (memcmp(at, at + y * c->stride, bytes) != 0) {
            return false;
        }
    }
    return true;
}

/* Loads the planes, with G subtracted if that makes the residuals cheaper. */
static void load(struct coder *c, const struct lod_l3_patch *patch, const uint8_t *at)
{
    lod_l3_planes_load(patch, at, c->stride, &c->planes);
    if (patch->samples < 3 || c->mode == LOD_L3_PAPER) {
        return;
    }
    lod_small_choose(patch, &c->planes, GREEN_STEP, &c->choice);
    uint64_t cost = c->choice.cost;
    lod_l3_planes_toggle_green(patch, &c->planes);
    lod_small_choose(patch, &c->planes, GREEN_STEP, &c->choice);
    if (c->choice.cost >= cost) {
        lod_l3_planes_toggle_green(patch, &c->planes);
    }
}

static unsigned classes_for(const struct lod_l3_image *image)
{
    uint64_t samples = (uint64_t)image->width * image->height * image->samples;

    return samples < 8192 ? 2 : samples < 65536 ? 4 : LOD_RANS_CLASSES;
}

static int make_model(struct coder *c)
{
    uint64_t step = (c->patches + COUNTED_PATCHES - 1) / COUNTED_PATCHES;

    memset(&c->counts, 0, sizeof(c->counts));
    for (uint64_t i = 0; i < c->patches; i += step) {
        const uint8_t *at;
        struct lod_l3_patch patch = patch_of(c, i, &at);
        if (!is_flat(c, &patch, at)) {
            load(c, &patch, at);
            lod_small_choose(&patch, &c->planes, 1, &c->choice);
            lod_small_count(&patch, &c->planes, &c->choice, &c->counts);
        }
    }
    return lod_small_model_make(&c->counts, c->image->samples, classes_for(c->image),
                                c->image->bits == 16 ? 16 : 8, &c->model);
}

static size_t encode_patch(struct coder *c, uint64_t number)
{
    const uint8_t *at;
    struct lod_l3_patch patch = patch_of(c, number, &at);

    if (c->mode != LOD_L3_PAPER && is_flat(c, &patch, at)) {
        c->coded[0] = LOD_L3_KIND_FLAT;
        memcpy(c->coded + 1, at, lod_l3_pixel_bytes(c->image));
        return 1 + lod_l3_pixel_bytes(c->image);
    }
    load(c, &patch, at);
    switch (c->mode) {
    case LOD_L3_PAPER:
        return lod_paper_encode(&patch, &c->planes, c->coded);
    case LOD_L3_PACKED:
        return lod_l3_packed_encode(&patch, &c->planes, c->coded);
    default:
        lod_small_choose(&patch, &c->planes, 1, &c->choice);
        return lod_small_encode(&patch, &c->planes, &c->choice, &c->model, &c->work, c->coded,
                                sizeof(c->coded));
    }
}

/* Writes the header, room for the patches' sizes, and the tables. */
static int put_head(const struct coder *c, struct lod_buf *stream)
{
    uint8_t header[LOD_L3_HEADER_BYTES] = {0};
    size_t begin = stream->bytes;

    lod_put_le32(header, c->image->width);
    lod_put_le32(header + 4, c->image->height);
    header[8] = c->image->samples;
    header[9] = c->image->bits;
    header[10] = (uint8_t)c->side_log2;
    if (c->patches > UINT32_MAX / 4) {
        return -E2BIG;
    }
    int r = lod_buf_append(stream, header, sizeof(header));
    for (uint64_t i = 0; r == 0 && i < c->patches; i++) {
        r = lod_buf_append_le(stream, 4, 0);
    }
    size_t before = stream->bytes;
    if (r == 0 && c->mode == LOD_L3_SMALL) {
        r = lod_small_model_put(&c->model, c->image->samples, stream);
    }
    if (r == 0) {
        lod_put_le32(stream->data + begin + 12, (uint32_t)(stream->bytes - before));
    }
    return r;
}

static int encode(struct coder *c, struct lod_buf *stream)
{
    size_t begin = stream->bytes;

    int r = c->mode == LOD_L3_SMALL ? make_model(c) : 0;
    if (r == 0) {
        r = put_head(c, stream);
    }
    for (uint64_t i = 0; r == 0 && i < c->patches; i++) {
        size_t bytes = encode_patch(c, i);
        r = lod_buf_append(stream, c->coded, bytes);
        if (r == 0) {
            lod_put_le32(stream->data + begin + LOD_L3_HEADER_BYTES + 4 * i, (uint32_t)bytes);
            r = stream->bytes - begin > UINT32_MAX ? -E2BIG : 0;
        }
    }
    return r;
}

/* In a small image mode small may not save as much as its tables take. */
static int encode_smaller(struct coder *c, struct lod_buf *stream)
{
    struct lod_buf packed = {0};
    size_t begin = stream->bytes;

    int r = encode(c, stream);
    c->mode = LOD_L3_PACKED;
    if (r == 0) {
        r = encode(c, &packed);
    }
    if (r == 0 && packed.bytes < stream->bytes - begin) {
        memcpy(stream->data + begin, packed.data, packed.bytes);
        stream->bytes = begin + packed.bytes;
    }
    lod_buf_finish(&packed);
    return r;
}

int lod_l3_encode(const struct lod_l3_image *image, const uint8_t *samples, size_t stride,
                  const struct lod_l3_options *options, struct lod_buf *stream)
{
    uint64_t count = (uint64_t)image->width * image->height * image->samples;
    struct coder *c = calloc(1, sizeof(*c)); /* zeroed: vectors read past a row */

    if (!c) {
        return -ENOMEM;
    }
    c->image = image;
    c->samples = samples;
    c->stride = stride;
    c->mode = options->mode;
    c->side_log2 = side_log2_of(options);
    uint32_t last = (1u << c->side_log2) - 1;
    c->columns = (image->width + last) >> c->side_log2;
    c->patches = c->columns * ((image->height + last) >> c->side_log2);
    int r = c->mode == LOD_L3_SMALL && count < FEW_SAMPLES ? encode_smaller(c, stream)
                                                           : encode(c, stream);
    free(c);
    return r;
}

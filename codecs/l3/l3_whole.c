/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes whole images; see l3_whole.h. Memory: the samples of the image on a device, those of one
 * band on the host.
 */
#include "l3/l3_whole.h"

#include <errno.h>
#include <stdlib.h>

#include "l3/device/batch.h"
#include "l3/container/container.h"
#include "l3/l3_pixels.h"

int lod_l3_whole_open(struct lod_span bytes, struct lod_l3_whole *ret_whole)
{
    struct lod_l3_whole whole;
    int error = lod_l3_file_open(bytes, &whole.file);

    error = error ? error
                  : lod_l3_stream_open(whole.file.stream, whole.file.stream.bytes, &whole.stream);
    if (error) {
        return error;
    }
    const struct lod_l3_output *out = &whole.file.parsed.out;
    const struct lod_l3_image image = lod_png_image(&out->header), *found = &whole.stream.image;
    if (image.width != found->width || image.height != found->height ||
        image.samples != found->samples || image.bits != found->bits ||
        out->side_log2 != whole.stream.side_log2) {
        return -EILSEQ;
    }
    whole.pixels = lod_l3_pixels(&whole.file.parsed);
    *ret_whole = whole;
    return 0;
}

/* Converts `rows` rows of samples, from row `first` of the image on, to pixels. */
static int put(const struct lod_l3_whole *whole, const uint8_t *samples, uint32_t first,
               uint32_t rows, uint8_t *into)
{
    const size_t stride = (size_t)lod_l3_row_bytes(&whole->stream.image);
    struct lod_pixels above = whole->pixels;

    above.height = first;
    return lod_l3_pixels_band(&whole->file.parsed, whole->file.chunks, samples, stride, rows,
                              into + (first ? lod_pixels_bytes(&above) : 0));
}

static int host_pixels(const struct lod_l3_whole *whole, uint8_t *into)
{
    const struct lod_l3_stream *stream = &whole->stream;
    const size_t stride = (size_t)lod_l3_row_bytes(&stream->image);
    const size_t band = stride * lod_l3_band_height(stream, 0);
    uint8_t *memory =
        aligned_alloc(LOD_L3_WORK_ALIGN, lod_round_up(LOD_L3_WORK_BYTES + band, LOD_L3_WORK_ALIGN));
    int error = memory ? lod_l3_work_init(stream, memory) : -ENOMEM;

    for (uint32_t row = 0; !error && row < stream->rows; row++) {
        uint8_t *samples = memory + LOD_L3_WORK_BYTES;
        struct lod_span bytes;
        uint64_t offset, count;
        lod_l3_band(stream, row, &offset, &count);
        bytes = (struct lod_span){.at = whole->file.stream.at + offset, .bytes = (size_t)count};
        error = lod_l3_decode_band(stream, row, bytes, samples, stride, memory);
        error = error ? error
                      : put(whole, samples, row << stream->side_log2,
                            lod_l3_band_height(stream, row), into);
    }
    free(memory);
    return error;
}

static struct lod_l3_part part_of(const struct lod_l3_whole *whole)
{
    const struct lod_l3_stream *stream = &whole->stream;
    const size_t head = (size_t)stream->head_bytes;

    return (struct lod_l3_part){
        .stream = stream,
        .count = stream->rows,
        .bands = {.at = whole->file.stream.at + head, .bytes = whole->file.stream.bytes - head},
        .stride = (size_t)lod_l3_row_bytes(&stream->image),
    };
}

static int device_pixels(const struct lod_l3_whole *whole, struct lod_gpu *gpu, uint8_t *into)
{
    struct lod_l3_part part = part_of(whole);
    const uint32_t height = whole->stream.image.height;

    if (lod_l3_batch_bytes(&part, 1) > LOD_GPU_JOB_BYTES_MAX) {
        return -E2BIG;
    }
    part.into = malloc(part.stride * height);
    if (!part.into) {
        return -ENOMEM;
    }
    int error = lod_l3_batch(gpu, &part, 1);
    error = error ? error : part.error;
    error = error ? error : put(whole, part.into, 0, height, into);
    free(part.into);
    return error;
}

int lod_l3_whole_pixels(const struct lod_l3_whole *whole, struct lod_gpu *gpu, uint8_t *into)
{
    return gpu ? device_pixels(whole, gpu, into) : host_pixels(whole, into);
}

bool lod_l3_whole_is_plain(const struct lod_l3_whole *whole)
{
    const struct lod_l3_row *row = &whole->file.parsed;

    return !lod_l3_pixels_chunks(row) && row->container->plain(row);
}

int lod_l3_whole_keep(const struct lod_l3_whole *whole, struct lod_gpu *gpu, uint64_t *ret_address)
{
    struct lod_l3_part part = part_of(whole);

    return lod_l3_batch_keep(gpu, &part, ret_address);
}

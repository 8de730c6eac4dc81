/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes the patches of a stream by their place in the grid, with the best decoders of this
 * processor. FORMAT.md, L3 stream, Patches.
 */
#include <assert.h>
#include <errno.h>

#include "l3/simd/patch_dispatch.h"
#include "l3/patch/l3_stream.h"
#include "l3/stream/patch_decode.h"

/* The working memory of one thread. */
struct work {
    struct lod_rans_tables tables;
    struct lod_small_rows rows;
    const struct lod_l3_patch_dispatch *kernels;
};

static_assert(sizeof(struct work) <= LOD_L3_WORK_BYTES, "callers hand over this much");

int lod_l3_work_init_with(const struct lod_l3_stream *stream,
                          const struct lod_l3_patch_dispatch *kernels, void *work)
{
    struct work *own = work;

    own->kernels = lod_l3_patch_dispatch_of(kernels, stream->image.bits);
    return lod_rans_tables_take(stream->tables, stream->image.samples, &own->tables);
}

int lod_l3_work_init(const struct lod_l3_stream *stream, void *work)
{
    return lod_l3_work_init_with(stream, lod_l3_patch_dispatch_best(), work);
}

static struct lod_l3_patch patch_at(const struct lod_l3_stream *stream, uint32_t row,
                                    uint32_t column)
{
    return (struct lod_l3_patch){
        .width = lod_l3_patch_width(stream, column),
        .height = lod_l3_band_height(stream, row),
        .samples = stream->image.samples,
        .bits = stream->image.bits,
    };
}

static int decode(const struct lod_l3_patch *patch, struct lod_span bytes,
                  const struct lod_l3_target *target, struct work *work)
{
    return lod_l3_patch_decode(work->kernels, patch, bytes, &work->tables, target, &work->rows);
}

static bool is_small(struct lod_span bytes)
{
    return bytes.bytes && (bytes.at[0] & ~LOD_L3_KIND_GREEN) == LOD_L3_KIND_SMALL;
}

/* A small patch that waits for a second one of its size. */
struct waiting {
    struct lod_span bytes[LOD_L3_PAIR];
    struct lod_l3_target target[LOD_L3_PAIR];
    unsigned count;
    struct lod_l3_patch patch;
};

static int decode_waiting(struct waiting *w, struct work *work)
{
    unsigned count = w->count;

    w->count = 0;
    if (count == LOD_L3_PAIR) {
        return work->kernels->small_pair(&w->patch, w->bytes, &work->tables, w->target);
    }
    return count ? decode(&w->patch, w->bytes[0], w->target, work) : 0;
}

/* Keeps a small patch until a second one comes; decodes all others immediately. */
static int decode_or_wait(const struct lod_l3_patch *patch, struct lod_span bytes,
                          struct lod_l3_target target, struct waiting *w, struct work *work)
{
    if (!work->kernels->small_pair || !is_small(bytes)) {
        return decode(patch, bytes, &target, work);
    }
    if (w->count && w->patch.width != patch->width) {
        int r = decode_waiting(w, work);
        if (r) {
            return r;
        }
    }
    w->patch = *patch;
    w->bytes[w->count] = bytes;
    w->target[w->count++] = target;
    return w->count == LOD_L3_PAIR ? decode_waiting(w, work) : 0;
}

int lod_l3_decode_band(const struct lod_l3_stream *stream, uint32_t row, struct lod_span band,
                       uint8_t *into, size_t stride, void *work)
{
    size_t step = lod_l3_pixel_bytes(&stream->image) << stream->side_log2;
    struct lod_cursor c = lod_cursor(band.at, band.bytes);
    struct waiting waiting = {.count = 0};

    for (uint32_t column = 0; column < stream->columns; column++) {
        struct lod_l3_patch patch = patch_at(stream, row, column);
        struct lod_l3_target target = {.into = into + column * step, .stride = stride};
        struct lod_span bytes = {.bytes = lod_l3_patch_bytes(stream, row, column)};
        bytes.at = lod_take(&c, bytes.bytes);
        int r = c.short_of_bytes ? -EILSEQ : decode_or_wait(&patch, bytes, target, &waiting, work);
        if (r) {
            return r;
        }
    }
    return c.left ? -EILSEQ : decode_waiting(&waiting, work);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures what a script does to a photograph: it is encoded by the encoder of the store and every
 * fidelity is put together from the codec's own plan, so bytes are those a mount will show.
 */
#include "pcr/curve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "codec.h"
#include "encoder.h"
#include "pcr/jpeg_io.h"
#include "pcr/jpeg_scan.h"
#include "pcr/msssim.h"

struct lod_curve_source {
    struct lod_span jpeg;
    struct lod_msssim *msssim;
    uint32_t width, height, channels; /* of the whole photograph */
    uint32_t crop_width, crop_height; /* of its middle, which is compared */
    struct lod_buf file;              /* one fidelity */
    struct lod_buf pixels;            /* its decode */
    struct lod_buf crop;
};

/* A middle of at most LOD_CURVE_PIXELS_MAX: about square, longer where the photograph is narrow. */
static void plan_crop(struct lod_curve_source *s)
{
    s->crop_height = s->height < LOD_CURVE_SIDE ? s->height : LOD_CURVE_SIDE;
    uint32_t most = LOD_CURVE_PIXELS_MAX / s->crop_height;
    s->crop_width = s->width < most ? s->width : most;
    most = LOD_CURVE_PIXELS_MAX / s->crop_width;
    s->crop_height = s->height < most ? s->height : most;
}

/* Copies the middle of the decoded pixels into `crop`. */
static int take_crop(struct lod_curve_source *s, struct lod_msssim_image *ret_crop)
{
    size_t pixel = s->channels, row = s->width * pixel;
    size_t bytes = s->crop_width * pixel;
    const uint8_t *at = s->pixels.data + (s->height - s->crop_height) / 2 * row +
                        (s->width - s->crop_width) / 2 * pixel;

    s->crop.bytes = 0;
    for (uint32_t y = 0; y < s->crop_height; y++) {
        int error = lod_buf_append(&s->crop, at + y * row, bytes);
        if (error) {
            return error;
        }
    }
    *ret_crop = (struct lod_msssim_image){s->crop.data, s->crop_width, s->crop_height, s->channels};
    return 0;
}

static int read_reference(struct lod_curve_source *s)
{
    struct lod_msssim_image crop;
    int error = lod_jpeg_decode(s->jpeg, &s->pixels, &s->width, &s->height, &s->channels);

    if (error) {
        return error;
    }
    plan_crop(s);
    error = take_crop(s, &crop);
    return error ? error : lod_msssim_create(crop, &s->msssim);
}

/* Which errors say "not a photograph to be measured"; the others stop everything. */
static int unfit(int error)
{
    return error && error != -ENOMEM ? -ENOTSUP : error;
}

static int find_class(struct lod_span jpeg, unsigned *ret_class)
{
    const char *why = NULL;
    struct lod_jpeg_layout *layout = malloc(sizeof(*layout));
    if (!layout) {
        return -ENOMEM;
    }
    int error = lod_jpeg_scan(jpeg, layout, &why);
    if (!error) {
        *ret_class = lod_quant_class(layout->luma_table);
    }
    free(layout);
    return unfit(error);
}

int lod_curve_source_create(struct lod_span jpeg, unsigned *ret_class,
                            struct lod_curve_source **ret_source)
{
    unsigned class = 0;
    int error = find_class(jpeg, &class);
    if (error) {
        return error;
    }
    struct lod_curve_source *source = calloc(1, sizeof(*source));
    if (!source) {
        return -ENOMEM;
    }
    source->jpeg = jpeg;
    error = unfit(read_reference(source));
    if (error) {
        lod_curve_source_destroy(source);
        return error;
    }
    *ret_class = class;
    *ret_source = source;
    return 0;
}

struct lod_curve_source *lod_curve_source_destroy(struct lod_curve_source *source)
{
    if (source) {
        lod_msssim_destroy(source->msssim);
        lod_buf_finish(&source->file);
        lod_buf_finish(&source->pixels);
        lod_buf_finish(&source->crop);
        free(source);
    }
    return NULL;
}

/* Puts together the bytes a mount would show for `plan`. */
static int assemble(const struct lod_plan *plan, const struct lod_encoded *item,
                    struct lod_buf *file)
{
    int error = 0;

    file->bytes = 0;
    for (unsigned i = 0; i < plan->count && !error; i++) {
        const struct lod_piece *piece = &plan->pieces[i];
        const uint8_t *from = piece->mem;
        if (piece->kind == LOD_PIECE_STORED) {
            from = item->group[piece->group - 1].data + piece->offset;
        }
        error = lod_buf_append(file, from, piece->bytes);
    }
    return error;
}

static int measure_fidelity(struct lod_curve_source *s, const struct lod_encoded *item,
                            const struct lod_plan *plan, double *ret_mssim)
{
    struct lod_msssim_image crop;
    uint32_t width = 0, height = 0, channels = 0;
    int error = assemble(plan, item, &s->file);

    if (!error) {
        error = lod_jpeg_decode(lod_buf_span(&s->file), &s->pixels, &width, &height, &channels);
    }
    if (!error && (width != s->width || height != s->height || channels != s->channels)) {
        error = -ENOTSUP;
    }
    if (!error) {
        error = take_crop(s, &crop);
    }
    return error ? error : lod_msssim_compare(s->msssim, crop, ret_mssim);
}

/* All fidelities of an encoded item. An empty group shows the file of the one before. */
static int measure_item(struct lod_curve_source *s, const struct lod_encoded *item,
                        struct lod_curve *ret_curve)
{
    struct lod_curve curve = {.source_bytes = (double)s->jpeg.bytes};

    for (unsigned k = 0; k < LOD_SCRIPT_GROUPS; k++) {
        struct lod_plan plan;
        int error = lod_codec_plan(&lod_codec_pcr, item->row, LOD_FORMAT_TREE,
                                   (enum lod_fidelity)(LOD_Q1 + k), &plan);
        if (error) {
            return error;
        }
        curve.bytes[k] = (double)plan.bytes;
        if (k > 0 && item->group[k].bytes == 0) {
            curve.mssim[k] = curve.mssim[k - 1];
            continue;
        }
        error = measure_fidelity(s, item, &plan, &curve.mssim[k]);
        if (error) {
            return error;
        }
    }
    *ret_curve = curve;
    return 0;
}

int lod_curve_measure(struct lod_curve_source *source, const struct lod_script *script,
                      struct lod_curve *ret_curve)
{
    struct lod_scan_choice choice;
    struct lod_encode_options options = {.scans = &choice};
    struct lod_encoded item = {0};

    memset(&choice, 0, sizeof(choice));
    for (unsigned i = 0; i < LOD_QUANT_CLASSES; i++) {
        choice.classes[i].count = 1;
        choice.classes[i].scripts[0] = script;
    }
    int error = lod_encoder_pcr.encode(source->jpeg, &options, &item);
    if (!error) {
        error = item.whole ? -ENOTSUP : measure_item(source, &item, ret_curve);
    }
    lod_encoded_finish(&item);
    return unfit(error);
}

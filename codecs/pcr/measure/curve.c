/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures one script on one photograph. The store's encoder encodes it, and every fidelity is put
 * together from the codec's plan, so the sizes are those that a mount shows.
 */
#include "pcr/measure/curve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "codec.h"
#include "encoder.h"
#include "pcr/jpeg/jpeg_io.h"
#include "pcr/jpeg/jpeg_scan.h"
#include "hash.h"
#include "pcr/measure/decode_cost.h"
#include "likeness/msssim.h"
#include "pcr/pcr_row.h"
#include "pcr/pcr_scans.h"

/* The most results that are kept: one for each fidelity of each script. */
#define KNOWN_MAX (LOD_SCRIPTS_MAX * LOD_SCRIPT_GROUPS)

struct lod_curve_source {
    struct lod_span jpeg;
    struct lod_msssim *msssim;
    uint32_t width, height, channels; /* of the whole photograph */
    uint32_t crop_width, crop_height; /* of the part that is compared */
    uint32_t crop_x, crop_y;
    struct lod_jpeg_layout layout;
    unsigned known_count; /* states that were measured */
    struct {
        uint64_t state;
        double mssim;
    } known[KNOWN_MAX];
    struct lod_buf file;   /* one fidelity */
    struct lod_buf pixels; /* its decode */
    struct lod_buf crop;
};

/* Chooses a crop of about side * side pixels. It is square if the photograph has `side` pixels in
 * both directions, else longer in the other direction. */
static void plan_crop(struct lod_curve_source *s, uint32_t side)
{
    uint64_t place = lod_hash64(s->jpeg.at, s->jpeg.bytes, 0);

    s->crop_height = s->height < side ? s->height : side;
    uint32_t most = side * side / s->crop_height;
    s->crop_width = s->width < most ? s->width : most;
    most = side * side / s->crop_width;
    s->crop_height = s->height < most ? s->height : most;
    s->crop_x = (uint32_t)(place & 0xffff) * (s->width - s->crop_width) >> 16;
    s->crop_y = (uint32_t)(place >> 16 & 0xffff) * (s->height - s->crop_height) >> 16;
}

/* Copies the part of the decoded pixels into `crop`. */
static int take_crop(struct lod_curve_source *s, struct lod_msssim_image *ret_crop)
{
    size_t pixel = s->channels, row = s->width * pixel;
    size_t bytes = s->crop_width * pixel;
    const uint8_t *at = s->pixels.data + s->crop_y * row + s->crop_x * pixel;

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

static int read_reference(struct lod_curve_source *s, uint32_t side)
{
    struct lod_msssim_image crop;
    int error = lod_jpeg_decode(s->jpeg, &s->pixels, &s->width, &s->height, &s->channels);

    if (error) {
        return error;
    }
    plan_crop(s, side);
    error = take_crop(s, &crop);
    return error ? error : lod_msssim_create_sampled(crop, &s->msssim);
}

/* Maps errors that mean "cannot be measured" to -ENOTSUP; other errors end the measurement. */
static int unfit(int error)
{
    return error && error != -ENOMEM ? -ENOTSUP : error;
}

int lod_curve_source_create(struct lod_span jpeg, uint32_t side, unsigned *ret_class,
                            struct lod_curve_source **ret_source)
{
    struct lod_curve_source *source = calloc(1, sizeof(*source));
    const char *why = NULL;

    if (!source) {
        return -ENOMEM;
    }
    source->jpeg = jpeg;
    int error = unfit(lod_jpeg_scan(jpeg, &source->layout, &why));
    error = error ? error : unfit(read_reference(source, side));
    if (error) {
        lod_curve_source_destroy(source);
        return error;
    }
    *ret_class = lod_quant_class(source->layout.luma_table);
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

/* Writes the file that a mount would show for `plan`. */
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

/* Adapts the script to the photograph's components, as the encoder does. */
static void fit(const struct lod_curve_source *s, const struct lod_script *script,
                struct lod_script *ret_fitted)
{
    uint8_t blocks[LOD_SCRIPT_COMPONENTS] = {0};

    for (unsigned c = 0; c < s->layout.components; c++) {
        blocks[c] = (uint8_t)(s->layout.h[c] * s->layout.v[c]);
    }
    lod_script_fit(script, s->layout.components, blocks, ret_fitted);
}

/*
 * Returns a hash of the coefficient bits that groups 1 .. `last` send. If two scripts have sent the
 * same bits, a decoder makes the same pixels of both.
 */
static uint64_t state_of(const struct lod_script *fitted, unsigned last, bool closed)
{
    int8_t bit[LOD_SCRIPT_COMPONENTS + 1][LOD_JPEG_BLOCK];

    memset(bit, -1, sizeof(bit));
    bit[LOD_SCRIPT_COMPONENTS][0] = closed;
    for (unsigned i = 0; i < fitted->count && fitted->scans[i].group <= last; i++) {
        const struct lod_scan *scan = &fitted->scans[i];
        for (unsigned c = 0; c < scan->count; c++) {
            memset(bit[scan->component[c]] + scan->first, scan->low, scan->last - scan->first + 1u);
        }
    }
    return lod_hash64(bit, sizeof(bit), 0);
}

/* Returns whether a fidelity with the same bits was measured before, and its MSSIM. */
static bool is_known(const struct lod_curve_source *s, uint64_t state, double *ret_mssim)
{
    for (unsigned i = 0; i < s->known_count; i++) {
        if (s->known[i].state == state) {
            *ret_mssim = s->known[i].mssim;
            return true;
        }
    }
    return false;
}

static int measure_state(struct lod_curve_source *s, const struct lod_encoded *item,
                         const struct lod_plan *plan, uint64_t state, double *ret_mssim)
{
    if (is_known(s, state, ret_mssim)) {
        return 0;
    }
    int error = measure_fidelity(s, item, plan, ret_mssim);
    if (!error && s->known_count < KNOWN_MAX) {
        s->known[s->known_count].state = state;
        s->known[s->known_count++].mssim = *ret_mssim;
    }
    return error;
}

/* Measures one fidelity. If its group is empty, its file equals that of the fidelity below. */
static int measure_group(struct lod_curve_source *s, const struct lod_encoded *item,
                         const struct lod_script *fitted, unsigned k, struct lod_curve *curve)
{
    const enum lod_fidelity fidelity = (enum lod_fidelity)(LOD_Q1 + k);
    struct lod_plan plan;

    int error = lod_codec_plan(&lod_codec_pcr, item->row, LOD_FORMAT_TREE, fidelity, &plan);
    if (error) {
        return error;
    }
    curve->bytes[k] = (double)plan.bytes;
    if (lod_pcr_shows_source(item->row, fidelity)) {
        curve->mssim[k] = curve->decode[k] = 1;
        return 0;
    }
    const bool closed = fidelity == LOD_Q1 && item->row[LOD_PCR_CLOSING];
    curve->decode[k] =
        lod_decode_cost(&s->layout, fitted, fidelity, plan.bytes, closed, s->jpeg.bytes);
    if (k > 0 && item->group[k].bytes == 0) {
        curve->mssim[k] = curve->mssim[k - 1];
        return 0;
    }
    return measure_state(s, item, &plan, state_of(fitted, fidelity, closed), &curve->mssim[k]);
}

static int measure_item(struct lod_curve_source *s, const struct lod_encoded *item,
                        const struct lod_script *script, struct lod_curve *ret_curve)
{
    struct lod_curve curve = {.source_bytes = (double)s->jpeg.bytes};
    struct lod_script fitted;
    int error = 0;

    fit(s, script, &fitted);
    lod_photo_features(item->row, curve.features);
    for (unsigned k = 0; k < LOD_SCRIPT_GROUPS && !error; k++) {
        error = measure_group(s, item, &fitted, k, &curve);
    }
    if (!error) {
        *ret_curve = curve;
    }
    return error;
}

/* -ENOTSUP: it is stored WHOLE. */
static int encode(struct lod_curve_source *source, const struct lod_script *script, unsigned top,
                  struct lod_encoded *ret_item)
{
    struct lod_scan_choice choice;
    struct lod_encode_options options = {.scans = &choice, .top = (uint8_t)top};

    memset(&choice, 0, sizeof(choice));
    for (unsigned i = 0; i < LOD_QUANT_CLASSES; i++) {
        choice.classes[i].count = 1;
        choice.classes[i].scripts[0] = script;
    }
    int error = lod_encoder_pcr.encode(source->jpeg, &options, ret_item);
    if (!error && ret_item->whole) {
        lod_encoded_finish(ret_item);
        error = -ENOTSUP;
    }
    return error;
}

int lod_curve_measure(struct lod_curve_source *source, const struct lod_script *script,
                      unsigned top, struct lod_curve *ret_curve)
{
    struct lod_encoded item = {0};
    int error = encode(source, script, top, &item);

    if (!error) {
        error = measure_item(source, &item, script, ret_curve);
        lod_encoded_finish(&item);
    }
    return unfit(error);
}

int lod_curve_scans_bytes(struct lod_curve_source *source, const struct lod_script *script,
                          double *ret_bytes)
{
    struct lod_encoded item = {0};
    int error = encode(source, script, 0, &item);

    if (!error) {
        *ret_bytes = 0;
        for (unsigned i = 0; i < LOD_GROUPS_MAX; i++) {
            *ret_bytes += (double)item.group[i].bytes;
        }
        lod_encoded_finish(&item);
    }
    return unfit(error);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See survey_photo.h. The crops of all fidelities are kept, and compared at the end. So the codec
 * may decode several fidelities in one pass, of which the full image is the last.
 */
#include "survey/survey_photo.h"

#include <errno.h>
#include <stdlib.h>

#include "likeness/msssim.h"
#include "likeness/resize.h"
#include "memory/flight.h"
#include "survey/crops.h"
#include "survey/photo_pixels.h"

/* Of more pixels than this a part of the windows is enough: see lod_msssim_create_sampled. */
#define PIXELS_ALL (512u * 512)

/* Memory of MS-SSIM: 9 planes of floats for the scales of a sample, and rows. */
#define MSSSIM_BYTES_A_SAMPLE 36u

struct photo {
    struct lod_photo_pixels source;
    unsigned inputs;
    struct lod_crop_set crop_sets[LOD_SURVEY_INPUTS_MAX];
    size_t crop_bytes, crops_bytes; /* of the largest crop; of all crops */
    unsigned forms[LOD_FULL + 1];   /* of the pixels of q1 .. full; [0] unused */
    uint8_t *whole;                 /* the pixels of one fidelity */
    uint8_t *crops[LOD_FULL + 1];   /* all crops at a fidelity; equal pixels are there once */
};

/* Finds the places of the crops. */
static void place_crops(struct photo *photo)
{
    for (unsigned i = 0; i < photo->inputs; i++) {
        for (unsigned k = 0; k < photo->crop_sets[i].count; k++) {
            struct lod_crop *crop = &photo->crop_sets[i].crops[k];
            const size_t bytes = (size_t)crop->width * crop->height * photo->source.pixels.channels;
            crop->at = photo->crops_bytes;
            photo->crops_bytes += bytes;
            photo->crop_bytes = bytes > photo->crop_bytes ? bytes : photo->crop_bytes;
        }
    }
}

/* Returns the lowest fidelity that has the same pixels as this one. */
static unsigned same_as(const struct photo *photo, unsigned f)
{
    unsigned same = photo->forms[f] < LOD_FORMS_MAX ? LOD_Q1 : f;

    while (photo->forms[same] != photo->forms[f]) {
        same++;
    }
    return same;
}

static struct lod_msssim_image image_of(const struct photo *photo, const struct lod_crop *crop,
                                        unsigned f)
{
    return (struct lod_msssim_image){photo->crops[same_as(photo, f)] + crop->at, crop->width,
                                     crop->height, photo->source.pixels.channels};
}

/* Resizes one crop of the pixels in `whole`, those of fidelity f. */
static int resize_crop(const struct photo *photo, const struct lod_crop *crop, unsigned f)
{
    const struct lod_pixels *pixels = &photo->source.pixels;
    const uint32_t channels = pixels->channels;
    const size_t stride = (size_t)pixels->width * channels;
    const struct lod_resize_image part = {.at = photo->whole + crop->y * stride +
                                                (size_t)crop->x * channels,
                                          .width = crop->from_width,
                                          .height = crop->from_height,
                                          .channels = channels,
                                          .stride = stride};

    return lod_resize(&part, crop->width, crop->height, photo->crops[f] + crop->at);
}

/* Keeps all crops of the pixels in `whole`. */
static int keep_crops(struct photo *photo, unsigned f)
{
    int error = 0;

    photo->crops[f] = malloc(photo->crops_bytes);
    error = photo->crops[f] ? 0 : -ENOMEM;
    for (unsigned i = 0; i < photo->inputs; i++) {
        const struct lod_crop_set *set = &photo->crop_sets[i];
        for (unsigned k = 0; !error && k < set->count; k++) {
            error = resize_crop(photo, &set->crops[k], f);
        }
    }
    return error;
}

static unsigned fidelity_of(const struct photo *photo, unsigned form)
{
    unsigned f = LOD_Q1;

    while (f < LOD_FULL && photo->forms[f] != form) {
        f++;
    }
    return f;
}

static int keep_form(void *ctx, unsigned form)
{
    struct photo *photo = ctx;

    return keep_crops(photo, fidelity_of(photo, form));
}

/* Decodes fidelity f, and in the same pass others that cost little more. */
static int decode(struct photo *photo, unsigned f)
{
    const unsigned form = photo->forms[f], last = lod_photo_pixels_series(&photo->source, form);
    const struct lod_series series = {.first = form, .step = keep_form, .ctx = photo};

    if (last > form) {
        return lod_photo_pixels_make(&photo->source, &series, last, photo->whole);
    }
    int error = lod_photo_pixels_read(&photo->source, (enum lod_fidelity)f, photo->whole);
    return error ? error : keep_crops(photo, f);
}

static int decode_all(struct photo *photo)
{
    int error = 0;

    for (unsigned f = LOD_Q1; !error && f <= LOD_FULL; f++) {
        error = photo->crops[same_as(photo, f)] ? 0 : decode(photo, f);
    }
    return error;
}

static int create_msssim(struct lod_msssim_image image, struct lod_msssim **ret_full)
{
    const bool large = (size_t)image.width * image.height > PIXELS_ALL;

    return large ? lod_msssim_create_sampled(image, ret_full) : lod_msssim_create(image, ret_full);
}

/* Adds the likeness of one crop to that of each fidelity. */
static int compare_crop(const struct photo *photo, const struct lod_crop *crop, double *mssim)
{
    struct lod_msssim *full = NULL;
    double value = 0;
    int error = create_msssim(image_of(photo, crop, LOD_FULL), &full);

    for (unsigned f = LOD_Q1; !error && f <= LOD_Q10; f++) {
        if (same_as(photo, f) == f && same_as(photo, LOD_FULL) != f) {
            error = lod_msssim_compare(full, image_of(photo, crop, f), &value);
            mssim[f] += value;
        }
    }
    lod_msssim_destroy(full);
    return error;
}

/* Finds the mean over the crops of one input. */
static int compare_crops(const struct photo *photo, const struct lod_crop_set *set, double *mssim)
{
    int error = 0;

    for (unsigned i = 0; !error && i < set->count; i++) {
        error = compare_crop(photo, &set->crops[i], mssim);
    }
    for (unsigned f = LOD_Q1; !error && f <= LOD_FULL; f++) {
        const unsigned same = same_as(photo, f);
        mssim[f] = same == same_as(photo, LOD_FULL) ? 1
                   : same == f                      ? mssim[f] / set->count
                                                    : mssim[same];
    }
    return error;
}

static int compare_all(const struct photo *photo, struct lod_survey_photo *into)
{
    int error = 0;

    for (unsigned i = 0; !error && i < photo->inputs; i++) {
        if (!photo->crop_sets[i].small) {
            error = compare_crops(photo, &photo->crop_sets[i], into[i].mssim);
        }
    }
    return error;
}

/*
 * Returns the bytes of memory for the pixels, for the crops at each fidelity, and for the MS-SSIM
 * of one crop.
 */
static uint64_t cost(const struct photo *photo)
{
    uint64_t bytes = lod_pixels_bytes(&photo->source.pixels) +
                     (uint64_t)photo->crop_bytes * MSSSIM_BYTES_A_SAMPLE;

    for (unsigned f = LOD_Q1; f <= LOD_FULL; f++) {
        bytes += same_as(photo, f) == f ? photo->crops_bytes : 0;
    }
    return bytes;
}

static int measure(struct photo *photo, struct lod_memory_semaphore *work,
                   struct lod_survey_photo *into)
{
    int error = 0;

    place_crops(photo);
    for (unsigned f = LOD_Q1; !error && f <= LOD_FULL; f++) {
        error = lod_photo_pixels_form(&photo->source, (enum lod_fidelity)f, &photo->forms[f]);
    }
    if (error) {
        return error;
    }
    const uint64_t held = lod_memory_semaphore_take(work, cost(photo));
    photo->whole = malloc((size_t)lod_pixels_bytes(&photo->source.pixels));
    error = photo->whole ? decode_all(photo) : -ENOMEM;
    error = error ? error : compare_all(photo, into);
    for (unsigned f = LOD_Q1; f <= LOD_FULL; f++) {
        free(photo->crops[f]);
    }
    free(photo->whole);
    lod_memory_semaphore_release(work, held);
    return error;
}

static bool are_all_small(const struct photo *photo)
{
    bool small = true;

    for (unsigned i = 0; i < photo->inputs; i++) {
        small &= photo->crop_sets[i].small;
    }
    return small;
}

int lod_survey_photo_measure(struct lod_reader *reader, const struct lod_item *item,
                             const struct lod_survey_options *options,
                             struct lod_memory_semaphore *work, struct lod_survey_photo *ret_photos)
{
    struct lod_survey_photo found[LOD_SURVEY_INPUTS_MAX] = {{.item = item->number}};
    struct photo photo = {.inputs = 0};
    int error = lod_photo_pixels_find(reader, item, &photo.source);

    if (!error) {
        photo.inputs = options->inputs_count;
        for (unsigned i = 0; i < photo.inputs; i++) {
            lod_crop_set_plan(&photo.source, &options->inputs[i], &photo.crop_sets[i]);
        }
        error = are_all_small(&photo) ? 0 : measure(&photo, work, found);
    }
    for (unsigned i = 0; i < options->inputs_count; i++) {
        found[i].item = item->number;
        found[i].outcome = error                      ? LOD_SURVEY_UNREADABLE
                           : photo.crop_sets[i].small ? LOD_SURVEY_SMALL
                                                      : LOD_SURVEY_COMPARED;
        ret_photos[i] = found[i];
    }
    return lod_error_is_temporary(error) ? error : 0;
}

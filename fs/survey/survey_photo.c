/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See survey_photo.h. A crop is a part of a photograph, resized as for a batch of training. Without
 * random crops there is a single one, the whole image. Random crops are represented by five centred
 * squares. Their areas are the middles of fifths of the crops' range: at .08 that is 17, 36, 54, 72
 * and 91 % of the image.
 */
#include "survey/survey_photo.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "hash.h"
#include "likeness/msssim.h"
#include "likeness/resize.h"
#include "memory/flight.h"
#include "survey/photo_pixels.h"

#define CROPS 5

/* Of a larger crop only a part with this side is compared, so that memory has a limit. */
#define IMAGE_SIDE_MAX 1024u
#define CROP_SIDE_MAX  512u

/* Of more pixels than this a part of the windows is enough: see lod_msssim_create_sampled. */
#define LOOK_PIXELS_ALL (512u * 512)

/* Memory of MS-SSIM: 9 planes of floats for the scales of a sample, and rows. */
#define MSSSIM_BYTES_A_SAMPLE 36u

/* The part [x, x + from_width) x [y, y + from_height) of the image, at width x height. */
struct crop {
    uint32_t x, y, from_width, from_height;
    uint32_t width, height;
    struct lod_msssim *full; /* the reference of comparisons */
};

/* The crops of one input. */
struct sight {
    unsigned count;
    struct crop crops[CROPS];
    bool small;
};

struct photo {
    struct lod_photo_pixels source;
    unsigned inputs;
    struct sight sights[LOD_SURVEY_INPUTS_MAX];
    uint8_t *whole; /* the pixels of one fidelity */
    uint8_t *seen;  /* one crop of them */
};

/* Keeps the part of the crop that is compared. Its place follows from the item's number. */
static void limit(struct crop *crop, uint32_t number, uint32_t side_max)
{
    const uint64_t place = lod_hash64(&number, sizeof(number), 0);

    if (crop->width > side_max) {
        const uint32_t part = (uint32_t)((uint64_t)crop->from_width * side_max / crop->width);
        crop->x += (uint32_t)((place & 0xffff) * (crop->from_width - part) >> 16);
        crop->from_width = part;
        crop->width = side_max;
    }
    if (crop->height > side_max) {
        const uint32_t part = (uint32_t)((uint64_t)crop->from_height * side_max / crop->height);
        crop->y += (uint32_t)((place >> 16 & 0xffff) * (crop->from_height - part) >> 16);
        crop->from_height = part;
        crop->height = side_max;
    }
}

static void plan_whole(const struct lod_photo_pixels *source, uint32_t size, struct sight *sight)
{
    struct crop *crop = &sight->crops[sight->count++];

    crop->from_width = source->pixels.width;
    crop->from_height = source->pixels.height;
    lod_resize_sides(crop->from_width, crop->from_height, size ? size : UINT32_MAX, &crop->width,
                     &crop->height);
    limit(crop, source->item->number, IMAGE_SIDE_MAX);
}

static void plan_crops(const struct lod_photo_pixels *source, const struct lod_survey_input *input,
                       struct sight *sight)
{
    const uint32_t width = source->pixels.width, height = source->pixels.height;
    const uint32_t shorter = width < height ? width : height;

    for (unsigned i = 0; i < CROPS; i++) {
        struct crop *crop = &sight->crops[sight->count++];
        const double area = input->crop + (1 - input->crop) * (2 * i + 1) / (2 * CROPS);
        const double side = sqrt(area * width * height);
        const uint32_t from = side < 1 ? 1 : side < shorter ? (uint32_t)side : shorter;
        *crop = (struct crop){.x = (width - from) / 2,
                              .y = (height - from) / 2,
                              .from_width = from,
                              .from_height = from,
                              .width = input->size,
                              .height = input->size};
        limit(crop, source->item->number, CROP_SIDE_MAX);
    }
}

static bool is_small(const struct sight *sight)
{
    bool small = false;

    for (unsigned i = 0; i < sight->count; i++) {
        const struct crop *crop = &sight->crops[i];
        small |= crop->width < LOD_SURVEY_SIZE_MIN || crop->height < LOD_SURVEY_SIZE_MIN ||
                 crop->from_width < LOD_SURVEY_SIZE_MIN || crop->from_height < LOD_SURVEY_SIZE_MIN;
    }
    return small;
}

static void plan_sights(const struct lod_survey_options *options, struct photo *photo)
{
    photo->inputs = options->inputs_count;
    for (unsigned i = 0; i < photo->inputs; i++) {
        const struct lod_survey_input *input = &options->inputs[i];
        struct sight *sight = &photo->sights[i];
        if (input->crop > 0) {
            plan_crops(&photo->source, input, sight);
        } else {
            plan_whole(&photo->source, input->size, sight);
        }
        sight->small = is_small(sight);
        sight->count = sight->small ? 0 : sight->count;
    }
}

/* Returns the size of the largest crop in bytes, and in *ret_all that of all crops together. */
static size_t look_bytes(const struct photo *photo, uint64_t *ret_all)
{
    size_t most = 0;

    *ret_all = 0;
    for (unsigned i = 0; i < photo->inputs; i++) {
        for (unsigned k = 0; k < photo->sights[i].count; k++) {
            const struct crop *crop = &photo->sights[i].crops[k];
            size_t bytes = (size_t)crop->width * crop->height * photo->source.pixels.channels;
            most = bytes > most ? bytes : most;
            *ret_all += bytes;
        }
    }
    return most;
}

/* Resizes one crop of the pixels in `whole` into `seen`. */
static int resize_crop(const struct photo *photo, const struct crop *crop,
                       struct lod_msssim_image *ret_image)
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

    *ret_image = (struct lod_msssim_image){photo->seen, crop->width, crop->height, channels};
    return lod_resize(&part, crop->width, crop->height, photo->seen);
}

static int keep_crop(struct lod_msssim_image image, struct lod_msssim **ret_full)
{
    const bool large = (size_t)image.width * image.height > LOOK_PIXELS_ALL;

    return large ? lod_msssim_create_sampled(image, ret_full) : lod_msssim_create(image, ret_full);
}

/* Keeps the crops of the pixels in `whole`, to compare others with them. */
static int keep_full(struct photo *photo)
{
    struct lod_msssim_image image;
    int error = 0;

    for (unsigned i = 0; i < photo->inputs; i++) {
        struct sight *sight = &photo->sights[i];
        for (unsigned k = 0; !error && k < sight->count; k++) {
            error = resize_crop(photo, &sight->crops[k], &image);
            error = error ? error : keep_crop(image, &sight->crops[k].full);
        }
    }
    return error;
}

/* Returns the mean over the crops of one input. */
static int compare_sight(const struct photo *photo, const struct sight *sight, double *ret_mssim)
{
    struct lod_msssim_image image;
    double sum = 0, value = 0;
    int error = 0;

    for (unsigned i = 0; !error && i < sight->count; i++) {
        error = resize_crop(photo, &sight->crops[i], &image);
        error = error ? error : lod_msssim_compare(sight->crops[i].full, image, &value);
        sum += value;
    }
    if (!error) {
        *ret_mssim = sum / sight->count;
    }
    return error;
}

static int compare(const struct photo *photo, unsigned f, struct lod_survey_photo *into)
{
    int error = lod_photo_pixels_read(&photo->source, (enum lod_fidelity)f, photo->whole);

    for (unsigned i = 0; !error && i < photo->inputs; i++) {
        const struct sight *sight = &photo->sights[i];
        error = sight->small ? 0 : compare_sight(photo, sight, &into[i].mssim[f]);
    }
    return error;
}

/* Compares each fidelity. Those of one form have the same pixels, which are decoded once. */
static int compare_all(struct photo *photo, struct lod_survey_photo *into)
{
    unsigned full_form, form, last_form = LOD_FORMS_MAX;
    int error = lod_photo_pixels_form(&photo->source, LOD_FULL, &full_form);

    error = error ? error : lod_photo_pixels_read(&photo->source, LOD_FULL, photo->whole);
    error = error ? error : keep_full(photo);
    for (unsigned i = 0; i < photo->inputs; i++) {
        into[i].mssim[LOD_FULL] = 1;
    }
    for (unsigned f = LOD_Q1; !error && f <= LOD_Q10; f++) {
        error = lod_photo_pixels_form(&photo->source, (enum lod_fidelity)f, &form);
        const bool known = form < LOD_FORMS_MAX && (form == full_form || form == last_form);
        for (unsigned i = 0; !error && known && i < photo->inputs; i++) {
            into[i].mssim[f] = into[i].mssim[form == full_form ? LOD_FULL : f - 1];
        }
        if (!error && !known) {
            error = compare(photo, f, into);
        }
        last_form = form;
    }
    return error;
}

static void drop_looks(struct photo *photo)
{
    for (unsigned i = 0; i < photo->inputs; i++) {
        for (unsigned k = 0; k < photo->sights[i].count; k++) {
            lod_msssim_destroy(photo->sights[i].crops[k].full);
        }
    }
}

static int measure(struct photo *photo, struct lod_memory_semaphore *work,
                   struct lod_survey_photo *into)
{
    const uint64_t pixels = lod_pixels_bytes(&photo->source.pixels);
    uint64_t all;
    const size_t most = look_bytes(photo, &all);
    const uint64_t held =
        lod_memory_semaphore_take(work, pixels + most + all * MSSSIM_BYTES_A_SAMPLE);

    photo->whole = malloc((size_t)pixels);
    photo->seen = malloc(most);
    int error = photo->whole && photo->seen ? compare_all(photo, into) : -ENOMEM;
    drop_looks(photo);
    free(photo->whole);
    free(photo->seen);
    lod_memory_semaphore_give(work, held);
    return error;
}

static bool are_all_small(const struct photo *photo)
{
    bool small = true;

    for (unsigned i = 0; i < photo->inputs; i++) {
        small &= photo->sights[i].small;
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
        plan_sights(options, &photo);
        error = are_all_small(&photo) ? 0 : measure(&photo, work, found);
    }
    for (unsigned i = 0; i < options->inputs_count; i++) {
        found[i].item = item->number;
        found[i].outcome = error                   ? LOD_SURVEY_UNREADABLE
                           : photo.sights[i].small ? LOD_SURVEY_SMALL
                                                   : LOD_SURVEY_COMPARED;
        ret_photos[i] = found[i];
    }
    return lod_error_passes(error) ? error : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See survey_photo.h. A network sees a photograph through one or more looks: a part of it, brought
 * to the size of a batch. Without crops there is one look, the whole image. Random crops are
 * represented by five centred squares, whose areas are the middles of fifths of the crops' range:
 * at .08 that is 17, 36, 54, 72 and 91 % of the image.
 */
#include "survey/survey_photo.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "hash.h"
#include "likeness/msssim.h"
#include "likeness/resize.h"
#include "memory/flight.h"
#include "pixels.h"

#define CROPS 5

/* A larger look is compared in a part of this side only, so that memory has a limit. */
#define LOOK_SIDE_MAX 1024u
#define CROP_SIDE_MAX 512u

/* Of more pixels than this a part of the windows is enough: see lod_msssim_create_sampled. */
#define LOOK_PIXELS_ALL (512u * 512)

/* Memory of MS-SSIM: 9 planes of floats for the scales of a sample, and rows. */
#define MSSSIM_BYTES_A_SAMPLE 36u

/* The part [x, x + from_width) x [y, y + from_height) of the image, at width x height. */
struct look {
    uint32_t x, y, from_width, from_height;
    uint32_t width, height;
    struct lod_msssim *full; /* what it is compared with */
};

struct photo {
    struct lod_reader *reader;
    const struct lod_item *item;
    struct lod_pixels pixels;
    unsigned count;
    struct look looks[CROPS];
    uint8_t *whole; /* the pixels of one fidelity */
    uint8_t *seen;  /* one look at them */
};

/* Keeps the part of the look that is compared. Its place follows from the item's number. */
static void limit(struct look *look, uint32_t number, uint32_t side_max)
{
    const uint64_t place = lod_hash64(&number, sizeof(number), 0);

    if (look->width > side_max) {
        const uint32_t part = (uint32_t)((uint64_t)look->from_width * side_max / look->width);
        look->x += (uint32_t)((place & 0xffff) * (look->from_width - part) >> 16);
        look->from_width = part;
        look->width = side_max;
    }
    if (look->height > side_max) {
        const uint32_t part = (uint32_t)((uint64_t)look->from_height * side_max / look->height);
        look->y += (uint32_t)((place >> 16 & 0xffff) * (look->from_height - part) >> 16);
        look->from_height = part;
        look->height = side_max;
    }
}

static void plan_whole(struct photo *photo, uint32_t size)
{
    struct look *look = &photo->looks[photo->count++];

    look->from_width = photo->pixels.width;
    look->from_height = photo->pixels.height;
    lod_resize_sides(look->from_width, look->from_height, size ? size : UINT32_MAX, &look->width,
                     &look->height);
    limit(look, photo->item->number, LOOK_SIDE_MAX);
}

static void plan_crops(struct photo *photo, uint32_t size, double least)
{
    const uint32_t width = photo->pixels.width, height = photo->pixels.height;
    const uint32_t shorter = width < height ? width : height;

    for (unsigned i = 0; i < CROPS; i++) {
        struct look *look = &photo->looks[photo->count++];
        const double area = least + (1 - least) * (2 * i + 1) / (2 * CROPS);
        const double side = sqrt(area * width * height);
        const uint32_t from = side < 1 ? 1 : side < shorter ? (uint32_t)side : shorter;
        *look = (struct look){.x = (width - from) / 2,
                              .y = (height - from) / 2,
                              .from_width = from,
                              .from_height = from,
                              .width = size,
                              .height = size};
        limit(look, photo->item->number, CROP_SIDE_MAX);
    }
}

static bool is_small(const struct photo *photo)
{
    bool small = false;

    for (unsigned i = 0; i < photo->count; i++) {
        const struct look *look = &photo->looks[i];
        small |= look->width < LOD_SURVEY_SIZE_MIN || look->height < LOD_SURVEY_SIZE_MIN ||
                 look->from_width < LOD_SURVEY_SIZE_MIN || look->from_height < LOD_SURVEY_SIZE_MIN;
    }
    return small;
}

/* Samples of the largest look. */
static size_t look_bytes(const struct photo *photo)
{
    size_t most = 0;

    for (unsigned i = 0; i < photo->count; i++) {
        size_t bytes = (size_t)photo->looks[i].width * photo->looks[i].height;
        most = bytes > most ? bytes : most;
    }
    return most * photo->pixels.channels;
}

static uint64_t memory_of(const struct photo *photo)
{
    return lod_pixels_bytes(&photo->pixels) +
           look_bytes(photo) * (1 + (uint64_t)photo->count * MSSSIM_BYTES_A_SAMPLE);
}

static int plan_pixels(const struct photo *photo, enum lod_fidelity fidelity, struct lod_plan *plan,
                       unsigned *ret_form)
{
    const struct lod_item *item = photo->item;
    int error = lod_codec_plan(item->codec, item->row, LOD_FORMAT_DECODED, fidelity, plan);

    *ret_form = LOD_FORMS_MAX; /* stored pixels: like those of no other fidelity */
    for (unsigned i = 0; !error && i < plan->count; i++) {
        if (plan->pieces[i].kind == LOD_PIECE_MADE) {
            *ret_form = plan->pieces[i].form;
        }
    }
    return error;
}

/* Brings one look at the pixels in `whole` to its size, in `seen`. */
static int look_at(const struct photo *photo, const struct look *look,
                   struct lod_msssim_image *ret_image)
{
    const uint32_t channels = photo->pixels.channels;
    const size_t stride = (size_t)photo->pixels.width * channels;
    const struct lod_resize_image part = {.at = photo->whole + look->y * stride +
                                                (size_t)look->x * channels,
                                          .width = look->from_width,
                                          .height = look->from_height,
                                          .channels = channels,
                                          .stride = stride};

    *ret_image = (struct lod_msssim_image){photo->seen, look->width, look->height, channels};
    return lod_resize(&part, look->width, look->height, photo->seen);
}

static int read_pixels(const struct photo *photo, const struct lod_plan *plan)
{
    return lod_reader_read_into(photo->reader, photo->item, plan, plan->text_bytes, photo->whole,
                                (size_t)lod_pixels_bytes(&photo->pixels));
}

static int keep_look(struct lod_msssim_image image, struct lod_msssim **ret_full)
{
    const bool large = (size_t)image.width * image.height > LOOK_PIXELS_ALL;

    return large ? lod_msssim_create_sampled(image, ret_full) : lod_msssim_create(image, ret_full);
}

static int keep_full(struct photo *photo, const struct lod_plan *plan)
{
    struct lod_msssim_image image;
    int error = read_pixels(photo, plan);

    for (unsigned i = 0; !error && i < photo->count; i++) {
        error = look_at(photo, &photo->looks[i], &image);
        error = error ? error : keep_look(image, &photo->looks[i].full);
    }
    return error;
}

/* The mean over the looks. */
static int compare(const struct photo *photo, const struct lod_plan *plan, double *ret_mssim)
{
    struct lod_msssim_image image;
    double sum = 0, value = 0;
    int error = read_pixels(photo, plan);

    for (unsigned i = 0; !error && i < photo->count; i++) {
        error = look_at(photo, &photo->looks[i], &image);
        error = error ? error : lod_msssim_compare(photo->looks[i].full, image, &value);
        sum += value;
    }
    if (!error) {
        *ret_mssim = sum / photo->count;
    }
    return error;
}

/* Fidelities of one form have the same pixels, which are decoded once. */
static int compare_all(struct photo *photo, struct lod_survey_photo *into)
{
    struct lod_plan plan;
    unsigned full_form, form, last_form = LOD_FORMS_MAX;
    int error = plan_pixels(photo, LOD_FULL, &plan, &full_form);

    error = error ? error : keep_full(photo, &plan);
    into->mssim[LOD_FULL] = 1;
    for (unsigned f = LOD_Q1; !error && f <= LOD_Q10; f++) {
        error = plan_pixels(photo, (enum lod_fidelity)f, &plan, &form);
        if (!error && form < LOD_FORMS_MAX && (form == full_form || form == last_form)) {
            into->mssim[f] = into->mssim[form == full_form ? LOD_FULL : f - 1];
        } else if (!error) {
            error = compare(photo, &plan, &into->mssim[f]);
        }
        last_form = form;
    }
    return error;
}

/* Finds the dimensions. -ENOTSUP: there are no 8-bit pixels. */
static int find_pixels(struct photo *photo)
{
    const struct lod_item *item = photo->item;
    struct lod_plan plan;
    unsigned form;

    if (!lod_codec_decoded_ending(item->codec, item->row)) {
        return -ENOTSUP;
    }
    int error = plan_pixels(photo, LOD_FULL, &plan, &form);
    error = error ? error : lod_pixels_of_plan(&plan, &photo->pixels);
    return error                                                      ? error
           : photo->pixels.sample_bytes != 1                          ? -ENOTSUP
           : lod_pixels_bytes(&photo->pixels) > LOD_DECODED_BYTES_MAX ? -E2BIG
                                                                      : 0;
}

static int measure(struct photo *photo, struct lod_memory_semaphore *work,
                   struct lod_survey_photo *into)
{
    const uint64_t held = lod_memory_semaphore_take(work, memory_of(photo));

    photo->whole = malloc((size_t)lod_pixels_bytes(&photo->pixels));
    photo->seen = malloc(look_bytes(photo));
    int error = photo->whole && photo->seen ? compare_all(photo, into) : -ENOMEM;
    for (unsigned i = 0; i < photo->count; i++) {
        lod_msssim_destroy(photo->looks[i].full);
    }
    free(photo->whole);
    free(photo->seen);
    lod_memory_semaphore_give(work, held);
    return error;
}

int lod_survey_photo_measure(struct lod_reader *reader, const struct lod_item *item,
                             const struct lod_survey_options *options,
                             struct lod_memory_semaphore *work, struct lod_survey_photo *ret_photo)
{
    struct photo photo = {.reader = reader, .item = item};
    struct lod_survey_photo found = {.outcome = LOD_SURVEY_UNREADABLE};
    int error = find_pixels(&photo);

    if (!error && options->crop > 0) {
        plan_crops(&photo, options->size, options->crop);
    } else if (!error) {
        plan_whole(&photo, options->size);
    }
    if (!error && is_small(&photo)) {
        found.outcome = LOD_SURVEY_SMALL;
    } else if (!error) {
        error = measure(&photo, work, &found);
        found.outcome = error ? LOD_SURVEY_UNREADABLE : LOD_SURVEY_COMPARED;
    }
    *ret_photo = found;
    return lod_error_passes(error) ? error : 0;
}

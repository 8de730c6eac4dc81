/* SPDX-License-Identifier: Apache-2.0 */
/* See picture.h. */
#include "report/picture.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "likeness/resize.h"
#include "pcr/jpeg/jpeg_io.h"
#include "survey/photo_pixels.h"

#define QUALITY    95u
#define ASPECT_MAX 1.5 /* a longer picture is cut to its middle */
#define STEPS      16u /* places of the part to try in each direction */

struct size {
    uint32_t width, height;
};

/* The buffers of one photograph. */
struct work {
    struct lod_photo_pixels photo;
    uint8_t *whole, *seen, *shown; /* as decoded; at the size of training; as on the page */
    struct size sides;             /* width and height of `seen` */
    uint32_t part, x, y;           /* the square of `seen` that is shown: its side and place */
};

static int make_buffers(struct work *work)
{
    const struct lod_pixels *pixels = &work->photo.pixels;
    const size_t seen = (size_t)work->sides.width * work->sides.height * pixels->channels;

    work->whole = malloc((size_t)lod_pixels_bytes(pixels));
    work->seen = malloc(seen);
    work->shown = malloc(seen);
    return work->whole && work->seen && work->shown ? 0 : -ENOMEM;
}

static struct lod_resize_image image_of(const struct work *work, const uint8_t *at,
                                        struct size sides)
{
    const uint32_t channels = work->photo.pixels.channels;

    return (struct lod_resize_image){.at = at,
                                     .width = sides.width,
                                     .height = sides.height,
                                     .channels = channels,
                                     .stride = (size_t)sides.width * channels};
}

static struct lod_resize_image cut(struct lod_resize_image image, uint32_t x, uint32_t y,
                                   struct size sides)
{
    image.at += y * image.stride + (size_t)x * image.channels;
    image.width = sides.width;
    image.height = sides.height;
    return image;
}

/* Resizes an image to `sides` and encodes it. */
static int encode(const struct work *work, struct lod_resize_image image, struct size sides,
                  struct lod_picture *into)
{
    static const struct lod_jpeg_encode_options options = {.quality = QUALITY};
    int error = lod_resize(&image, sides.width, sides.height, work->shown);

    error = error ? error
                  : lod_jpeg_encode(work->shown, sides.width, sides.height, image.channels,
                                    &options, &into->file);
    into->width = sides.width;
    into->height = sides.height;
    return error;
}

static uint32_t at_most(uint32_t side, double limit)
{
    return side > limit ? (uint32_t)limit : side;
}

static int encode_whole(const struct work *work, struct lod_picture *into)
{
    const struct size sides = work->sides;
    const struct size middle = {at_most(sides.width, sides.height * ASPECT_MAX),
                                at_most(sides.height, sides.width * ASPECT_MAX)};
    struct size shown;

    lod_resize_sides(middle.width, middle.height, LOD_PICTURE_SIDE_MAX, &shown.width,
                     &shown.height);
    return encode(work,
                  cut(image_of(work, work->seen, sides), (sides.width - middle.width) / 2,
                      (sides.height - middle.height) / 2, middle),
                  shown, into);
}

static int encode_part(const struct work *work, struct lod_picture *into)
{
    const struct size part = {work->part, work->part};

    return encode(work, cut(image_of(work, work->seen, work->sides), work->x, work->y, part), part,
                  into);
}

/* The standard deviation of a square's second channel, which is green, or of gray. */
static double contrast(const struct work *work, uint32_t x, uint32_t y)
{
    const uint32_t channels = work->photo.pixels.channels;
    double sum = 0, squares = 0;

    for (uint32_t row = y; row < y + work->part; row++) {
        const uint8_t *at =
            work->seen + ((size_t)row * work->sides.width + x) * channels + (channels > 1 ? 1 : 0);
        for (uint32_t i = 0; i < work->part; i++, at += channels) {
            sum += *at;
            squares += (double)*at * *at;
        }
    }
    const double count = (double)work->part * work->part, mean = sum / count;
    return sqrt(fmax(0, squares / count - mean * mean));
}

/* Chooses the square with the most contrast, which counts half as much at a corner as in
 * the middle. */
static void choose_part(struct work *work)
{
    const uint32_t wide = work->sides.width - work->part, high = work->sides.height - work->part;
    double best = -1;

    for (unsigned i = 0; i <= STEPS; i++) {
        for (unsigned k = 0; k <= STEPS; k++) {
            const uint32_t x = wide * i / STEPS, y = high * k / STEPS;
            const double away = hypot(2.0 * i / STEPS - 1, 2.0 * k / STEPS - 1) / sqrt(2);
            const double value = contrast(work, x, y) * (1 - away / 2);
            if (value > best) {
                best = value;
                work->x = x;
                work->y = y;
            }
        }
    }
}

static int see(const struct work *work, enum lod_fidelity fidelity)
{
    const struct size source = {work->photo.pixels.width, work->photo.pixels.height};
    const struct lod_resize_image image = image_of(work, work->whole, source);
    int error = lod_photo_pixels_read(&work->photo, fidelity, work->whole);

    return error ? error : lod_resize(&image, work->sides.width, work->sides.height, work->seen);
}

/* Encodes the image in `seen`. */
static int encode_pair(const struct work *work, struct lod_picture_pair *into)
{
    int error = encode_whole(work, &into->whole);

    return error ? error : encode_part(work, &into->part);
}

/* Makes the pair of full first, from which the part is chosen.
 * Each fidelity is decoded once. */
static int make_pairs(struct work *work, const enum lod_fidelity *fidelities, unsigned count,
                      struct lod_picture_pair *pairs)
{
    int error = see(work, LOD_FULL);

    if (!error) {
        choose_part(work);
    }
    for (unsigned i = 0; !error && i < count; i++) {
        error = fidelities[i] == LOD_FULL ? encode_pair(work, &pairs[i]) : 0;
    }
    for (unsigned i = 0; !error && i < count; i++) {
        if (fidelities[i] != LOD_FULL) {
            error = see(work, fidelities[i]);
            error = error ? error : encode_pair(work, &pairs[i]);
        }
    }
    return error;
}

static int plan(struct work *work, uint32_t size)
{
    const struct lod_pixels *pixels = &work->photo.pixels;

    if (pixels->channels != 1 && pixels->channels != 3) {
        return -ENOTSUP;
    }
    lod_resize_sides(pixels->width, pixels->height, size, &work->sides.width, &work->sides.height);
    const uint32_t shorter =
        work->sides.width < work->sides.height ? work->sides.width : work->sides.height;
    work->part = at_most(shorter, LOD_PICTURE_PART);
    return 0;
}

int lod_picture_set_make(struct lod_reader *reader, const struct lod_item *item, uint32_t size,
                         const enum lod_fidelity *fidelities, unsigned count,
                         struct lod_picture_set *set)
{
    struct work work = {.part = 0};
    int error = lod_photo_pixels_find(reader, item, &work.photo);

    *set = (struct lod_picture_set){.source_width = work.photo.pixels.width,
                                    .source_height = work.photo.pixels.height};
    error = error ? error : plan(&work, size);
    error = error ? error : make_buffers(&work);
    error = error ? error
                  : make_pairs(&work, fidelities,
                               count < LOD_PICTURE_LEVELS_MAX ? count : LOD_PICTURE_LEVELS_MAX,
                               set->pairs);
    free(work.whole);
    free(work.seen);
    free(work.shown);
    return error;
}

void lod_picture_set_finish(struct lod_picture_set *set)
{
    for (unsigned i = 0; i < LOD_PICTURE_LEVELS_MAX; i++) {
        lod_buf_finish(&set->pairs[i].whole.file);
        lod_buf_finish(&set->pairs[i].part.file);
    }
}

size_t lod_picture_set_bytes(const struct lod_picture_set *set)
{
    size_t bytes = 0;

    for (unsigned i = 0; i < LOD_PICTURE_LEVELS_MAX; i++) {
        bytes += set->pairs[i].whole.file.bytes + set->pairs[i].part.file.bytes;
    }
    return bytes;
}

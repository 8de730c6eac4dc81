/* SPDX-License-Identifier: Apache-2.0 */
/* See photo_pixels.h. */
#include "survey/photo_pixels.h"

#include <errno.h>

static int plan_pixels(const struct lod_item *item, enum lod_fidelity fidelity,
                       struct lod_plan *plan)
{
    return lod_codec_plan(item->codec, item->row, LOD_FORMAT_DECODED, fidelity, plan);
}

int lod_photo_pixels_form(const struct lod_photo_pixels *photo, enum lod_fidelity fidelity,
                          unsigned *ret_form)
{
    struct lod_plan plan;
    int error = plan_pixels(photo->item, fidelity, &plan);

    *ret_form = LOD_FORMS_MAX;
    for (unsigned i = 0; !error && i < plan.count; i++) {
        if (plan.pieces[i].kind == LOD_PIECE_MADE) {
            *ret_form = plan.pieces[i].form;
        }
    }
    return error;
}

int lod_photo_pixels_read(const struct lod_photo_pixels *photo, enum lod_fidelity fidelity,
                          uint8_t *into)
{
    struct lod_plan plan;
    int error = plan_pixels(photo->item, fidelity, &plan);

    return error ? error
                 : lod_reader_read_once(photo->reader, photo->item, &plan, plan.text_bytes, into,
                                        (size_t)lod_pixels_bytes(&photo->pixels));
}

unsigned lod_photo_pixels_series(const struct lod_photo_pixels *photo, unsigned form)
{
    const struct lod_maker *maker = photo->item->codec->maker;
    const bool made = form < LOD_FORMS_MAX && maker->series_end;

    return made ? maker->series_end(photo->item->row, form) : form;
}

int lod_photo_pixels_make(const struct lod_photo_pixels *photo, const struct lod_series *series,
                          unsigned last, uint8_t *into)
{
    return lod_reader_make_series(photo->reader, photo->item, series, last, into,
                                  lod_pixels_bytes(&photo->pixels));
}

int lod_photo_pixels_find(struct lod_reader *reader, const struct lod_item *item,
                          struct lod_photo_pixels *ret_photo)
{
    struct lod_photo_pixels photo = {.reader = reader, .item = item};
    struct lod_plan plan;

    if (!lod_codec_decoded_ending(item->codec, item->row)) {
        return -ENOTSUP;
    }
    int error = plan_pixels(item, LOD_FULL, &plan);
    error = error ? error : lod_pixels_of_plan(&plan, &photo.pixels);
    if (!error && photo.pixels.sample_bytes != 1) {
        error = -ENOTSUP;
    } else if (!error && lod_pixels_bytes(&photo.pixels) > LOD_DECODED_BYTES_MAX) {
        error = -E2BIG;
    }
    if (!error) {
        *ret_photo = photo;
    }
    return error;
}

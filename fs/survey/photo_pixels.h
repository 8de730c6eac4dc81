/* SPDX-License-Identifier: Apache-2.0 */
/* The 8-bit pixels of an item at any fidelity. They come from the plans of decoded/, so this knows
 * no codec. */
#ifndef LOD_PHOTO_PIXELS_H
#define LOD_PHOTO_PIXELS_H

#include "codec.h"
#include "compiler.h"
#include "dataset/dataset.h"
#include "pixels.h"
#include "read/reader.h"

struct lod_photo_pixels {
    struct lod_reader *reader;
    const struct lod_item *item;
    struct lod_pixels pixels;
};

/*
 * Finds the dimensions; borrows reader and item. Returns -ENOTSUP if the item has no 8-bit pixels,
 * -E2BIG if they pass LOD_DECODED_BYTES_MAX, -EILSEQ for a malformed row.
 */
LOD_MUST_CHECK int lod_photo_pixels_find(struct lod_reader *reader, const struct lod_item *item,
                                         struct lod_photo_pixels *ret_photo);

/* Returns the form of the pixels at a fidelity: equal forms are equal pixels. LOD_FORMS_MAX: the
 * pixels are stored, and differ from those of every other fidelity. */
LOD_MUST_CHECK int lod_photo_pixels_form(const struct lod_photo_pixels *photo,
                                         enum lod_fidelity fidelity, unsigned *ret_form);

/* Reads lod_pixels_bytes(&photo->pixels) bytes. Returns an error of lod_reader_read_once. */
LOD_MUST_CHECK int lod_photo_pixels_read(const struct lod_photo_pixels *photo,
                                         enum lod_fidelity fidelity, uint8_t *into);

/* Returns the last form of the series that begins with a form; that form, if it is made alone. */
unsigned lod_photo_pixels_series(const struct lod_photo_pixels *photo, unsigned form);

/* Makes the forms series->first .. last of a series in turn in `into`, each as
 * lod_photo_pixels_read does. Returns an error of lod_reader_make_series. */
LOD_MUST_CHECK int lod_photo_pixels_make(const struct lod_photo_pixels *photo,
                                         const struct lod_series *series, unsigned last,
                                         uint8_t *into);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pictures of the page, of an invented photograph: all pixels of a fidelity have one gray, and
 * full also has a pattern in one place. Counts how often each fidelity is decoded.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "pcr/jpeg/jpeg_io.h"
#include "report/picture.h"
#include "survey/photo_pixels.h"

#define SIDE    300u
#define SIZE    224u
#define LEVEL   20u  /* of gray, times the fidelity */
#define PATTERN 120u /* x and y at which the pattern begins */
#define END     180u /* x and y at which it ends */

static unsigned decoded[LOD_FULL + 1];

int lod_photo_pixels_find(struct lod_reader *reader, const struct lod_item *item,
                          struct lod_photo_pixels *ret_photo)
{
    *ret_photo = (struct lod_photo_pixels){
        .reader = reader,
        .item = item,
        .pixels = {.width = SIDE, .height = SIDE, .channels = 1, .sample_bytes = 1}};
    return 0;
}

int lod_photo_pixels_form(const struct lod_photo_pixels *photo, enum lod_fidelity fidelity,
                          unsigned *ret_form)
{
    (void)photo;
    *ret_form = fidelity;
    return 0;
}

int lod_photo_pixels_read(const struct lod_photo_pixels *photo, enum lod_fidelity fidelity,
                          uint8_t *into)
{
    (void)photo;
    decoded[fidelity]++;
    memset(into, (int)(LEVEL * fidelity), (size_t)SIDE * SIDE);
    for (uint32_t y = PATTERN; fidelity == LOD_FULL && y < END; y++) {
        for (uint32_t x = PATTERN; x < END; x++) {
            into[y * SIDE + x] = (x / 6 + y / 6) % 2 ? 255 : 0;
        }
    }
    return 0;
}

/* Returns the lowest and the highest pixel of a picture. */
static void range(const struct lod_picture *picture, uint8_t *ret_low, uint8_t *ret_high)
{
    const struct lod_span file = {picture->file.data, picture->file.bytes};
    struct lod_buf pixels = {0};
    uint32_t width, height, channels;

    cr_assert_eq(lod_jpeg_decode(file, &pixels, &width, &height, &channels), 0);
    cr_assert_eq(width, picture->width);
    cr_assert_eq(height, picture->height);
    *ret_low = *ret_high = pixels.data[0];
    for (size_t i = 0; i < pixels.bytes; i++) {
        *ret_low = pixels.data[i] < *ret_low ? pixels.data[i] : *ret_low;
        *ret_high = pixels.data[i] > *ret_high ? pixels.data[i] : *ret_high;
    }
    lod_buf_finish(&pixels);
}

static void check_pair(const struct lod_picture_pair *pair, enum lod_fidelity fidelity)
{
    const struct lod_picture *pictures[] = {&pair->whole, &pair->part};
    uint8_t low, high;

    for (unsigned i = 0; i < 2; i++) {
        range(pictures[i], &low, &high);
        if (fidelity == LOD_FULL) {
            cr_assert(low < 50 && high > 240, "full: %u .. %u", low, high);
        } else {
            cr_assert(low == LEVEL * fidelity && high == low, "%s: %u .. %u",
                      lod_fidelity_name(fidelity), low, high);
        }
    }
}

/* The page has full last; here it also stands in other places. */
Test(picture, each_fidelity_is_decoded_once)
{
    enum lod_fidelity fidelities[] = {LOD_Q1, LOD_Q1 + 1, LOD_Q1 + 4, LOD_FULL};
    const unsigned count = sizeof(fidelities) / sizeof(fidelities[0]);

    for (unsigned turn = 0; turn < count; turn++) {
        struct lod_picture_set set;
        memset(decoded, 0, sizeof(decoded));
        cr_assert_eq(lod_picture_set_make(NULL, NULL, SIZE, fidelities, count, &set), 0);
        for (unsigned i = 0; i < count; i++) {
            cr_assert_eq(decoded[fidelities[i]], 1, "%s was decoded %u times",
                         lod_fidelity_name(fidelities[i]), decoded[fidelities[i]]);
            check_pair(&set.pairs[i], fidelities[i]);
        }
        lod_picture_set_finish(&set);
        const enum lod_fidelity first = fidelities[0];
        memmove(fidelities, fidelities + 1, (count - 1) * sizeof(fidelities[0]));
        fidelities[count - 1] = first;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The crops of a photograph. A crop is a part of it, resized as for a batch of training. Without
 * random crops there is a single one, the whole image. Random crops are represented by five centred
 * squares. Their areas are the middles of fifths of the crops' range: at .08 that is 17, 36, 54, 72
 * and 91 % of the image. Numbers only, no pixels.
 */
#ifndef LOD_CROPS_H
#define LOD_CROPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "survey/photo_pixels.h"
#include "survey/survey.h"

#define LOD_CROPS_MAX 5

/* The part [x, x + from_width) x [y, y + from_height) of the image, at width x height. */
struct lod_crop {
    uint32_t x, y, from_width, from_height;
    uint32_t width, height;
    size_t at; /* free for the caller */
};

/* The crops of one input. */
struct lod_crop_set {
    unsigned count;
    struct lod_crop crops[LOD_CROPS_MAX];
    bool small;
};

/* Plans the crops of one input. If one has a side below LOD_SURVEY_SIZE_MIN, there is none. */
void lod_crop_set_plan(const struct lod_photo_pixels *source, const struct lod_survey_input *input,
                       struct lod_crop_set *ret_set);

#endif

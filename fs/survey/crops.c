/* SPDX-License-Identifier: Apache-2.0 */
/* See crops.h. */
#include "survey/crops.h"

#include <math.h>

#include "hash.h"
#include "likeness/resize.h"

/* Only a square with this side is compared of a larger crop, to bound the memory. */
#define IMAGE_SIDE_MAX 1024u
#define CROP_SIDE_MAX  512u

/* Keeps the part of the crop that is compared. Its place follows from the item's number. */
static void limit(struct lod_crop *crop, uint32_t number, uint32_t side_max)
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

static void plan_whole(const struct lod_photo_pixels *source, uint32_t size,
                       struct lod_crop_set *set)
{
    struct lod_crop *crop = &set->crops[set->count++];

    crop->from_width = source->pixels.width;
    crop->from_height = source->pixels.height;
    lod_resize_sides(crop->from_width, crop->from_height, size ? size : UINT32_MAX, &crop->width,
                     &crop->height);
    limit(crop, source->item->number, IMAGE_SIDE_MAX);
}

static void plan_crops(const struct lod_photo_pixels *source, const struct lod_survey_input *input,
                       struct lod_crop_set *set)
{
    const uint32_t width = source->pixels.width, height = source->pixels.height;
    const uint32_t shorter = width < height ? width : height;

    for (unsigned i = 0; i < LOD_CROPS_MAX; i++) {
        struct lod_crop *crop = &set->crops[set->count++];
        const double area = input->crop + (1 - input->crop) * (2 * i + 1) / (2 * LOD_CROPS_MAX);
        const double side = sqrt(area * width * height);
        const uint32_t from = side < 1 ? 1 : side < shorter ? (uint32_t)side : shorter;
        *crop = (struct lod_crop){.x = (width - from) / 2,
                                  .y = (height - from) / 2,
                                  .from_width = from,
                                  .from_height = from,
                                  .width = input->size,
                                  .height = input->size};
        limit(crop, source->item->number, CROP_SIDE_MAX);
    }
}

static bool is_small(const struct lod_crop_set *set)
{
    bool small = false;

    for (unsigned i = 0; i < set->count; i++) {
        const struct lod_crop *crop = &set->crops[i];
        small |= crop->width < LOD_SURVEY_SIZE_MIN || crop->height < LOD_SURVEY_SIZE_MIN ||
                 crop->from_width < LOD_SURVEY_SIZE_MIN || crop->from_height < LOD_SURVEY_SIZE_MIN;
    }
    return small;
}

void lod_crop_set_plan(const struct lod_photo_pixels *source, const struct lod_survey_input *input,
                       struct lod_crop_set *ret_set)
{
    *ret_set = (struct lod_crop_set){.count = 0};
    if (input->crop > 0) {
        plan_crops(source, input, ret_set);
    } else {
        plan_whole(source, input->size, ret_set);
    }
    ret_set->small = is_small(ret_set);
    ret_set->count = ret_set->small ? 0 : ret_set->count;
}

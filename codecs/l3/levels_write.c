/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See levels_write.h. Masks and drawings must never change. So an image gets levels only under
 * three conditions: the user names the file, the image has a pixel format of photographs, and its
 * levels are small, which those of masks are not. FORMAT.md, Levels.
 */
#include "l3/levels_write.h"

#include <errno.h>
#include <stdlib.h>

#include "l3/container/container.h"
#include "l3/container/level_rules.h"
#include "l3/l3_pixels.h"
#include "pcr/entropy/scans_split.h"
#include "pcr/entropy/scans_write.h"
#include "pcr/exact/scans_read.h"
#include "pcr/jpeg/jpeg_io.h"

#define QUALITY      85u
#define LEVELS_LEAST 4u /* with fewer levels they do not pay; masks never have four */
#define LEVEL_MAX    ((1u << 24) - 1)

/* An image is flat if 3 of 4 pixels equal their left neighbour: real masks have .96 and more,
 * photographs .59 at most. */
#define FLAT_PARTS 3u
#define ALL_PARTS  4u

/* The scans are not complete: the finest bits are only in the exact image. */
static const struct lod_script levels = {.name = "levels",
                                         .count = 10,
                                         .scans = {{1, 3, {0, 1, 2}, 0, 0, 0, 1},
                                                   {2, 1, {0}, 1, 63, 0, 4},
                                                   {3, 1, {1}, 1, 63, 0, 2},
                                                   {3, 1, {2}, 1, 63, 0, 2},
                                                   {4, 1, {0}, 1, 63, 4, 3},
                                                   {5, 1, {0}, 1, 20, 3, 2},
                                                   {6, 1, {0}, 21, 63, 3, 2},
                                                   {6, 1, {1}, 1, 63, 2, 1},
                                                   {6, 1, {2}, 1, 63, 2, 1},
                                                   {7, 1, {0}, 1, 20, 2, 1}}};

static const uint8_t soi[] = {0xff, 0xd8};

static uint64_t image_bytes(const struct lod_l3_image *image)
{
    return lod_l3_row_bytes(image) * image->height;
}

/* The pixels in order, the JPEG, its coefficients twice while they are copied, and the scans. */
uint64_t lod_l3_levels_write_cost(const struct lod_l3_image *image)
{
    return 5 * image_bytes(image);
}

static bool is_flat(const struct lod_l3_image *image, const uint8_t *samples)
{
    const size_t step = image->samples, stride = step * image->width;
    uint64_t equal = 0;

    for (uint32_t y = 0; y < image->height; y++, samples += stride) {
        for (size_t x = step; x < stride; x += step) {
            equal += memcmp(samples + x, samples + x - step, step) == 0;
        }
    }
    return equal * ALL_PARTS >= (uint64_t)image->width * image->height * FLAT_PARTS;
}

static int encode(const struct lod_l3_row *row, const uint8_t *samples, struct lod_buf *file)
{
    const struct lod_l3_image image = lod_png_image(&row->out.header);
    const struct lod_jpeg_encode_options options = {.quality = QUALITY, .half = image.samples > 1};
    const struct lod_span none = {0};
    uint8_t *pixels = malloc(image_bytes(&image));
    int error = pixels ? lod_l3_pixels_band(row, none, samples, (size_t)lod_l3_row_bytes(&image),
                                            image.height, pixels)
                       : -ENOMEM;

    error = error
                ? error
                : lod_jpeg_encode(pixels, image.width, image.height, image.samples, &options, file);
    free(pixels);
    return error;
}

/* Writes the coefficients as scans, reads them again, and cuts them into groups. */
static int transcode(const struct lod_jpeg *jpeg, struct lod_buf groups[LOD_SCRIPT_GROUPS])
{
    uint8_t blocks[LOD_SCRIPT_COMPONENTS] = {0};
    struct lod_buf written = {0};
    struct lod_script fitted;

    for (unsigned c = 0; c < jpeg->frame.components; c++) {
        blocks[c] = (uint8_t)(jpeg->frame.component[c].h * jpeg->frame.component[c].v);
    }
    lod_script_fit(&levels, jpeg->frame.components, blocks, &fitted);
    int error = lod_scans_write(jpeg, &fitted, &written);
    error = error ? error : lod_scans_check(lod_buf_span(&written), jpeg, false);
    error = error ? error : lod_buf_append(&groups[0], soi, sizeof(soi));
    error = error ? error : lod_scans_split(lod_buf_span(&written), &fitted, groups);
    lod_buf_finish(&written);
    return error;
}

static int make_groups(const struct lod_l3_row *row, const uint8_t *samples,
                       struct lod_buf groups[LOD_SCRIPT_GROUPS])
{
    struct lod_jpeg *jpeg = NULL;
    struct lod_buf file = {0};
    const char *why;
    int error = encode(row, samples, &file);

    error =
        error ? error : lod_jpeg_read(lod_buf_span(&file), LOD_JPEG_DECODE_BYTES_MAX, &jpeg, &why);
    lod_buf_finish(&file);
    error = error ? error : transcode(jpeg, groups);
    lod_jpeg_destroy(jpeg);
    return error;
}

/* Sets the levels of the row, as many as are small enough. Returns how many. */
static unsigned choose(struct lod_l3_row *row, const struct lod_buf *groups)
{
    unsigned count = 0;

    while (count < LOD_L3_LEVELS && groups[count].bytes <= LEVEL_MAX) {
        row->level[count] = (uint32_t)groups[count].bytes;
        if (!lod_l3_levels_are_sound(row)) {
            break;
        }
        count++;
    }
    for (unsigned i = count < LEVELS_LEAST ? 0 : count; i < LOD_L3_LEVELS; i++) {
        row->level[i] = 0;
    }
    return count;
}

static int add_groups(const struct lod_l3_row *row, const struct lod_buf *groups,
                      struct lod_encoded *item)
{
    const struct lod_buf *around = &item->group[LOD_L3_GROUP_CHUNKS - 1];
    int error = lod_buf_append(&item->group[0], around->data, around->bytes);

    for (unsigned i = 0; !error && i < LOD_L3_LEVELS; i++) {
        error = lod_buf_append(&item->group[i], groups[i].data, row->level[i]);
    }
    return error;
}

int lod_l3_levels_write(struct lod_l3_row *row, const uint8_t *samples, struct lod_encoded *item,
                        const char **ret_why)
{
    const struct lod_l3_image image = lod_png_image(&row->out.header);
    struct lod_buf groups[LOD_SCRIPT_GROUPS] = {0};
    const char *why = !lod_l3_level_is_allowed(row) ? "it is not a gray or RGB image of 8 bits"
                      : !lod_l3_level_fits(row)     ? "it is too large: over about 12 megapixels"
                      : is_flat(&image, samples)    ? "it is flat, as masks are"
                                                    : NULL;
    int error = why ? 0 : make_groups(row, samples, groups);

    if (!error && !why && choose(row, groups) < LEVELS_LEAST) {
        why = "its lower fidelities take over 1/11 of its bytes, as those of masks do";
    }
    error = error || why ? error : add_groups(row, groups, item);
    for (unsigned i = 0; i < LOD_SCRIPT_GROUPS; i++) {
        lod_buf_finish(&groups[i]);
    }
    *ret_why = why;
    return error;
}

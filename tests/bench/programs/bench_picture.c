/* SPDX-License-Identifier: Apache-2.0 */
/* Reads pictures for l3_codec.c with libpng's simple interface. */
#include "bench_picture.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>

#include "bytes.h"

/* Adds eight bits below each sample: the sample again, with its lower half random. */
static void deepen(struct picture *picture)
{
    uint8_t *at = malloc(2 * picture->bytes);
    uint32_t chance = 1;

    for (size_t i = 0; at && i < picture->bytes; i++) {
        chance = chance * 1664525 + 1013904223;
        lod_put_le16(at + 2 * i, (uint16_t)(picture->at[i] * 0x101 ^ chance >> 28));
    }
    free(picture->at);
    picture->at = at;
    picture->bytes *= 2;
    picture->bits = 16;
}

bool picture_read(const char *path, bool is_16bit, struct picture *ret_picture)
{
    static const png_color black = {0, 0, 0};
    png_image image = {.version = PNG_IMAGE_VERSION};
    struct picture picture = {.bits = 8};

    if (!png_image_begin_read_from_file(&image, path)) {
        fprintf(stderr, "%s: %s\n", path, image.message);
        return false;
    }
    image.format = PNG_FORMAT_RGB;
    picture.width = image.width;
    picture.height = image.height;
    picture.bytes = (size_t)image.width * image.height * 3;
    picture.at = malloc(picture.bytes);
    if (!picture.at || !png_image_finish_read(&image, &black, picture.at, 0, NULL)) {
        fprintf(stderr, "%s: %s\n", path, image.message);
        free(picture.at);
        return false;
    }
    if (is_16bit) {
        deepen(&picture);
    }
    *ret_picture = picture;
    return picture.at != NULL;
}

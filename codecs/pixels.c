/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Headers of plain pixel files: binary PGM and PPM after netpbm's pgm(5) and ppm(5); NPY after
 * NumPy's format version 1.0, with a header that fills a multiple of 64 bytes.
 */
#include "pixels.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"

#define NPY_ALIGN 64
#define NPY_HEAD  10 /* magic, version, length of the header's text */

static bool is_pnm(const struct lod_pixels *pixels)
{
    return pixels->sample_bytes == 1 && (pixels->channels == 1 || pixels->channels == 3);
}

const char *lod_pixels_ending(const struct lod_pixels *pixels)
{
    return !is_pnm(pixels) ? ".npy" : pixels->channels == 1 ? ".pgm" : ".ppm";
}

static unsigned pnm_header(const struct lod_pixels *pixels, char text[LOD_PLAN_TEXT_MAX])
{
    return (unsigned)snprintf(text, LOD_PLAN_TEXT_MAX, "P%c\n%u %u\n255\n",
                              pixels->channels == 1 ? '5' : '6', pixels->width, pixels->height);
}

static unsigned npy_header(const struct lod_pixels *pixels, char text[LOD_PLAN_TEXT_MAX])
{
    char rest[LOD_PLAN_TEXT_MAX - NPY_HEAD];
    const char *type = pixels->sample_bytes == 2 ? "<u2" : "|u1";
    int used = snprintf(rest, sizeof(rest),
                        "{'descr': '%s', 'fortran_order': False, 'shape': (%u, %u, %u), }", type,
                        pixels->height, pixels->width, pixels->channels);
    unsigned bytes = (unsigned)lod_round_up(NPY_HEAD + (uint64_t)used + 1, NPY_ALIGN);

    memset(text, ' ', bytes);
    memcpy(text, "\x93NUMPY\x01\x00", NPY_HEAD - 2);
    lod_put_le16((uint8_t *)text + NPY_HEAD - 2, (uint16_t)(bytes - NPY_HEAD));
    memcpy(text + NPY_HEAD, rest, (size_t)used);
    text[bytes - 1] = '\n';
    return bytes;
}

static unsigned header(const struct lod_pixels *pixels, char text[LOD_PLAN_TEXT_MAX])
{
    return is_pnm(pixels) ? pnm_header(pixels, text) : npy_header(pixels, text);
}

int lod_pixels_plan(const struct lod_pixels *pixels, unsigned form, struct lod_plan *plan)
{
    char text[LOD_PLAN_TEXT_MAX];
    unsigned bytes = header(pixels, text);
    int error = lod_plan_add_text(plan, text, bytes);

    return error ? error : lod_plan_add_made(plan, form, 0, lod_pixels_bytes(pixels));
}

/* Finds the numbers in a header's text. Their meaning is checked by making the header again. */
static bool scan_header(const char *text, struct lod_pixels *ret_pixels)
{
    unsigned width, height, channels;

    if (sscanf(text, "P5\n%u %u\n", &width, &height) == 2) {
        *ret_pixels = (struct lod_pixels){width, height, 1, 1};
        return true;
    }
    if (sscanf(text, "P6\n%u %u\n", &width, &height) == 2) {
        *ret_pixels = (struct lod_pixels){width, height, 3, 1};
        return true;
    }
    const char *shape = strstr(text, "'shape': (");
    if (!shape || sscanf(shape, "'shape': (%u, %u, %u)", &height, &width, &channels) != 3) {
        return false;
    }
    *ret_pixels = (struct lod_pixels){width, height, (uint8_t)channels,
                                      strstr(text, "'<u2'") ? (uint8_t)2 : (uint8_t)1};
    return true;
}

int lod_pixels_of_plan(const struct lod_plan *plan, struct lod_pixels *ret_pixels)
{
    char text[LOD_PLAN_TEXT_MAX + 1] = "", again[LOD_PLAN_TEXT_MAX];
    struct lod_pixels pixels;

    memcpy(text, plan->text, plan->text_bytes);
    if (plan->text_bytes > NPY_HEAD && text[0] == '\x93') {
        text[NPY_HEAD - 1] = text[NPY_HEAD - 2] = text[7] = ' '; /* version and length have NULs */
    }
    if (!scan_header(text, &pixels) || header(&pixels, again) != plan->text_bytes ||
        memcmp(again, plan->text, plan->text_bytes) != 0 ||
        lod_pixels_bytes(&pixels) != plan->bytes - plan->text_bytes) {
        return -EILSEQ;
    }
    *ret_pixels = pixels;
    return 0;
}

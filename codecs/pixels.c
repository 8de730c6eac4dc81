/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PGM and PPM after netpbm's pgm(5) and ppm(5), raw; NPY after NumPy's format version 1.0, whose
 * header fills a multiple of 64 bytes.
 */
#include "pixels.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"

#define NPY_ALIGN 64
#define NPY_HEAD  10 /* magic, version, length of the rest */

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

int lod_pixels_plan(const struct lod_pixels *pixels, unsigned form, struct lod_plan *plan)
{
    char text[LOD_PLAN_TEXT_MAX];
    unsigned bytes = is_pnm(pixels) ? pnm_header(pixels, text) : npy_header(pixels, text);
    int error = lod_plan_add_text(plan, text, bytes);

    return error ? error : lod_plan_add_made(plan, form, 0, lod_pixels_bytes(pixels));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* See jpeg_planes.h. */
#include "pcr/jpeg/jpeg_planes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const uint8_t lod_zigzag[LOD_JPEG_BLOCK] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
};

static uint32_t divided_up(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

/* T.81 A.1.1 and A.2: at most 65,535 * 4 pixels are divided. */
void lod_jpeg_frame_measure(struct lod_jpeg_frame *frame)
{
    unsigned h = 1, v = 1;

    for (unsigned c = 0; c < frame->components; c++) {
        h = frame->component[c].h > h ? frame->component[c].h : h;
        v = frame->component[c].v > v ? frame->component[c].v : v;
    }
    frame->mcus_wide = divided_up(frame->width, 8 * h);
    frame->mcus_high = divided_up(frame->height, 8 * v);
    for (unsigned c = 0; c < frame->components; c++) {
        struct lod_jpeg_component *component = &frame->component[c];
        component->blocks_wide = divided_up((uint32_t)frame->width * component->h, 8 * h);
        component->blocks_high = divided_up((uint32_t)frame->height * component->v, 8 * v);
    }
}

static uint64_t plane_blocks(const struct lod_jpeg_frame *frame, unsigned c)
{
    const struct lod_jpeg_component *component = &frame->component[c];

    return (uint64_t)frame->mcus_wide * component->h * frame->mcus_high * component->v;
}

uint64_t lod_jpeg_frame_bytes(const struct lod_jpeg_frame *frame)
{
    uint64_t blocks = 0;

    for (unsigned c = 0; c < frame->components; c++) {
        blocks += plane_blocks(frame, c);
    }
    return blocks * LOD_JPEG_BLOCK * sizeof(int16_t);
}

int lod_jpeg_create(const struct lod_jpeg_frame *frame, struct lod_jpeg **ret_jpeg)
{
    struct lod_jpeg *jpeg = calloc(1, sizeof(*jpeg));

    if (!jpeg) {
        return -ENOMEM;
    }
    jpeg->frame = *frame;
    for (unsigned c = 0; c < frame->components; c++) {
        jpeg->plane[c] = calloc(plane_blocks(frame, c), sizeof(jpeg->plane[c][0]));
        if (!jpeg->plane[c]) {
            lod_jpeg_destroy(jpeg);
            return -ENOMEM;
        }
    }
    *ret_jpeg = jpeg;
    return 0;
}

struct lod_jpeg *lod_jpeg_destroy(struct lod_jpeg *jpeg)
{
    for (unsigned c = 0; jpeg && c < LOD_SCRIPT_COMPONENTS; c++) {
        free(jpeg->plane[c]);
    }
    free(jpeg);
    return NULL;
}

int lod_jpeg_frame_same(const struct lod_jpeg_frame *a, const struct lod_jpeg_frame *b)
{
    bool same = a->width == b->width && a->height == b->height && a->components == b->components;

    for (unsigned c = 0; same && c < a->components; c++) {
        const struct lod_jpeg_component *x = &a->component[c], *y = &b->component[c];
        same = x->id == y->id && x->h == y->h && x->v == y->v;
    }
    return same ? 0 : -EBADMSG;
}

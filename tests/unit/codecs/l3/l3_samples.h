/* SPDX-License-Identifier: Apache-2.0 */
/* Small pictures for the tests of the L3 codec, and helpers that decode and compare. */
#ifndef L3_SAMPLES_H
#define L3_SAMPLES_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "l3/patch/l3_stream.h"
#include "l3/stream/l3_stream_write.h"

/* The contents of a picture. */
enum { L3_FLAT, L3_SMOOTH, L3_NOISE, L3_EXTREMES, L3_MIXED, L3_CONTENTS };

struct l3_picture {
    struct lod_l3_image image;
    uint8_t *at; /* the owner frees it */
    size_t stride;
};

static inline uint32_t l3_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static inline unsigned l3_sample(unsigned content, uint32_t *state, unsigned x, unsigned y,
                                 unsigned s)
{
    switch (content) {
    case L3_FLAT:
        return 0x4d4du;
    case L3_SMOOTH:
        return x * 3 + y * (2 + s) + l3_random(state) % 4;
    case L3_NOISE:
        return l3_random(state);
    case L3_EXTREMES:
        return l3_random(state) % 2 ? 0xffffu : 0;
    default:
        return x / 16 % 2 == y / 8 % 2 ? l3_random(state) % 300 : 90 * s + x;
    }
}

static inline struct l3_picture l3_picture(struct lod_l3_image image, unsigned content,
                                           uint32_t seed)
{
    struct l3_picture picture = {.image = image, .stride = lod_l3_row_bytes(&image)};
    unsigned mask = (1u << image.bits) - 1;

    picture.at = malloc(picture.stride * image.height);
    cr_assert(picture.at);
    for (unsigned y = 0; y < image.height; y++) {
        uint8_t *row = picture.at + y * picture.stride;
        for (unsigned x = 0; x < image.width; x++) {
            for (unsigned s = 0; s < image.samples; s++) {
                unsigned value = l3_sample(content, &seed, x, y, s) & mask,
                         i = x * image.samples + s;
                if (image.bits == 16) {
                    lod_put_le16(row + (size_t)2 * i, (uint16_t)value);
                } else {
                    row[i] = (uint8_t)value;
                }
            }
        }
    }
    return picture;
}

/* Checks that the stream decodes to the picture, and that no byte beside it is written. */
static inline void l3_expect_decoded(const struct l3_picture *picture, struct lod_span bytes)
{
    size_t stride = picture->stride + 5;
    uint8_t *into = malloc(stride * picture->image.height);
    void *work = aligned_alloc(LOD_L3_WORK_ALIGN, LOD_L3_WORK_BYTES);
    struct lod_l3_stream stream;

    memset(into, 0xa5, stride * picture->image.height);
    cr_assert_eq(lod_l3_stream_open(bytes, bytes.bytes, &stream), 0);
    cr_assert_eq(lod_l3_work_init(&stream, work), 0);
    for (uint32_t row = 0; row < stream.rows; row++) {
        struct lod_span band;
        uint64_t offset, count;
        lod_l3_band(&stream, row, &offset, &count);
        band = (struct lod_span){.at = bytes.at + offset, .bytes = count};
        cr_assert_eq(lod_l3_decode_band(&stream, row, band,
                                        into + ((size_t)row << stream.side_log2) * stride, stride,
                                        work),
                     0);
    }
    for (uint32_t y = 0; y < picture->image.height; y++) {
        cr_assert_eq(memcmp(into + y * stride, picture->at + y * picture->stride, picture->stride),
                     0, "row %u of %u x %u, %u samples of %u bits", y, picture->image.width,
                     picture->image.height, picture->image.samples, picture->image.bits);
        for (unsigned i = 0; i < 5; i++) {
            cr_assert_eq(into[y * stride + picture->stride + i], 0xa5);
        }
    }
    free(work);
    free(into);
}

#endif
